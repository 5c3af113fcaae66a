"""Random small shared clusters: a scene for every seed, with now this and now that of all a scene can hold."""

from __future__ import annotations

import json
import random
from typing import Any

from twin.scenario import loads
from twin.scenario.schema.document import Scenario

DAY_S = 86400.0

Scene = dict[str, Any]


def _rows(die: random.Random) -> tuple[list[Scene], dict[str, int], dict[str, int]]:
    """Return row generators, and by their names how many nodes they have and GPUs of one node."""
    rows, nodes, gpus = [], {}, {}
    for name in ("alpha", "beta")[: die.choice((1, 1, 1, 2))]:
        part = die.choice(("DGX-H100", "DGX-H100", "DGX-A100", "GB200-NVL72"))
        if part == "GB200-NVL72":
            if rows:
                continue
            count, each = 1, 18
            racks: Scene = {"count": 1, "part": part}
            gpus[name] = 4
        else:
            each = die.choice((1, 2, 3))
            count = die.randint(1, max(1, 12 // each))
            racks = {"count": count, "nodes": [{"part": part, "count": each, "first_u": 2}]}
            gpus[name] = 8
        rows.append({"id": name, "at": {"y": f"{4 * len(rows)} m"}, "racks": racks})
        nodes[name] = count * each
    return rows, nodes, gpus


def _facility(die: random.Random, rows: list[str], wet: list[str]) -> Scene:
    plant = die.choice(("dry-cooler", "chiller"))
    loops: list[Scene] = [
        {
            "id": "crah",
            "kind": "air",
            "part": "CRAH-chilled",
            "units": die.randint(2, 6),
            "plant": "water",
            "serves": rows,
            "supply": "24 degC",
        }
    ]
    if wet:
        loops.insert(
            0,
            {
                "id": "cdu",
                "kind": "liquid",
                "part": "CDU-inrow-1350",
                "plant": "water",
                "serves": wet,
                "supply": "30 degC",
            },
        )
    found: Scene = {
        "cooling": {"plants": [{"id": "water", "kind": plant, "supply": "16 degC"}], "loops": loops}
    }
    if die.random() < 0.4:
        feeds = [*rows, *(loop["id"] for loop in loops)]
        found["power"] = [
            {"id": "grid", "kind": "utility"},
            {"id": "board", "kind": "switchgear", "from": "grid", "feeds": ["water"]},
            {"id": "ups", "kind": "ups", "part": "UPS-double-conversion", "from": "board"},
            {
                "id": "pdu",
                "kind": "pdu",
                "part": "floor-PDU",
                "count": die.randint(1, 3),
                "from": "ups",
                "feeds": feeds,
            },
        ]
    if not wet and die.random() < 0.35:
        found["fabrics"] = [
            {
                "id": "ib",
                "kind": die.choice(("leaf-spine", "rail-optimised")),
                "unit_nodes": die.choice((2, 4, 32)),
                "leaf": {"part": "QM9700"},
                "spine": {"part": "QM9700"},
                "rows": rows,
            }
        ]
    if die.random() < 0.5:
        store: Scene = {"id": "lustre", "read": "20 GB/s", "write": "10 GB/s"}
        if die.random() < 0.3:
            store["encrypted"] = True
        found["storage"] = [store]
    return found


_WORKLOADS: tuple[Scene, ...] = (
    {"kind": "load", "gpu": "80 %"},
    {"kind": "load", "gpu": "30 %"},
    {
        "kind": "vision",
        "model": "made up",
        "sample_flop": 3e13,
        "parameters": 1e9,
        "batch_per_gpu": 8,
        "sample": "1 kB",
        "dataset": "1 PB",
    },
    {"kind": "llm", "model": "llama3-8b", "global_batch": 0, "sequence": 4096, "recompute": "full"},
)
_MIG = ("1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb")


def _checkpoint(die: random.Random, stores: bool) -> Scene:
    said: Scene = {"interval": die.choice(("none", "daly", "young", "adaptive", "300 s", "1200 s", "2 h"))}
    if said["interval"] != "none":
        said |= {"pause": f"{die.choice((0, 5, 30, 120))} s", "drain": f"{die.choice((0, 0, 200))} s"}
        if stores and die.random() < 0.6:
            said["storage"] = "lustre"
        if die.random() < 0.25:
            said["verify"] = f"{die.choice((10, 300))} s"
        if die.random() < 0.3:
            to = die.choice(("peer", "nvme"))
            said["tiers"] = [{"to": to, "every": die.randint(1, 3), "pause": "2 s", "drain": "10 s"}]
    return said


def _recovery(die: random.Random) -> Scene:
    if die.random() < 0.3:
        said: Scene = {"constant": f"{die.choice((0, 60, 600))} s"}
    else:
        said = {"detect": "20 s", "watchdog": "300 s", "swap": "40 s", "container": "50 s", "load": "5 GB/s"}
    said["policy"] = die.choice(("spare", "spare", "requeue", "shrink", "drop-replica"))
    if said["policy"] in ("shrink", "drop-replica") and die.random() < 0.5:
        said["patience"] = "20 min"
    if die.random() < 0.25:
        said["partial"] = die.choice(("replica", "pipeline"))
    if die.random() < 0.2:
        said["attempts"] = die.randint(0, 3)
    return said


def _job(
    die: random.Random, k: int, nodes: dict[str, int], gpus: dict[str, int], features: set[str], days: float
) -> Scene:
    row = die.choice(list(nodes))
    size = die.choice((1, 1, 2, 3, nodes[row] // 2, nodes[row]))
    size = max(1, min(size, nodes[row]))
    said: Scene = {"id": f"job-{k}", "nodes": size, "rows": [row]}
    submit_s = int(die.random() ** 2 * days * DAY_S / 2)
    said["submit"] = f"{submit_s} s"
    workload = dict(die.choice(_WORKLOADS))
    if "shared" in features and die.random() < 0.3:
        workload = dict(_WORKLOADS[0])
        if die.random() < 0.5 and gpus[row] == 8:
            said["nodes"], said["mig"] = 1, die.choice(_MIG)
        else:
            said["gpus"] = (size - 1) * gpus[row] + die.randint(1, gpus[row])
    if workload["kind"] == "llm":
        workload["global_batch"] = 4 * size * gpus[row]
    said["workload"] = workload
    length = die.random()
    if length < 0.6:
        said["run"] = f"{int(die.choice((600, 3600, 20000, 60000)) * (0.3 + die.random()))} s"
    elif length < 0.75:
        said["steps"] = die.randint(1, 2000)
    if die.random() < 0.3:
        said["limit"] = f"{int(die.choice((900, 7200, 40000)))} s"
    if die.random() < 0.2:
        said["estimate"] = f"{int(die.choice((900, 7200, 40000)))} s"
    if die.random() < 0.4:
        said["priority"] = die.randint(-5, 5)
    if die.random() < 0.3:
        said["preemptible"] = True
    if "green" in features and die.random() < 0.4:
        said["flexible"] = True
    if "tenants" in features and die.random() < 0.8:
        said["tenant"] = die.choice(("red", "blue"))
    if die.random() < 0.15:
        said["deadline"] = f"{submit_s + die.randint(1, int(days * DAY_S))} s"
    said["checkpoint"] = _checkpoint(die, "storage" in features)
    said["recovery"] = _recovery(die)
    return said


def _scheduler(die: random.Random, features: set[str]) -> Scene:
    said: Scene = {
        "policy": die.choice(("fifo", "shortest", "easy", "conservative", "priority")),
        "placement": die.choice(("first", "pack", "spread")),
    }
    if die.random() < 0.3:
        said["order"] = die.choice(("submit", "shortest", "multifactor"))
    if die.random() < 0.3:
        said["backfill"] = die.choice(("none", "easy", "conservative"))
    if die.random() < 0.2:
        said["depth"] = die.choice((1, 3))
    if die.random() < 0.4:
        said["preemption"] = {
            "enabled": True,
            "minimum": f"{die.choice((0, 600))} s",
            "checkpoint": die.random() < 0.5,
        }
    if "green" in features:
        said["green"] = die.choice(
            (
                {"power_limit": f"{die.choice((10, 40, 100))} kW"},
                {"carbon_limit": "350 g/kWh", "longest_wait": "4 h"},
                {"price_limit": "0.07 USD/kWh", "longest_wait": "2 h"},
            )
        )
    return said


_EFFECTS = ("dead", "slow", "hang", "corrupt", "flap", "pcie", "remap")


def _failures(die: random.Random, fabric: bool, power: bool) -> Scene:
    causes: list[Scene] = []
    for k in range(die.randint(0, 4)):
        cause: Scene = {
            "id": f"cause_{k}",
            "rate": f"{die.choice((0.02, 0.2, 1.0))} per node-day",
            "repair": die.choice(("gpu", "nic", "restart", "maintenance", "cpu", "cable")),
        }
        where = die.random()
        if where < 0.25:
            cause["on"] = die.choice(
                (
                    "rack",
                    "row",
                    "nvlink",
                    *(("switch", "link", "leaf") if fabric else ()),
                    *(("pdu",) if power else ()),
                )
            )
            cause["rate"] = f"{die.choice((0.05, 0.3))} per day"
        elif where < 0.6:
            cause["effect"] = die.choice(
                _EFFECTS if fabric else [one for one in _EFFECTS if one not in ("flap", "pcie")]
            )
            if cause["effect"] in ("slow", "corrupt", "pcie"):
                cause["found"] = f"{die.choice((1, 10))} h"
        if die.random() < 0.2:
            cause["detection"] = "watchdog"
        if die.random() < 0.2:
            cause["shape"] = die.choice((0.6, 2.0))
        if die.random() < 0.15:
            cause["planned"] = True
        causes.append(cause)
    said: Scene = {"causes": causes, "lemons": die.random() < 0.3}
    if die.random() < 0.5:
        said["repair_constant"] = f"{die.choice((0, 600, 7200, 90000))} s"
    if die.random() < 0.25:
        said["bursts"] = {"chance": "30 %", "domain": "rack", "mean": 2.0, "within": "5 min"}
    if die.random() < 0.2:
        said["stragglers"] = die.choice((0.4, 1.0))
    if die.random() < 0.3:
        check: Scene = {"id": "burn", "finds": ["slow", "corrupt", "pcie", "flap"], "coverage": 0.8}
        if die.random() < 0.7:
            check["every"] = f"{die.choice((1, 6))} h"
        check["lasts"] = f"{die.choice((0, 300))} s"
        said["checks"] = [check]
    if die.random() < 0.2:
        said["lemon_rule"] = {"failures": 2, "within": "2 day", "replace": "5 h"}
    if die.random() < 0.3:
        repairs: Scene = {"burn_in": f"{die.choice((0, 1800))} s"}
        if die.random() < 0.7:
            repairs["crew"] = {
                "people": 1,
                "shift": [8, 18],
                "weekend": die.random() < 0.5,
                "hands_on": "30 min",
            }
        if die.random() < 0.5:
            stock: Scene = {"id": "parts", "repairs": ["gpu", "nic"], "stock": die.randint(0, 2)}
            if die.random() < 0.6:
                stock |= {"reorder": 1, "order": 3, "lead": "8 h"}
            repairs["parts"] = [stock]
        said["repairs"] = repairs
    return said


def _interventions(die: random.Random, scene: Scene, nodes: dict[str, int], days: float) -> list[Scene]:
    """Return things that people do, of every kind that a scene of this sort has."""
    row = die.choice(list(nodes))
    rack = f"{row}/0/0"
    node = f"{rack}/0"
    jobs = [job["id"] for job in scene["jobs"]]
    acts: list[tuple[str, str, Scene]] = [
        ("fail", f"{node}/1", {"for": "2 h"}),
        ("fail", node, {}),
        ("fail", rack, {"for": "30 min"}),
        ("fail", f"{row}/0", {"for": "10 min"}),
        ("drain", rack, {"for": "3 h"}),
        ("drain", node, {}),
        ("undrain", node, {}),
        ("slow", f"{node}/0", {"value": "70 %", "for": "2 h"}),
        ("hang", node, {}),
        ("corrupt", node, {"for": "2 h"}),
        ("power_cap", "all", {"value": "500 W", "for": "2 h"}),
        ("fan_stop", "crah/0", {"count": 1, "for": "20 min"}),
        ("heat_wave", "site", {"value": "6 K", "for": "5 h"}),
        ("site_loss", "site", {"for": "3 h"}),
    ]
    if jobs:
        one = die.choice(jobs)
        acts += [(kind, one, {}) for kind in ("cancel", "requeue", "hang", "cancel", "requeue")]
        if scene.get("partitions"):
            its_row = next(job["rows"][0] for job in scene["jobs"] if job["id"] == one)
            acts.append(("move", one, {"value": f"part-{its_row}"}))
    if scene["cooling"]["plants"][0]["kind"] == "chiller":
        acts.append(("chiller_trip", "water", {"for": "10 min"}))
    if scene["cooling"]["loops"][0]["id"] == "cdu":
        acts.append(("pump_stop", "cdu/0", {"for": "1 min"}))
    if scene.get("power"):
        acts += [
            ("fail", "ups/0", {"for": "30 min"}),
            ("trip", "pdu/0", {"for": "1 h"}),
            ("fail", "grid/0", {"for": "5 min"}),
        ]
    if scene.get("fabrics"):
        acts += [("fail", "ib/0/0", {"for": "1 h"}), ("pcie", node, {"value": "50 %", "for": "3 h"})]
    return [
        {
            "id": f"act-{k}",
            "at": f"{int(die.random() * days * DAY_S * 0.8)} s",
            "kind": kind,
            "target": target,
            **more,
        }
        for k, (kind, target, more) in enumerate(die.choices(acts, k=die.randint(1, 5)))
    ]


def scene_of(seed: int) -> Scene:
    """Return the document of case `seed`."""
    die = random.Random(seed)
    rows, nodes, gpus = _rows(die)
    days = die.choice((0.3, 1.0, 3.0))
    wet = [row["id"] for row in rows if row["racks"].get("part")]
    scene: Scene = {
        "format": "twin/scenario",
        "version": 3,
        "catalog": "2026.11",
        "title": f"case {seed}",
        "duration": f"{days} day",
        "seed": die.randint(0, 2**40),
        "start": die.choice(("2026-01-05T00:00+00:00", "2026-01-09T21:00-06:00")),
        "site": {"climate": {"dry_bulb": "8 degC", "wet_bulb": "5 degC", "swing": "6 K"}},
        "halls": [{"id": "hall", "rows": rows}],
    }
    scene |= _facility(die, list(nodes), wet)
    features = {name for name in ("shared", "green", "tenants") if die.random() < 0.35}
    if "storage" in scene:
        features.add("storage")
    if "green" in features:
        scene["site"]["grid"] = {
            "carbon": "400 g/kWh",
            "carbon_day": [0.5 + (hour % 12) / 8 for hour in range(24)],
            "price_day": [0.5 + (hour % 8) / 6 for hour in range(24)],
        }
    if "tenants" in features:
        scene["tenants"] = [
            {"id": "red", "quota": die.choice((4, 8, 16)), "borrow": die.random() < 0.5, "share": 2.0},
            {"id": "blue", "isolation": die.choice(("none", "node", "rack"))},
        ]
    scene["jobs"] = [_job(die, k, nodes, gpus, features, days) for k in range(die.randint(1, 12))]
    if die.random() < 0.35:
        scene["partitions"] = [
            {"id": f"part-{row}", "rows": [row], "priority": die.randint(0, 3)}
            | ({"default_limit": "5 h"} if die.random() < 0.3 else {})
            for row in nodes
        ]
        for job in scene["jobs"]:
            if die.random() < 0.5:
                job["partition"] = f"part-{job['rows'][0]}"
    if die.random() < 0.25:
        scene["reservations"] = [
            {
                "id": "window",
                "kind": die.choice(("reservation", "maintenance")),
                "at": f"{int(die.random() * days * DAY_S / 2)} s",
                "for": "90 min",
            }
            | ({"every": "6 h"} if die.random() < 0.3 else {})
            | ({"nodes": 1} if die.random() < 0.5 else {})
        ]
    if die.random() < 0.25:
        row = next(iter(nodes))
        scene["streams"] = [
            {
                "id": "sweep",
                "count": die.randint(3, 40),
                "arrivals": {
                    "kind": die.choice(("poisson", "even", "daily")),
                    "gap": f"{die.choice((300, 2000))} s",
                },
                "sizes": {"gpus": [1, 2, gpus[row], gpus[row] * nodes[row]] if len(nodes) == 1 else [1, 4]},
                "lengths": {"mean": f"{die.choice((600, 5000))} s"},
                "limit": die.choice((0.5, 1.5, 3.0)),
                "preemptible": die.random() < 0.5,
            }
            | ({"partition": scene["partitions"][0]["id"]} if scene.get("partitions") else {})
        ]
        if len(nodes) > 1 and not scene.get("partitions"):
            del scene["streams"]
    if die.random() < 0.2:
        cloud: Scene = {"id": "sky", "gpu": "H100-SXM", "quota": 64, "price": 3.0, "provisioning": "5 min"}
        if die.random() < 0.7:
            cloud["burst"] = {"wait": f"{die.choice((0, 1200))} s"}
        if die.random() < 0.6:
            cloud["replication"] = {"every": "30 min"}
        scene["clouds"] = [cloud]
    scene["scheduler"] = _scheduler(die, features)
    if die.random() < 0.8:
        scene["failures"] = _failures(die, "fabrics" in scene, "power" in scene)
    if die.random() < 0.7:
        scene["interventions"] = _interventions(die, scene, nodes, days)
    return scene


def load_case(seed: int) -> Scenario:
    """Return the scenario of case `seed`, read like a file."""
    return loads(json.dumps(scene_of(seed), indent=1), f"case-{seed}").scenario
