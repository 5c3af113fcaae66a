"""Single GPUs and nodes of a frame in few figures: those of groups, and the group of each GPU.

A run file holds these figures at every sample, and once what sets each GPU apart for good; the value of a GPU is that
of its group with a constant offset of its own. Nothing is left over: a live frame is made of the same figures.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import AnyInts
from twin.physics.gpu_picture import FIELDS, QUANTUM_K, TEMPERATURES, GpuTraits, GroupFigures, paint
from twin.physics.gpu_power import GpuPowerModel
from twin.record.frame import Arrays
from twin.record.run_summary import strict_json
from twin.record.runfile import RunFileError

COLUMNS: dict[str, str] = {
    "groups": "f4",
    "group": "f4",
    "job": "f4",
    "state": "u1",
    "condition": "u1",
    "seat": "f4",
}
"""Columns of a block that detail is kept in, and the type of their values."""
POWER_QUANTUM_W = 0.25
_STEP = 32
_MAX_GPUS = 10**7


@dataclass(frozen=True)
class Detail:
    """Single GPUs and nodes at one time. Arrays are replaced, never changed in place.

    Parameters
    ----------
    groups
        Figures of the groups of GPUs that draw power alike and are cooled alike.
    group, job
        Group and job of each GPU; negative: none.
    state, condition, seat
        `State`, `NodeCondition` and place in its job of each node.
    """

    groups: GroupFigures
    group: AnyInts
    job: AnyInts
    state: AnyInts
    condition: AnyInts
    seat: AnyInts

    def show(self, values: Arrays, dies: GpuTraits) -> None:
        """Write every channel of GPUs and nodes into the arrays of a frame."""
        paint(values, self.groups, self.group, dies)
        for id, shown in SHOWN.items():
            values[id][...] = shown(self, dies)


SHOWN: dict[str, Callable[[Detail, GpuTraits], NDArray[Any]]] = {
    "gpu.job": lambda detail, dies: detail.job,
    "gpu.state": lambda detail, dies: detail.state[dies.node],
    "node.condition": lambda detail, dies: detail.condition,
    "node.seat": lambda detail, dies: detail.seat,
}
"""What channels of GPUs and nodes show that are not figures of a group (`twin.physics.gpu_picture.paint` has those)."""

_QUANTA = np.array([QUANTUM_K if name in TEMPERATURES else POWER_QUANTUM_W for name in FIELDS])
_ROUNDED = np.array([name in TEMPERATURES or name.startswith("power_") for name in FIELDS]).nonzero()[0]


def room_for(groups: GroupFigures) -> int:
    """Return the number of groups that a block has room for, from its first ones."""
    return -(-(groups.die_c.size + _STEP // 2) // _STEP) * _STEP


def packed_groups(groups: GroupFigures, room: int) -> NDArray[np.float32]:
    """Return the figures of up to `room` groups as a file keeps them, one after another."""
    rows = np.array([getattr(groups, name) for name in FIELDS])
    quanta = _QUANTA[_ROUNDED, None]
    rows[_ROUNDED] = np.rint(rows[_ROUNDED] / quanta) * quanta
    out = np.zeros((len(FIELDS), room), np.float32)
    out[:, : rows.shape[1]] = rows
    return out.reshape(-1)


def unpacked_groups(values: NDArray[Any], fields: Mapping[str, int], room: int) -> GroupFigures:
    """Return the figures of groups from one sample of a file.

    Parameters
    ----------
    fields
        Which row of `values` each figure is; one that is not there is zero.
    """
    rows = values.reshape(-1, room).astype(np.float64)
    none = np.zeros(room)
    return GroupFigures(*(rows[fields[name]] if name in fields else none for name in FIELDS))


def dies_to_bytes(dies: GpuTraits) -> bytes:
    """Encode the differences between GPUs, for a file."""
    head = {
        "gpus": len(dies.node),
        "models": [asdict(model) for model in dies.models],
        "idle_ghz": list(dies.idle_ghz),
    }
    text = json.dumps(head).encode()
    arrays = (
        dies.node.astype(np.int32),
        dies.index.astype(np.int32),
        dies.spread.astype(np.float64),
        dies.present.astype(np.uint8),
    )
    return len(text).to_bytes(4, "little") + text + b"".join(array.tobytes() for array in arrays)


def dies_from_bytes(data: bytes) -> GpuTraits:
    """Decode the output of `dies_to_bytes`.

    Raises
    ------
    RunFileError
        When it is something else.
    """
    try:
        size = 4 + int.from_bytes(data[:4], "little")
        head = strict_json(data[4:size])
        gpus = int(head["gpus"])
        if not 0 <= gpus <= _MAX_GPUS:
            raise ValueError("count out of range")
        arrays, begin = [], size
        for kind in (np.int32, np.int32, np.float64, np.uint8):
            arrays.append(np.frombuffer(data, kind, gpus, begin) if gpus else np.zeros(0, kind))
            begin += arrays[-1].nbytes
        node, index, spread, present = arrays
        if gpus and (node.min() < 0 or node.max() > _MAX_GPUS or not np.isfinite(spread).all()):
            raise ValueError("values out of range")
        models = tuple(GpuPowerModel(**{k: float(v) for k, v in model.items()}) for model in head["models"])
        idle_ghz = tuple(map(float, head["idle_ghz"]))
        if len(idle_ghz) != len(models):
            raise ValueError("models and clocks apart")
        return GpuTraits(
            node.astype(np.intp),
            index.astype(np.intp),
            spread.astype(np.float64),
            present.astype(bool),
            models,
            idle_ghz,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise RunFileError("its GPU data is damaged") from error
