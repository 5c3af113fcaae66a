"""One colour for each account of a step and each part of a GPU's memory, the same in every chart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from twin.app.toolkit.theme import Theme
from twin.language import tr
from twin.physics.memory import MemoryParts
from twin.physics.training import StepParts
from twin.record.account_titles import ACCOUNT_TITLES, AccountTitle
from twin.shown_text import capitalised

_DARK = {
    "productive": "#4ea8ff",
    "exposed_tensor": "#ff8a5b",
    "exposed_pipeline": "#ffc857",
    "exposed_data": "#b08cff",
    "exposed_context": "#ff7ac6",
    "exposed_expert": "#e8505b",
    "pipeline_bubble": "#566580",
    "launch": "#38d0c8",
    "straggler": "#9fb0c8",
    "input_wait": "#c9a27c",
    "idle_no_load": "#3a4557",
    "queue": "#77839a",
    "restart_and_load": "#38d0c8",
    "idle_reserved": "#d6a2ff",
    "detection": "#ff7ac6",
    "lost_work": "#ff5470",
    "checkpoint_stall": "#ffc857",
    "thermal_throttle": "#ff8a5b",
    "not_held": "#566580",
    "weights": "#4ea8ff",
    "gradients": "#b08cff",
    "optimizer": "#ffc857",
    "activations": "#3ddc97",
    "cache": "#38d0c8",
    "working": "#ff8a5b",
}
_LIGHT = {
    "productive": "#2f7fe0",
    "exposed_tensor": "#e0682e",
    "exposed_pipeline": "#d99a00",
    "exposed_data": "#7d55dc",
    "exposed_context": "#d1489a",
    "exposed_expert": "#c22f3c",
    "pipeline_bubble": "#aab5c6",
    "launch": "#0fa39b",
    "straggler": "#7c8aa0",
    "input_wait": "#9a7347",
    "idle_no_load": "#ccd4e0",
    "queue": "#8a95a8",
    "restart_and_load": "#0fa39b",
    "idle_reserved": "#9a5fd0",
    "detection": "#d1489a",
    "lost_work": "#c81e45",
    "checkpoint_stall": "#d99a00",
    "thermal_throttle": "#e0682e",
    "not_held": "#aab5c6",
    "weights": "#2f7fe0",
    "gradients": "#7d55dc",
    "optimizer": "#d99a00",
    "activations": "#159a63",
    "cache": "#0fa39b",
    "working": "#e0682e",
}


def colour(theme: Theme, account: str) -> str:
    """Return the colour of an account or memory part, ``#rrggbb``."""
    return (_DARK if theme.is_dark else _LIGHT)[account]


@dataclass(frozen=True)
class AccountShare:
    """A part of a whole: which account, its name for people, how much, and what it means."""

    account: str
    title: str
    value: float
    hint: str


def share_of(account: str, named: AccountTitle, value: float) -> AccountShare:
    """Return a part with the short title and the meaning of an account, or of a group of them."""
    return AccountShare(account, capitalised(named.brief), value, capitalised(named.meaning))


_STEP: tuple[tuple[str, Callable[[StepParts], float]], ...] = (
    ("productive", lambda p: p.productive_s),
    ("exposed_tensor", lambda p: p.exposed_tensor_s),
    ("exposed_pipeline", lambda p: p.exposed_pipeline_s),
    ("exposed_data", lambda p: p.exposed_data_s),
    ("exposed_context", lambda p: p.exposed_context_s),
    ("exposed_expert", lambda p: p.exposed_expert_s),
    ("pipeline_bubble", lambda p: p.pipeline_bubble_s),
    ("launch", lambda p: p.launch_s),
    ("straggler", lambda p: p.straggler_s),
    ("idle_no_load", lambda p: p.idle_load_s),
)
"""Pieces of a step: accounts of the ledger, but for launches, which it counts as productive."""
_STEP_TITLES = ACCOUNT_TITLES | {
    "productive": AccountTitle(tr("compute"), tr("matrix products, attention, elementwise work, optimizer")),
    "launch": AccountTitle(tr("launch"), tr("kernel launches by the CPU, and the fixed time of a step")),
}
_MEMORY: tuple[tuple[str, str, str, Callable[[MemoryParts], float]], ...] = (
    ("weights", tr("Weights"), tr("Model weights, 16-bit"), lambda m: m.weights_bytes),
    ("gradients", tr("Gradients"), tr("One gradient for each weight"), lambda m: m.gradients_bytes),
    ("optimizer", tr("Optimizer"), tr("Moments and master copy, 32-bit"), lambda m: m.optimizer_bytes),
    (
        "activations",
        tr("Activations"),
        tr("Kept from the forward pass for the backward pass"),
        lambda m: m.activations_bytes,
    ),
    (
        "working",
        tr("Working"),
        tr("Gathered layers, gradients in transit, buffers; the fields of a simulation"),
        lambda m: m.working_bytes,
    ),
    ("cache", tr("Cache"), tr("KV cache of the requests in progress"), lambda m: m.cache_bytes),
)


def step_pieces(parts: StepParts) -> list[AccountShare]:
    """Return where the time of a step goes [s], what is nothing left out; the pieces sum to the step."""
    pieces = [share_of(account, _STEP_TITLES[account], value(parts)) for account, value in _STEP]
    return [piece for piece in pieces if piece.value > 0.0]


def memory_pieces(memory: MemoryParts) -> list[AccountShare]:
    """Return what fills the fullest GPU [B], what is nothing left out."""
    pieces = [AccountShare(account, title, value(memory), hint) for account, title, hint, value in _MEMORY]
    return [piece for piece in pieces if piece.value > 0.0]
