"""Description of a training software for people."""

from __future__ import annotations

from twin.physics.training_inputs import Sharding, SoftwareStack

_SHARED: dict[Sharding, str] = {
    "none": "nothing sharded",
    "optimizer": "optimizer sharded",
    "gradients": "gradients sharded",
    "weights": "weights sharded",
}
_OVERLAPS = (("tensor", "tp_overlap"), ("data", "dp_overlap"), ("pipeline", "p2p_overlap"))


def _attention(stack: SoftwareStack) -> str:
    if not stack.flash:
        return "unfused attention"
    if stack.flash2:
        return "FlashAttention-2"
    return "fused attention in 8 bits" if stack.attention8 else "fused attention"


def stack_words(stack: SoftwareStack, *, recompute: bool = True) -> str:
    """Return the features of the software, as one line.

    Parameters
    ----------
    stack
        Of a profile, or of a plan.
    recompute
        Whether to say how activations are recomputed; not where a search chooses it.

    Examples
    --------
    >>> stack_words(Stack(recompute="full", seq_parallel=False, flash=False, sharding="none", tp_overlap=False,
    ...     dp_overlap=False, p2p_overlap=False))[:75]
    'full recompute, unfused attention, no sequence parallelism, no overlap, not'
    """
    overlaps = [name for name, key in _OVERLAPS if getattr(stack, key)]
    if len(overlaps) == len(_OVERLAPS):
        overlap = "all traffic overlapped"
    else:
        overlap = f"{' and '.join(overlaps)} traffic overlapped" if overlaps else "no overlap"
    words = [f"{'no' if stack.recompute == 'none' else stack.recompute} recompute"] if recompute else []
    words += [
        _attention(stack),
        *(() if stack.compiled else ("eager kernels",)),
        "sequence parallelism" if stack.seq_parallel else "no sequence parallelism",
        overlap,
        _SHARED[stack.sharding],
        f"{stack.grad_bytes}-byte gradients",
    ]
    return ", ".join(words)
