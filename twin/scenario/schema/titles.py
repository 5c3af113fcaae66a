"""What people call the keys of a scene, for labels of the window: words of the field, not of the file."""

from __future__ import annotations

from twin.language import tr

TITLES: dict[str, str] = {
    "across": tr("Columns across the rows"),
    "along": tr("Columns along the rows"),
    "at": tr("Connected to"),
    "backs": tr("Filled from here"),
    "batch_per_gpu": tr("Batch per GPU"),
    "building.height": tr("Ceiling height"),
    "cell_flop": tr("FLOP per cell"),
    "container": tr("Container start"),
    "cpu": tr("CPU load"),
    "dry_bulb": tr("Dry-bulb temperature"),
    "eco": tr("Eco mode"),
    "first_byte": tr("Time to first byte"),
    "flash": tr("Fused attention"),
    "from": tr("Fed by"),
    "gpu": tr("GPU load"),
    "gpus": tr("GPUs"),
    "grid.carbon": tr("Carbon intensity"),
    "grid.peak": tr("Contracted peak"),
    "grid.price": tr("Price of electricity"),
    "grid.ramp": tr("Steepest load change"),
    "halo": tr("Halo width"),
    "homes": tr("Cables per NIC"),
    "iops": tr("I/O operations per second"),
    "load_accept": tr("Full load in"),
    "longest": tr("Longest answer"),
    "mig": tr("MIG slice"),
    "notice": tr("Notice of a reclaim"),
    "nodes.count": tr("Nodes per rack"),
    "nodes.part": tr("Node"),
    "or_from": tr("Backup source"),
    "pitch_across": tr("Pitch across the rows"),
    "path_flop": tr("FLOP per path"),
    "part": tr("Catalogue part"),
    "per": tr("Reclaims per"),
    "racks.count": tr("Racks per row"),
    "racks.part": tr("Rack"),
    "racks.pitch": tr("Rack pitch"),
    "racks.role": tr("Role"),
    "recovery.constant": tr("One restart time for all"),
    "recovery.init": tr("Communicator start"),
    "recovery.load": tr("Checkpoint read"),
    "recovery.minimum": tr("Fewest nodes"),
    "recovery.partial": tr("Restart in part"),
    "recovery.swap": tr("Node swap"),
    "reference": tr("Reference copy"),
    "rollout.nodes": tr("Rollout nodes"),
    "sample_flop": tr("FLOP per sample"),
    "away": tr("Mean time away"),
    "below": tr("Asked for below"),
    "climate.swing": tr("Daily swing"),
    "seq_parallel": tr("Sequence parallel"),
    "serves": tr("Racks it cools"),
    "token": tr("Bytes per token"),
    "u": tr("Unit"),
    "up": tr("Mean time there"),
    "unit_nodes": tr("Nodes per unit"),
    "vlan": tr("First VLAN"),
    "wet_bulb": tr("Wet-bulb temperature"),
    "workload.operation": tr("Bytes per read"),
    "workload.step": tr("Unit of a step"),
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
