"""Where the power of a site comes from and goes to at one moment, and its heat. No widgets, no pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.app.diagrams.one_line_facts import PowerNow, losses, shelves_w
from twin.app.diagrams.piping_facts import values_of
from twin.app.diagrams.sankey import Flow, SankeyNode
from twin.app.toolkit import text
from twin.app.world.rows import World
from twin.language import tr
from twin.plant.stage_figures import STAGE_TITLES
from twin.plant.tables import LoopKind

_ROUNDING = 2e-3
"""Share of the supply up to which meters that disagree are taken for one moment read twice."""
_NOTHING = 1e-4
"""Share of the heat below which what is stored is left out: figures have three digits."""
SOURCES, SUPPLY, IT, USES, CARRIERS, ENDS = range(6)
"""Columns."""
SAID = {
    "other": tr("Input without a metered load"),
    "other-in": tr("Load without a metered source"),
    "it": tr("Measured at the racks, as the tile IT power: includes losses of power shelves and PSUs"),
    "shelf": tr("Losses of power shelves and PSUs, part of IT"),
    "rest": tr("CPUs, memory, NICs, fans of nodes, switches, storage"),
    "stored": tr("Heat stored in water, metal and air"),
    "released": tr("Heat released by water, metal and air"),
}
"""What nodes are, for those who do not know their names."""


@dataclass(frozen=True)
class EnergyFlows:
    """Nodes and flows, and the balance in words."""

    nodes: tuple[SankeyNode, ...] = ()
    flows: tuple[Flow, ...] = ()
    balance: str = ""


@dataclass(frozen=True)
class _Use:
    """A use of power, the share of its heat that liquid can take, and whether its heat goes straight to the sky."""

    key: str
    title: str
    power_w: float
    liquid_w: float = 0.0
    outdoors: bool = False
    stored: bool = False
    within_it: bool = False


def energy_flows(world: World) -> EnergyFlows:
    """Return the flows of a moment: each node gives what it gets.

    What the meters of the frame do not explain is shown as "not metered"; what comes in and does not leave warms
    water, metal and air ("stored"). Which heat takes which way is measured at the loops, not at its origin: liquid
    is drawn as fed by GPUs on cold plates first, then by their nodes.
    """
    if world.frame is None:
        return EnergyFlows()
    now = PowerNow.of(world)
    sources = _sources(world, now)
    uses = _uses(world, now)
    missing_w = sum(w for _, _, w in sources) - sum(use.power_w for use in uses)
    if sources and abs(missing_w) < _ROUNDING * sources[0][2]:
        sources[0] = (*sources[0][:2], sources[0][2] - missing_w)
    elif missing_w > 0.5:
        uses.append(_Use("other", tr("Not metered"), missing_w))
    elif missing_w < -0.5:
        sources.append(("other-in", tr("Not metered"), -missing_w))
    if len(sources) == 1:  # the one source is what supplies the site
        nodes = [SankeyNode("supply", sources[0][1], SUPPLY)]
    else:
        nodes = [SankeyNode(key, title, SOURCES, said=SAID.get(key, "")) for key, title, _ in sources]
        nodes.append(SankeyNode("supply", tr("Facility"), SUPPLY))
    it_w = sum(use.power_w for use in uses if use.within_it)
    if it_w > 0:
        nodes.append(SankeyNode("it", "IT", IT, top_of="supply", said=SAID["it"]))
    nodes += [SankeyNode(use.key, use.title, USES, said=SAID.get(use.key, "")) for use in uses]
    flows = [Flow(key, "supply", power_w) for key, _, power_w in sources if len(sources) > 1]
    flows += [Flow("supply", "it", it_w)] if it_w > 0 else []
    flows += [Flow("it" if use.within_it else "supply", use.key, use.power_w) for use in uses]
    more_nodes, more_flows, stored_w, sky_w = _heat(world, [use for use in uses if not use.stored])
    taken_w = sum(power_w for _, _, power_w in sources)
    charged_w = sum(use.power_w for use in uses if use.stored)
    words = tr(
        "in {taken_power} = heat rejected {sky_power}",
        taken_power=text.quantity(taken_w, "W"),
        sky_power=text.quantity(sky_w, "W"),
    )
    sign = "+" if stored_w >= 0 else "\N{MINUS SIGN}"
    words += tr(
        " {sign} stored heat {stored_power}", sign=sign, stored_power=text.quantity(abs(stored_w), "W")
    )
    if charged_w > 0:
        words += tr(" + charging {charged_power}", charged_power=text.quantity(charged_w, "W"))
    return EnergyFlows((*nodes, *more_nodes), (*flows, *more_flows), words)


def _sources(world: World, now: PowerNow) -> list[tuple[str, str, float]]:
    assert world.frame is not None
    values = world.frame.values

    def site(name: str) -> float:
        return float(values[f"site.{name}"][0])

    found: list[tuple[str, str, float]] = []
    grid_w, on_site_w, battery_w = max(site("grid_w"), 0.0), site("on_site_w"), site("battery_w")
    if grid_w <= 0 and on_site_w <= 0 and battery_w <= 0:
        grid_w = site("facility_w")  # a scene without a power tree
    found.append(("grid", tr("Utility"), grid_w))
    kinds = np.array(now.items.kind, str)
    made = {kind: float(now.out_w[kinds == kind].sum()) for kind in ("generator", "gas", "smr", "solar")}
    metered_w = sum(max(power_w, 0.0) for power_w in made.values())
    for kind, power_w in made.items():
        if power_w > 0 and on_site_w > 0:  # shares by item, the sum as the site has it
            found.append((kind, STAGE_TITLES[kind], power_w * on_site_w / metered_w))
    if on_site_w > 0 and metered_w <= 0:
        found.append(("generator", tr("On-site sources"), on_site_w))
    if battery_w > 0:
        found.append(("battery", tr("Batteries"), battery_w))
    return [source for source in found if source[2] > 0]


def _uses(world: World, now: PowerNow) -> list[_Use]:
    assert world.frame is not None
    plant, values = world.plant, world.frame.values
    it_w = float(values["site.it_w"][0])
    gpu_w = np.asarray(values["gpu.power_w"], np.float64)
    wet = plant.nodes.liquid[plant.gpus.node[: len(gpu_w)]]
    gpus_w = min(float(gpu_w.sum()), it_w)
    liquid_w = gpus_w * float(gpu_w[wet].sum()) / max(float(gpu_w.sum()), 1e-9)
    in_racks_w = min(shelves_w(world), it_w - gpus_w)
    rest_w = it_w - gpus_w - in_racks_w
    wet_share = liquid_w / max(gpus_w, 1e-9)
    loop_w = values_of(world, "loop.power_w", len(plant.loops.ids))
    by_water = ~np.array([LoopKind(int(kind)).by_air for kind in plant.loops.kind], np.bool_)
    pumps_w, plants_w = float(loop_w.sum()), float(np.sum(values["plant.power_w"], dtype=float))
    uses = [
        _Use("gpus", "GPUs", gpus_w, liquid_w, within_it=True),
        _Use("rest", tr("Other IT"), rest_w, rest_w * wet_share, within_it=True),
        _Use("shelf", tr("Power shelves"), in_racks_w, within_it=True),
    ]
    stages = losses(now)
    total_w = float(values["site.loss_w"][0])
    known_w = sum(stage.loss_w for stage in stages)
    uses += [
        _Use(
            f"loss {stage.kind}",
            tr("Loss, {title}", title=stage.title),
            stage.loss_w,
            outdoors=True,
        )
        for stage in stages
    ]
    if total_w - known_w > 0.5:
        uses.append(_Use("loss", tr("Other losses"), total_w - known_w, outdoors=True))
    uses.append(
        _Use("pumps", tr("Pumps, fans"), pumps_w, float(loop_w[by_water].sum()) if len(loop_w) else 0.0)
    )
    uses.append(_Use("plants", tr("Heat rejection"), plants_w, outdoors=True))
    charge_w = -float(values["site.battery_w"][0])
    if charge_w > 0:
        uses.append(_Use("charging", tr("Charging"), charge_w, stored=True))
    return [use for use in uses if use.power_w > 0]


def _heat(world: World, uses: list[_Use]) -> tuple[list[SankeyNode], list[Flow], float, float]:
    """Return nodes and flows from uses to the sky, stored heat, and heat to the sky [W].

    `plant.heat_w` is what leaves the facility water; the power of the machines that reject it leaves with it. Losses
    of the stages heat rooms of their own, which air cools: they do not reach the loops of the halls.
    """
    assert world.frame is not None
    plant, values = world.plant, world.frame.values
    inside = [use for use in uses if not use.outdoors]
    outdoors_w = sum(use.power_w for use in uses if use.outdoors)
    made_w = sum(use.power_w for use in inside)
    carried = values_of(world, "loop.heat_w", len(plant.loops.ids))
    by_air = np.array([LoopKind(int(kind)).by_air for kind in plant.loops.kind], np.bool_)
    air_w, liquid_w = (
        float(np.maximum(carried[mask], 0.0).sum()) if len(carried) else 0.0 for mask in (by_air, ~by_air)
    )
    share = liquid_w / (liquid_w + air_w) if liquid_w + air_w > 0 else 0.0
    to_liquid_w = made_w * share
    rejected_w = float(np.sum(values["plant.heat_w"], dtype=float))
    if rejected_w <= 0:
        rejected_w = liquid_w + air_w
    stored_w = made_w - rejected_w
    if abs(stored_w) < _NOTHING * made_w:
        stored_w = 0.0
    flows: list[Flow] = []
    left_w = to_liquid_w
    wanted = [min(use.liquid_w, use.power_w) for use in inside]
    scale = min(1.0, left_w / sum(wanted)) if sum(wanted) > 0 else 0.0
    given = [want * scale for want in wanted]
    spare = left_w - sum(given)
    room = sum(use.power_w for use in inside) - sum(given)
    for use, first_w in zip(inside, given, strict=True):
        wet_w = first_w + (spare * (use.power_w - first_w) / room if room > 0 else 0.0)
        flows.append(Flow(use.key, "liquid", wet_w))
        flows.append(Flow(use.key, "air", use.power_w - wet_w))
    nodes = [
        SankeyNode("liquid", tr("Liquid"), CARRIERS),
        SankeyNode("air", tr("Air"), CARRIERS),
        SankeyNode("sky", tr("Outdoors"), ENDS),
    ]
    parts = (("liquid", to_liquid_w), ("air", made_w - to_liquid_w))
    if stored_w >= 0:
        nodes.append(SankeyNode("stored", tr("Stored"), ENDS, said=SAID["stored"]))
        for key, power_w in parts:
            kept_w = stored_w * power_w / made_w if made_w > 0 else 0.0
            flows += [Flow(key, "sky", power_w - kept_w), Flow(key, "stored", kept_w)]
    else:
        nodes.append(SankeyNode("released", tr("Stored heat"), USES, said=SAID["released"]))
        for key, power_w in parts:
            extra_w = -stored_w * power_w / made_w if made_w > 0 else 0.0
            flows += [Flow("released", key, extra_w), Flow(key, "sky", power_w + extra_w)]
    flows += [Flow(use.key, "sky", use.power_w) for use in uses if use.outdoors]
    return nodes, [flow for flow in flows if flow.power_w > 0], stored_w, rejected_w + outdoors_w
