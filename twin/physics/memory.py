"""Memory of one GPU in training, by part.

References
----------
Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", arXiv 2205.05198.
"""

from __future__ import annotations

from dataclasses import dataclass

from twin.physics.training import rank_weights
from twin.physics.training_inputs import Model, Parallel, Stack

WEIGHT_BYTES = 2
OPTIMIZER_BYTES = 12


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """Bytes on the fullest GPU of a job.

    Attributes
    ----------
    weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes
        Model weights, gradients, optimizer state with its master copy, saved activations [B].
    """

    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float

    @property
    def total_bytes(self) -> float:
        """All parts [B]."""
        return self.weights_bytes + self.gradients_bytes + self.optimizer_bytes + self.activations_bytes


def memory_per_gpu(model: Model, parallel: Parallel, stack: Stack) -> MemoryParts:
    """Return the memory of a GPU of the first pipeline stage, which holds most, by part [B]."""
    weights = rank_weights(model, parallel)
    shards = parallel.dp * parallel.cp if stack.sharding != "none" else 1
    return MemoryParts(
        weights_bytes=WEIGHT_BYTES * weights,
        gradients_bytes=stack.grad_bytes * weights,
        optimizer_bytes=OPTIMIZER_BYTES * weights / shards,
        activations_bytes=layer_activation_bytes(model, parallel, stack) * layers_in_flight(model, parallel),
    )


def mean_state_bytes(model: Model, parallel: Parallel, stack: Stack) -> float:
    """Return weights, gradients and unsharded optimizer state of a mean GPU [B], embedding spread evenly.

    This is how published figures count; the heaviest stage of `memory_per_gpu` is up to 8 % higher.
    """
    weights = model.layers * model.layer_parameters + model.vocab * model.hidden
    return (WEIGHT_BYTES + stack.grad_bytes + OPTIMIZER_BYTES) * weights / (parallel.tp * parallel.pp)


def layer_activation_bytes(model: Model, parallel: Parallel, stack: Stack) -> float:
    """Return what one layer saves for the backward pass of one microbatch [B]."""
    t = parallel.tp
    sbh = model.seq / parallel.cp * parallel.microbatch * model.hidden
    if stack.recompute == "full":
        return 2 * sbh / (t if stack.seq_parallel else 1)
    keeps_scores = stack.recompute == "none" and not stack.flash
    scores = 5 * model.heads * model.seq / model.hidden if keeps_scores else 0.0
    if stack.seq_parallel:
        return sbh * (34 + scores) / t
    return sbh * (10 + 24 / t + scores / t)


def layers_in_flight(model: Model, parallel: Parallel) -> float:
    """Return the layers whose activations the first stage holds at once (interleaved 1F1B)."""
    p, v = parallel.pp, parallel.vp
    scheduled = model.layers if v == 1 else model.layers * (1 + (p - 1) / (p * v))
    # No schedule holds more than all microbatches of the step.
    return min(scheduled, model.layers / p * parallel.microbatches)
