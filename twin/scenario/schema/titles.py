"""What people call the keys of a scene, for labels of the window: words of the field, not of the file."""

from __future__ import annotations

TITLES: dict[str, str] = {
    "at": "Connected to",
    "backs": "Filled from here",
    "batch_per_gpu": "Batch per GPU",
    "cell_flop": "FLOP per cell",
    "container": "Container start",
    "cpu": "CPU load",
    "dry_bulb": "Dry-bulb temperature",
    "eco": "Eco mode",
    "first_byte": "Time to first byte",
    "flash": "Fused attention",
    "from": "Fed by",
    "gpu": "GPU load",
    "gpus": "GPUs",
    "grid.carbon": "Carbon intensity",
    "grid.peak": "Contracted peak",
    "grid.price": "Price of electricity",
    "grid.ramp": "Steepest load change",
    "halo": "Halo width",
    "homes": "Cables per NIC",
    "iops": "I/O operations per second",
    "load_accept": "Full load in",
    "longest": "Longest answer",
    "mig": "MIG slice",
    "or_from": "Backup source",
    "path_flop": "FLOP per path",
    "part": "Catalogue part",
    "racks.count": "Racks per row",
    "racks.part": "Rack",
    "racks.pitch": "Rack pitch",
    "racks.role": "Role",
    "recovery.constant": "One restart time for all",
    "recovery.init": "Communicator start",
    "recovery.load": "Checkpoint read",
    "recovery.minimum": "Fewest nodes",
    "recovery.partial": "Restart in part",
    "recovery.swap": "Node swap",
    "reference": "Reference copy",
    "rollout.nodes": "Rollout nodes",
    "sample_flop": "FLOP per sample",
    "climate.swing": "Daily swing",
    "seq_parallel": "Sequence parallel",
    "serves": "Racks it cools",
    "token": "Bytes per token",
    "u": "Unit",
    "unit_nodes": "Nodes per unit",
    "wet_bulb": "Wet-bulb temperature",
    "workload.operation": "Bytes per read",
    "workload.step": "Unit of a step",
}
"""By the end of the key's path: its last word, or the last two where that alone would say too little.

A key that is not here is called by its own words: "dew_point" is "Dew point".
"""


def title_of_key(key: str) -> str:
    """Return what a key is called, x and y as they are.

    >>> title_of_key("racks.count"), title_of_key("dew_point"), title_of_key("x")
    ('Racks per row', 'Dew point', 'x')
    """
    last_two, last = ".".join(key.split(".")[-2:]), key.rpartition(".")[2]
    said = TITLES.get(last_two) or TITLES.get(last)
    if said is not None or len(last) == 1:
        return said or last
    words = last.replace("_", " ")
    return words[:1].upper() + words[1:]
