"""What there is to say about cables, switches and collectives: load, flows, what a fault costs. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from twin.app.fabric.world import Fabrics, fabrics_of
from twin.app.toolkit import text
from twin.app.world.job_lookup import job_place
from twin.app.world.rows import FactRow, World, channel_row
from twin.language import tr
from twin.planning.network.collective import Collective
from twin.planning.network.fabric_figures import FabricFigures, fabric_figures
from twin.planning.network.link_flows import Crossing, TrafficMap
from twin.planning.network.traffic import KINDS
from twin.plant.cable_names import bundle_ends, bundle_id, bundle_short, bundle_size, id_range, links_in
from twin.plant.links import LinkKind, find_link, link_id
from twin.record.channels import BY_ID
from twin.scenario.generators.all_jobs import jobs_of
from twin.shown_text import capitalised

MOST_FLOWS = 8
"""Kinds of traffic listed for one link, the most first."""
MOST_LINKS = 6
_MOST_ANSWERS = 64
_Answer = TypeVar("_Answer")
_ARROW = "\N{RIGHTWARDS ARROW}"
_TITLES = {
    "data": "gradients",
    "pipeline": "pipeline",
    "tensor": "tensor",
    "context": "context",
    "expert": "experts",
}


def links_of_thing(world: World, thing: str, bundle: int) -> NDArray[np.int32]:
    """Return the links that an id of cables means: one link, or all of a bundle."""
    link = find_link(world.plant, thing)
    return links_in(world.plant, bundle) if link is None else np.array([link], np.int32)


def cable_state(world: World, bundle: int) -> str:
    """Return how a bundle is doing in a few words: "41 % busy, 2 of 32 cables down"."""
    if world.frame is None or bundle >= len(world.frame.values["bundle.load"]):
        return ""
    load, down = (int(world.frame.values[f"bundle.{name}"][bundle]) for name in ("load", "down"))
    words = tr("{load}\xa0% busy", load=load)
    return words + (
        tr(", {down} of {cables} cables down", down=down, cables=int(world.plant.bundles.cables[bundle]))
        if down
        else ""
    )


def cable_rows(world: World, thing: str, bundle: int) -> list[tuple[str, list[FactRow]]]:
    """Return the sections of facts of a bundle or of one of its links."""
    plant, links = world.plant, links_of_thing(world, thing, bundle)
    table = plant.bundles
    a, b = bundle_ends(plant, bundle)
    now = []
    if world.frame is not None and bundle < len(world.frame.values["bundle.load"]):
        load, down = (channel_row(world, f"bundle.{name}", bundle) for name in ("load", "down"))
        now = [
            replace(load, hint="Of the busiest link, mean over a step (bundle.load)"),
            replace(down, value=f"{down.value} of {int(table.cables[bundle])}"),
        ]
    gb_s = float(table.cables[bundle]) * float(table.cable_bytes_s[bundle])
    cables = [
        FactRow(tr("From"), a),
        FactRow(tr("To"), b),
        FactRow(tr("Cables"), bundle_size(plant, bundle)),
        FactRow(tr("All cables, one direction"), text.quantity(gb_s, "B/s")),
        FactRow(
            tr("Cable length"),
            text.quantity(float(table.length_m[bundle]), "m", 2),
            hint=tr("Along the trays, slack included"),
        ),
        FactRow(tr("Fabric"), plant.fabrics[int(table.fabric[bundle])]),
    ]
    rail = int(table.rail[bundle])
    if rail >= 0:
        cables.append(FactRow(tr("Rail"), f"{rail}"))
    for rack, title in ((table.rack_a, tr("Rack")), (table.rack_b, tr("Rack at the other end"))):
        cables.append(FactRow(title, plant.racks.ids[int(rack[bundle])], plant.racks.ids[int(rack[bundle])]))
    members = [
        FactRow(tr("Link"), link_id(plant, int(k)), link_id(plant, int(k))) for k in links[:MOST_LINKS]
    ]
    if len(links) > MOST_LINKS:
        members.append(FactRow(tr("Further links"), f"{len(links) - MOST_LINKS}"))
    return [
        (tr("Now"), now),
        (tr("Flows"), flow_rows(world, links)),
        (tr("If it fails"), loss_rows(world, links)),
        (tr("Cables"), cables),
        (tr("Links"), members if len(links) > 1 else []),
    ]


def flow_rows(world: World, links: NDArray[np.int32]) -> list[FactRow]:
    """Return which jobs send what over links, the most first."""
    if world.frame is None:
        return []
    crossings = _crossing(world, links)
    rows = []
    for crossing in crossings[:MOST_FLOWS]:
        job = jobs_of(world.scenario)[crossing.job].id
        way = f"{_racks(world, crossing.sources)} {_ARROW} {_racks(world, crossing.targets)}"
        hint = tr(
            "From {nodes} to {world}; {peak_rate} while it communicates",
            nodes=_nodes(world, crossing.sources),
            world=_nodes(world, crossing.targets),
            peak_rate=text.quantity(crossing.peak_bytes_s, "B/s"),
        )
        rows.append(
            FactRow(
                f"{job}, {_TITLES[KINDS[crossing.kind]]}: {way}",
                text.quantity(crossing.bytes_s, "B/s"),
                hint=hint,
            )
        )
    if len(crossings) > MOST_FLOWS:
        rows.append(FactRow(tr("Further flows"), f"{len(crossings) - MOST_FLOWS}"))
    return rows or [FactRow(tr("Flows"), tr("no traffic"))]


def loss_rows(world: World, links: NDArray[np.int32]) -> list[FactRow]:
    """Return what fails when links do."""
    fabrics = fabrics_of(world)
    traffic, plant = fabrics.traffic, world.plant
    cut = _cut_off(world, links)
    if len(cut):
        hit = [seat.job for seat in fabrics.seats if np.isin(cut, seat.nodes).any()]
        rows = [FactRow(tr("Disconnects"), _nodes(world, cut))]
        if hit:
            jobs = ", ".join(jobs_of(world.scenario)[job].id for job in hit)
            rows.append(FactRow(tr("Stops"), jobs, hint=tr("Until spare nodes replace those disconnected")))
        return rows
    left = [traffic.ways_left(int(link)) for link in links]
    without, whole = min(left, key=lambda pair: pair[0] / max(1, pair[1]))
    what = tr("NIC cables") if traffic.links.kind[int(links[0])] == LinkKind.NODE else "uplinks"
    share = tr("{without} of {whole}", without=without, whole=whole)
    return [
        FactRow(
            tr("Disconnects"),
            tr("no node of {fabrics}", fabrics=plant.fabrics[int(traffic.links.fabric[int(links[0])])]),
        ),
        FactRow(tr("Remaining {what}", what=what), share),
    ]


def switch_rows(world: World, switch: int) -> list[tuple[str, list[FactRow]]]:
    """Return the sections on traffic and faults of a switch."""
    fabrics = fabrics_of(world)
    mark = np.zeros(len(world.plant.switches.ids), np.bool_)
    mark[switch] = True
    links = np.flatnonzero(fabrics.traffic.links.of_switches(mark)).astype(np.int32)
    if not len(links):
        return []
    return [(tr("Flows"), flow_rows(world, links)), (tr("If it fails"), loss_rows(world, links))]


def fabric_rows(world: World, fabric: int) -> list[FactRow]:
    """Return what a fabric is and what is lost of it now."""
    plant, table = world.plant, world.plant.fabric_table
    figures = _figures(world, fabric)
    technology, routing = table.technology[fabric], table.routing[fabric]
    if technology and not routing:
        routing = world.catalog.technology(technology).routing
    names = ("leaf", "spine", "core")
    tiers = [f"{n} {name}" for n, name in zip(figures.switches, names, strict=True) if n]
    share = figures.bisection_bytes_s / max(figures.full_bisection_bytes_s, 1.0)
    rows = [
        FactRow(tr("Topology"), table.kind[fabric].replace("-", " ")),
        FactRow(tr("Technology"), technology or tr("not named")),
        FactRow(tr("Routing"), routing or "adaptive"),
        FactRow(tr("Nodes"), f"{figures.nodes:,}"),
        FactRow(tr("Switches"), ", ".join(tiers) or "none"),
        FactRow(tr("Cables"), f"{figures.cables:,}"),
    ]
    if figures.oversubscription:
        rows.append(
            FactRow(
                tr("Oversubscription"),
                f"{figures.oversubscription:.2g} : 1",
                hint=tr("Leaf bandwidth to nodes over leaf bandwidth to spines"),
            )
        )
    rows.append(
        FactRow(
            tr("Bisection bandwidth"),
            f"{text.quantity(figures.bisection_bytes_s, 'B/s')} ({share:.0%})",
            hint=tr("Bisection bandwidth, in brackets as a share of NIC line rate"),
        )
    )
    if world.frame is not None and len(world.frame.values["bundle.down"]) == len(plant.bundles.fabric):
        down = world.frame.values["bundle.down"][plant.bundles.fabric == fabric].astype(int)
        title = capitalised(BY_ID["bundle.down"].title)
        rows.append(FactRow(title, f"{int(down.sum()):,}", hint="bundle.down", channel="bundle.down"))
    return rows


@dataclass(frozen=True)
class BusyCables:
    """A line of the table of the busiest cables."""

    id: str
    words: str
    load: int
    down: int
    jobs: str


def busiest(world: World, most: int = 12) -> list[BusyCables]:
    """Return the bundles with lost cables and then those with most load."""
    frame, plant = world.frame, world.plant
    if frame is None or len(frame.values["bundle.load"]) != len(plant.bundles.fabric):
        return []
    load, down = (np.asarray(frame.values[f"bundle.{name}"]).astype(int) for name in ("load", "down"))
    order = np.lexsort((-plant.bundles.cables, -load, down == 0))[:most]
    order = order[(load[order] > 0) | (down[order] > 0)]
    masks = _senders(world)
    lines = []
    for bundle in order.tolist():
        jobs = ", ".join(jobs_of(world.scenario)[job].id for job, mask in masks if mask[bundle])
        lines.append(
            BusyCables(
                bundle_id(bundle), bundle_short(plant, bundle), int(load[bundle]), int(down[bundle]), jobs
            )
        )
    return lines


def collective_line(one: Collective) -> str:
    """Return what a kind of communication is, in one line."""
    who = {
        "ring": tr("ring of {members:,} GPUs", members=one.members),
        "chain": tr("chain of {members:,} stages", members=one.members),
        "neighbours": tr("{members:,} GPUs with their neighbours", members=one.members),
        "all to all": tr("all-to-all among {members:,} GPUs", members=one.members),
    }[one.shape]
    many = tr("{groups:,} side by side", groups=one.groups) if one.groups > 1 else tr("one shown")
    if one.kind == "data":
        return tr("all-reduce, {who}, {many}", who=who, many=many)
    return f"{who}, {many}"


def collective_cost(one: Collective) -> str:
    """Return what it moves and how long that takes, in one line."""
    if not one.cards:
        return tr("stays inside the nodes, off the fabric")
    sent = text.quantity(one.rank_bytes, "B")
    how = f" ({one.algorithm})" if one.algorithm else ""
    return tr(
        "{cards} rails; {sent} from each GPU a step, {time}{how}",
        cards=one.cards,
        sent=sent,
        time=text.span(one.time_s),
        how=how,
    )


def collective_rows(world: World, job: int) -> list[FactRow]:
    """Return a row for each kind of communication of a job on its nodes."""
    rows = []
    for collective in fabrics_of(world).collectives(job):
        sent = text.quantity(collective.rank_bytes, "B")
        cost = f"{sent}, {text.span(collective.time_s)}" if collective.cards else tr("inside the nodes")
        words = collective_line(collective)
        rows.append(
            FactRow(
                _TITLES[collective.kind].capitalize(), cost, hint=f"{words}; {collective_cost(collective)}"
            )
        )
    return rows


def ring_order(world: World, one: Collective, most: int = 5) -> str:
    """Return the first nodes of a circle in its order."""
    ids = [world.plant.nodes.ids[int(node)] for node in one.nodes[:most]]
    return f" {_ARROW} ".join(ids) + (f" {_ARROW} \N{HORIZONTAL ELLIPSIS}" if len(one.nodes) > most else "")


def job_index(world: World, job: str | None) -> int | None:
    """Return the place of a job in the scenario; None when there is no such."""
    return job_place(world.scenario, job)


def _racks(world: World, nodes: NDArray[np.int64]) -> str:
    """Return the racks of nodes: one, or how many."""
    racks = np.unique(world.plant.nodes.rack[nodes])
    return world.plant.racks.ids[int(racks[0])] if len(racks) == 1 else tr("{racks} racks", racks=len(racks))


def _nodes(world: World, nodes: NDArray[np.int64]) -> str:
    ids = [world.plant.nodes.ids[int(node)] for node in nodes]
    if len(ids) == 1:
        return tr("node {first_id}", first_id=ids[0])
    return (
        tr("nodes {short}", short=short)
        if (short := id_range(ids)) is not None
        else tr("{count:,} nodes", count=len(ids))
    )


_ANSWERS: WeakKeyDictionary[TrafficMap, dict[tuple[object, ...], Any]] = WeakKeyDictionary()
"""What was worked out of the traffic of a plant: it goes with the plant, of which an edited run has many."""


def _once(world: World, question: tuple[object, ...], work: Callable[[Fabrics], _Answer]) -> _Answer:
    """Return the answer to a question about a plant's fabrics, worked out once."""
    fabrics = fabrics_of(world)
    answers = _ANSWERS.setdefault(fabrics.traffic, {})
    if question not in answers:
        if len(answers) >= _MOST_ANSWERS:
            answers.clear()
        answers[question] = work(fabrics)
    answer: _Answer = answers[question]
    return answer


def _of_links(what: str, world: World, links: NDArray[np.int32]) -> tuple[object, ...]:
    """Return a question about links: the answer stays while routes and step times do."""
    fabrics = fabrics_of(world)
    steps = tuple(round(seat.step_s, 2) for seat in fabrics.seats)
    return (what, links.tobytes(), steps, fabrics.key())


def _crossing(world: World, links: NDArray[np.int32]) -> tuple[Crossing, ...]:
    return _once(world, _of_links("crossing", world, links), lambda fabrics: tuple(fabrics.crossing(links)))


def _cut_off(world: World, links: NDArray[np.int32]) -> NDArray[np.int64]:
    cut = links.astype(np.int64)
    return _once(
        world, _of_links(tr("cut off"), world, links), lambda fabrics: fabrics.traffic.cut_off_by(cut)
    )


def _senders(world: World) -> tuple[tuple[int, NDArray[np.bool_]], ...]:
    """Return which bundles each job sends over."""

    def found(fabrics: Fabrics) -> tuple[tuple[int, NDArray[np.bool_]], ...]:
        traffic, masks = fabrics.traffic, []
        for seat in fabrics.seats:
            there, back = traffic.of_bundles(traffic.bytes_s(seat))
            masks.append((seat.job, (there > 0) | (back > 0)))
        return tuple(masks)

    return _once(world, _of_links("senders", world, np.zeros(0, np.int32)), found)


def _figures(world: World, fabric: int) -> FabricFigures:
    return _once(world, ("figures", fabric), lambda _: fabric_figures(world.plant, fabric))
