"""A plant as what stands where, by id, without slots: equal for two plants that mean the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from twin.plant.tables import Plant


def canonical(plant: Plant) -> dict[str, Any]:
    """Return every present item by id with all it refers to as ids, and cables as counted sets."""

    def name(ids: list[str], slot: int) -> str:
        return ids[slot] if slot >= 0 else ""

    racks, nodes, gpus, power = plant.racks, plant.nodes, plant.gpus, plant.power
    switches, loops = plant.switches, plant.loops
    rack_ids, node_ids = racks.ids, nodes.ids
    out: dict[str, Any] = {"rows": {}, "racks": {}, "nodes": {}, "switches": {}, "loops": {}, "power": {}}
    for r in np.flatnonzero(plant.rows.present):
        out["rows"][plant.rows.ids[r]] = (plant.rows.labels[r], float(plant.rows.y_m[r]))
    for r in np.flatnonzero(racks.present):
        first = racks.node_first[r]
        held = [n for n in range(first, first + racks.node_count[r]) if nodes.present[n]]
        assert all(nodes.rack[n] == r for n in held)
        out["racks"][rack_ids[r]] = (
            name(plant.rows.ids, racks.row[r]),
            racks.part[r],
            round(float(racks.x_m[r]), 6),
            round(float(racks.y_m[r]), 6),
            name(loops.ids, racks.loop[r]),
            name(loops.ids, racks.air_loop[r]),
            name(power.ids, racks.feed_a[r]),
            name(power.ids, racks.feed_b[r]),
            tuple(node_ids[n] for n in held),
        )
    for n in np.flatnonzero(nodes.present):
        first = nodes.gpu_first[n]
        mine = [g for g in range(first, first + nodes.gpu_count[n]) if gpus.present[g]]
        assert all(gpus.node[g] == n for g in mine)
        out["nodes"][node_ids[n]] = (
            rack_ids[nodes.rack[n]],
            plant.node_parts[nodes.part[n]],
            (int(nodes.u[n]), int(nodes.column[n]), int(nodes.abreast[n])),
            int(nodes.unit[n]),
            bool(nodes.drained[n]),
            name(loops.ids, nodes.loop[n]),
            tuple(plant.gpu_id(g) for g in mine),
            tuple(plant.gpu_parts[gpus.part[g]] for g in mine),
            {rack_ids[gpus.rack[g]] for g in mine} <= {rack_ids[nodes.rack[n]]},
        )
    out["gpus"] = {plant.gpu_id(g) for g in np.flatnonzero(gpus.present)}
    for s in np.flatnonzero(switches.present):
        out["switches"][switches.ids[s]] = (
            rack_ids[switches.rack[s]],
            int(switches.u[s]),
            plant.fabrics[switches.fabric[s]],
            int(switches.unit[s]),
            int(switches.rail[s]),
            int(switches.plane[s]),
            int(switches.role[s]),
        )
    for k in np.flatnonzero(loops.present):
        out["loops"][loops.ids[k]] = (
            plant.plants.ids[loops.plant[k]],
            name(power.ids, loops.feed_a[k]),
            name(power.ids, loops.feed_b[k]),
            round(float(loops.recirculation[k]), 9),
            round(float(loops.flow_m3_s[k]), 9),
            round(float(loops.x_m[k]), 6),
        )
    for p in np.flatnonzero(power.present):
        out["power"][power.ids[p]] = tuple(
            name(power.ids, column[p]) for column in (power.parent, power.spare_parent, power.bus)
        )
    plants = plant.plants
    out["plants"] = {
        one: (
            round(float(plants.rated_w[k]), 3),
            int(plants.units[k]),
            int(plants.needed[k]),
            name(power.ids, plants.feed_a[k]),
            name(power.ids, plants.feed_b[k]),
        )
        for k, one in enumerate(plants.ids)
    }
    links = plant.node_links
    out["node_links"] = {
        (node_ids[n], nic, plane, switches.ids[s], bytes_s)
        for n, nic, plane, s, bytes_s in zip(
            links.node.tolist(),
            links.nic.tolist(),
            links.plane.tolist(),
            links.leaf.tolist(),
            links.bytes_s.tolist(),
            strict=True,
        )
    }
    peers = plant.peer_links
    out["peer_links"] = Counter(
        (node_ids[x], node_ids[y], axis, cables)
        for x, y, axis, cables in zip(
            peers.a.tolist(), peers.b.tolist(), peers.axis.tolist(), peers.cables.tolist(), strict=True
        )
    )
    out["fabrics"] = plant.fabric_table
    up = plant.switch_links
    out["switch_links"] = {
        (switches.ids[a], switches.ids[b], c)
        for a, b, c in zip(up.lower.tolist(), up.upper.tolist(), up.cables.tolist(), strict=True)
    }
    b = plant.bundles
    out["bundles"] = Counter(
        (plant.fabrics[f], rail, plane, tier, rack_ids[x], rack_ids[y], cables, round(length, 6))
        for f, rail, plane, tier, x, y, cables, length in zip(
            b.fabric.tolist(),
            b.rail.tolist(),
            b.plane.tolist(),
            b.tier.tolist(),
            b.rack_a.tolist(),
            b.rack_b.tolist(),
            b.cables.tolist(),
            b.length_m.tolist(),
            strict=True,
        )
    )
    return out
