"""Memory of one GPU in training, by part.

What a layer saves for its backward pass is counted tensor by tensor as Korthikanti et al. do for GPT, in bytes
for each of the s b h elements of the residual stream (16-bit tensors 2, dropout masks 1). d is the width of all
query heads, e of all key and value heads together, both relative to h; f the inner width relative to h:

=============================  ==========================  =====================  ==============
tensor                         bytes                       GPT (d 1, e 2, f 4)    tensor group
=============================  ==========================  =====================  ==============
inputs of the two norms        4                           4                      repeated
inputs of QKV and of the FFN   4                           4                      repeated
masks of two dropouts          2, gated models 0           2                      repeated
queries                        2 d                         2                      split
keys and values                2 e                         4                      split
input of output projection     2 d                         2                      split
FFN before and after GeLU      4 f                         16                     split
FFN gate, up, and product      6 f (gated)                 -                      split
=============================  ==========================  =====================  ==============

GPT: 10 + 24 / t. Gated models (Llama and after) are trained without dropout; Llama 3 70B: 8 + 25.5 / t.
Sequence parallelism splits the repeated ones too. Unfused attention adds its scores, 5 a s / h.

References
----------
Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", arXiv 2205.05198, section 4.
Rajbhandari et al., "ZeRO", arXiv 1910.02054 (what each stage shards).
"""

from __future__ import annotations

from dataclasses import dataclass

from twin.physics.experts import dispatch_bytes, routed_copies
from twin.physics.sharding import WEIGHT_BYTES, Replicated, replicated_weights
from twin.physics.training_inputs import Model, Parallel, SoftwareStack

__all__ = [
    "OPTIMIZER_BYTES",
    "WEIGHT_BYTES",
    "MemoryParts",
    "layer_activation_bytes",
    "layers_in_flight",
    "mean_state_bytes",
    "memory_per_gpu",
]

OPTIMIZER_BYTES = 12


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """Bytes on the fullest GPU of a job.

    Attributes
    ----------
    weights_bytes, gradients_bytes, optimizer_bytes, activations_bytes
        Model weights, gradients, optimizer state with its master copy, saved activations [B].
    working_bytes
        Gathered layers and gradients on their way to their shard, buffers of the exchange between experts [B].
    cache_bytes
        Keys and values of requests and answers that are being written [B].
    """

    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float
    working_bytes: float = 0.0
    cache_bytes: float = 0.0

    @property
    def total_bytes(self) -> float:
        """All parts [B]."""
        return (
            self.weights_bytes
            + self.gradients_bytes
            + self.optimizer_bytes
            + self.activations_bytes
            + self.working_bytes
            + self.cache_bytes
        )


def memory_per_gpu(model: Model, parallel: Parallel, stack: SoftwareStack) -> MemoryParts:
    """Return the memory of a GPU of the first pipeline stage, which holds most, by part [B]."""
    weights = gradients = optimizer = working = 0.0
    for part in replicated_weights(model, parallel, 1):
        held = part.weights
        weights += WEIGHT_BYTES * held / (part.ranks if stack.sharding == "weights" else 1)
        gradients += stack.grad_bytes * held / (part.ranks if stack.sharding in _SHARDS_GRADIENTS else 1)
        optimizer += OPTIMIZER_BYTES * held / (part.ranks if stack.sharding != "none" else 1)
        working += _gathered_bytes(part, stack)
    return MemoryParts(
        weights_bytes=weights,
        gradients_bytes=gradients,
        optimizer_bytes=optimizer,
        activations_bytes=layer_activation_bytes(model, parallel, stack) * layers_in_flight(model, parallel),
        working_bytes=working + _exchange_bytes(model, parallel, stack),
    )


def mean_state_bytes(model: Model, parallel: Parallel, stack: SoftwareStack) -> float:
    """Return weights, gradients and unsharded optimizer state of a mean GPU [B], embedding spread evenly.

    This is how published figures count; the heaviest stage of `memory_per_gpu` is up to 8 % higher.
    """
    plain = model.blocks * model.plain_layer_parameters + model.vocab * model.hidden
    experts = model.blocks * model.expert_layer_parameters / (parallel.expert_tp * parallel.ep)
    weights = (plain / parallel.tp + experts) / parallel.pp
    return (WEIGHT_BYTES + stack.grad_bytes + OPTIMIZER_BYTES) * weights


def layer_activation_bytes(model: Model, parallel: Parallel, stack: SoftwareStack) -> float:
    """Return the bytes one layer saves for the backward pass of one microbatch [B]; the mean where layers differ."""
    t = parallel.tp
    sbh = model.seq / parallel.cp * parallel.microbatch * model.hidden
    again = stack.recompute_share if stack.recompute == "full" else 0.0
    inputs = again * 2 * sbh / (t if stack.seq_parallel else 1)
    if again == 1.0:
        return inputs
    keeps_scores = stack.recompute == "none" and not stack.flash
    scores = 5 * model.heads * model.seq / model.hidden if keeps_scores else 0.0
    repeated, split = _repeated(model), _split(model, parallel, stack)
    if stack.seq_parallel:
        return inputs + (1.0 - again) * sbh * (repeated + split + scores) / t
    return inputs + (1.0 - again) * sbh * (repeated + split / t + scores / t)


def layers_in_flight(model: Model, parallel: Parallel) -> float:
    """Return the layers whose activations the first stage holds at once (interleaved 1F1B)."""
    p, v = parallel.pp, parallel.vp
    scheduled = model.blocks if v == 1 else model.blocks * (1 + (p - 1) / (p * v))
    # No schedule holds more than all microbatches of the step.
    return min(scheduled, model.blocks / p * parallel.microbatches)


_SHARDS_GRADIENTS = ("gradients", "weights")


def _repeated(model: Model) -> float:
    """Bytes for each element of the residual stream that every GPU of the tensor group saves."""
    norms_and_inputs, dropout_masks = 8.0, 0.0 if model.gated else 2.0
    if model.latent is None:
        return norms_and_inputs + dropout_masks
    compressed = model.latent.query_rank + model.latent.kv_rank + model.latent.head_rotary
    return norms_and_inputs + dropout_masks + 2 * compressed / model.hidden


def _split(model: Model, parallel: Parallel, stack: SoftwareStack) -> float:
    """Bytes for each element of the residual stream that the tensor group shares out."""
    h = model.hidden
    queries: float = model.query_width if model.latent is None else model.heads * model.latent.head_key
    outputs: float = model.query_width if model.latent is None else model.heads * model.latent.head_value
    attention = model.attention_share * (2 * queries / h + 2 * model.key_value_width / h + 2 * outputs / h)
    if model.state_space is not None:
        # Projected inputs before and after the convolution, and the output before its gate and after.
        of_layer = 2 * model.state_space.projected + 6 * model.state_space.width
        attention += model.state_space_share * of_layer / h
    inner = 6 if model.gated else 4
    if model.experts is None:
        return attention + model.feed_forward_share * inner * model.ffn / h
    experts, share = model.experts, model.expert_share
    # Each expert saves its own copy of the tokens that came to it, and what it gives back.
    x = parallel.microbatch * model.seq / parallel.cp
    copies = routed_copies(x, experts, parallel, stack) * (parallel.tp if stack.seq_parallel else 1) / x
    routed = copies * (4 + inner * experts.ffn / h) + experts.shared * inner * experts.ffn / h
    return attention + model.dense_share * inner * model.ffn / h + share * routed


def _gathered_bytes(part: Replicated, stack: SoftwareStack) -> float:
    """Whole weights of the layer at work and the next one, whole gradients of one layer [B]."""
    if part.ranks == 1 or stack.sharding not in _SHARDS_GRADIENTS:
        return 0.0
    largest = max(part.layer, part.embedding)
    gathered = stack.grad_bytes * largest
    if stack.sharding == "weights":
        gathered += WEIGHT_BYTES * (largest + (part.layer if stack.dp_overlap else 0.0))
    return gathered


def _exchange_bytes(model: Model, parallel: Parallel, stack: SoftwareStack) -> float:
    """Send and receive buffer of the exchange between experts [B]."""
    if model.experts is None or parallel.ep == 1:
        return 0.0
    x = parallel.microbatch * model.seq / parallel.cp
    return 2 * dispatch_bytes(x, model, model.experts, parallel, stack)
