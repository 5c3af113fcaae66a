"""Time of a served language model: prefill, decode, and the effect of the load of requests.

Prefill reads all tokens of a prompt at once and is bound by arithmetic; decode writes one token of each running
request at a time and is bound by memory: it reads all weights, and the kept keys and values of each request.
Requests come and go independently (continuous batching), so the number in decode is Poisson about its mean.

Valid for one replica inside one scale-up domain (tensor parallel), uniform lengths, paged keys and values. Layers with
a sliding window keep, and read, the keys and values of its tokens alone.
Held against the published TensorRT-LLM 0.6.1 tables (H100 FP8, A100 FP16) in tests/physics/test_serving.py.

References
----------
Pope et al., "Efficiently Scaling Transformer Inference", arXiv 2211.05102 (roofline of decode).
Yu et al., "Orca", OSDI'22 (continuous batching); Kwon et al., "PagedAttention", arXiv 2309.06180.
Little, "A proof for the queuing formula L = lambda W", 1961; Pollaczek-Khinchine for the wait before prefill.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.physics.collectives import collective_time_s
from twin.physics.gemm import memory_rate, product_rate
from twin.physics.training_inputs import FULL_NETWORK, Model, Precision, Profile, TrainingNetwork

ELEMENT_BYTES: dict[Precision, int] = {"bf16": 2, "fp8": 1}
CAUSAL_SHARE = 0.5
ROOT_STEPS, ROOT_SHARE = 40, 1e-9
ITERATION_S = 1.0e-3
"""Scheduling, sampling and launch around one pass through the model [s]; estimated, CUDA graphs in use."""

SMALL_REDUCE_S = 10e-6
"""Latency of a fused one-shot all-reduce inside a domain [s]; estimated, half of what NCCL takes."""


@dataclass(frozen=True, slots=True)
class ServingReplica:
    """One copy of a model that answers by itself.

    Attributes
    ----------
    model
        Shapes; `seq` is not used.
    profile
        Fitted numbers of the hardware.
    tensor
        GPUs that share it.
    precision, cache_precision
        Of weights and big products, and of the kept keys and values.
    network
        What the fabric gives tensor parallelism that leaves a domain.
    """

    model: Model
    profile: Profile
    tensor: int = 1
    precision: Precision = "bf16"
    cache_precision: Precision = "bf16"
    network: TrainingNetwork = FULL_NETWORK

    @property
    def weight_bytes(self) -> float:
        """Weights of the whole replica in memory [B]."""
        return ELEMENT_BYTES[self.precision] * self.model.parameters

    @property
    def cache_token_bytes(self) -> float:
        """Keys and values kept of one token, over all layers [B]; latent attention keeps one small vector."""
        model = self.model
        width = model.key_value_width
        if model.latent is not None:
            width = model.latent.kv_rank + model.latent.head_rotary
        return ELEMENT_BYTES[self.cache_precision] * model.layers * model.attention_share * width

    def cache_request_bytes(self, context: float) -> float:
        """Return what a request of `context` tokens keeps on each GPU [B]; layers with a window keep no more than that.

        Parameters
        ----------
        context
            Tokens of the prompt and of the answer so far.
        """
        return self.cache_token_bytes * self.model.kept(context) / self.cache_shards

    @property
    def cache_shards(self) -> int:
        """GPUs over which keys and values are spread; beyond the number of key-value heads they are copies."""
        return 1 if self.model.latent is not None else min(self.tensor, self.model.kv_heads)

    @property
    def token_flop(self) -> float:
        """FLOP of one token through all weights, without attention to others: twice the weights it sees."""
        model = self.model
        return 2 * (
            model.layers * (model.active_layer_parameters - 4 * model.hidden) + model.vocab * model.hidden
        )


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass through the model on each GPU of a replica.

    Attributes
    ----------
    gemm_s, memory_s, communication_s, launch_s
        Bound by arithmetic, by memory traffic, exchanging partial sums, and around it [s].
    flop, hbm_bytes
        Arithmetic and memory traffic of all GPUs of the replica [FLOP], [B].
    """

    gemm_s: float
    memory_s: float
    communication_s: float
    launch_s: float
    flop: float
    hbm_bytes: float

    @property
    def total_s(self) -> float:
        """Time of the pass [s]."""
        return self.gemm_s + self.memory_s + self.communication_s + self.launch_s

    def times(self, count: float) -> Pass:
        """Return `count` such passes, one after the other."""
        return Pass(
            gemm_s=count * self.gemm_s,
            memory_s=count * self.memory_s,
            communication_s=count * self.communication_s,
            launch_s=count * self.launch_s,
            flop=count * self.flop,
            hbm_bytes=count * self.hbm_bytes,
        )

    def then(self, following: Pass) -> Pass:
        """Return this and another pass, one after the other."""
        return Pass(
            gemm_s=self.gemm_s + following.gemm_s,
            memory_s=self.memory_s + following.memory_s,
            communication_s=self.communication_s + following.communication_s,
            launch_s=self.launch_s + following.launch_s,
            flop=self.flop + following.flop,
            hbm_bytes=self.hbm_bytes + following.hbm_bytes,
        )


def batch_limit(free_bytes: float, replica: ServingReplica, context: float) -> int:
    """Return how many requests of `context` tokens keep their keys and values in `free_bytes` of each GPU."""
    return max(0, math.floor(free_bytes / replica.cache_request_bytes(context)))


def prefill(replica: ServingReplica, tokens: float, requests: float = 1.0) -> Pass:
    """Return the pass that reads prompts and yields the first token of each.

    Parameters
    ----------
    replica
        Model and hardware.
    tokens
        Of one prompt.
    requests
        Prompts read together.
    """
    model = replica.model
    seen = tokens if model.window is None else model.window.seen(tokens)
    score_flop = (
        CAUSAL_SHARE * 4 * requests * tokens * seen * model.attention_width * model.layers
    ) * model.attention_share
    kept_bytes = requests * tokens * replica.cache_token_bytes
    return _pass(replica, requests * tokens, requests, score_flop, kept_bytes)


def decode(replica: ServingReplica, batch: float, context: float) -> Pass:
    """Return the pass that writes one token of each of `batch` requests with `context` tokens before it."""
    model = replica.model
    width = model.attention_width
    if (
        model.latent is not None
    ):  # queries are taken into the latent space, keys and values never come out of it
        width = model.heads * (model.latent.kv_rank + model.latent.head_rotary / 2)
    kept = model.kept(context)
    score_flop = 4 * batch * kept * width * model.layers * model.attention_share
    return _pass(replica, batch, batch, score_flop, batch * kept * replica.cache_token_bytes)


def _pass(
    replica: ServingReplica, rows: float, heads_rows: float, score_flop: float, cache_bytes: float
) -> Pass:
    """Return a pass of `rows` tokens, `heads_rows` of which reach the output head."""
    model, profile, t = replica.model, replica.profile, replica.tensor
    rate, memory = product_rate(profile, replica.precision), memory_rate(profile)
    parts = [(model.layers, product) for product in _layer_products(replica, rows)]
    head = model.vocab * model.hidden
    parts.append((1.0, (2 * heads_rows * head, ELEMENT_BYTES[replica.precision] * head)))
    gemm_s = memory_s = flop = traffic = 0.0
    for count, (work, moved) in parts:
        arithmetic_s = work / t * (1.0 + math.sqrt(profile.gemm_ramp_flop * t / work)) / rate
        moved_s = moved / t / memory
        gemm_s += count * arithmetic_s if arithmetic_s >= moved_s else 0.0
        memory_s += count * moved_s if moved_s > arithmetic_s else 0.0
        flop += count * work
        traffic += count * moved
    score_s = score_flop / t / (profile.peak_flops_s * profile.attention_efficiency)
    cache_s = cache_bytes / replica.cache_shards / memory
    gemm_s += score_s if score_s >= cache_s else 0.0
    memory_s += cache_s if cache_s > score_s else 0.0
    moved = rows * (22 * model.hidden + 4 * model.ffn) * model.layers
    memory_s += moved / t / memory
    return Pass(
        gemm_s=gemm_s,
        memory_s=memory_s,
        communication_s=2 * model.layers * _reduce_s(replica, 2 * rows * model.hidden),
        launch_s=ITERATION_S,
        flop=flop + score_flop,
        hbm_bytes=traffic + cache_bytes * t / replica.cache_shards + moved,
    )


def _layer_products(replica: ServingReplica, rows: float) -> list[tuple[float, float]]:
    """Return FLOP and memory traffic of the products of a mean layer: attention, and feed-forward or experts."""
    model, element = replica.model, ELEMENT_BYTES[replica.precision]
    attention = model.attention_share * model.attention_parameters
    rest = model.plain_layer_parameters - attention - 4 * model.hidden
    found = [
        (2 * rows * weights_of, element * weights_of + 4 * rows * model.hidden)
        for weights_of in (attention, rest)
        if weights_of > 0
    ]
    experts = model.experts
    if experts is not None:
        weights = model.expert_layer_parameters
        touched = 1.0 - (1.0 - experts.per_token / experts.count) ** rows
        found.append((2 * rows * weights * experts.per_token / experts.count, element * weights * touched))
    return found


def _reduce_s(replica: ServingReplica, size_bytes: float) -> float:
    """Return the time of one all-reduce of partial sums over the replica [s]: one shot when small."""
    t, profile = replica.tensor, replica.profile
    if t == 1:
        return 0.0
    links = profile.links_over(replica.network.tensor, replica.network.hop_extra_s)
    whole_s = collective_time_s("all_reduce", size_bytes, t, min(t, profile.domain_gpus), links)
    if t > profile.domain_gpus:
        return whole_s
    return min(whole_s, SMALL_REDUCE_S + (t - 1) * size_bytes / links.inside_bytes_s(t))


@dataclass(frozen=True, slots=True)
class Serving:
    """A replica under a load of requests.

    Attributes
    ----------
    batch, batch_limit
        Requests in decode in the mean, and at most.
    first_token_s, token_s
        From arrival to the first token, and between further ones [s].
    capacity_s
        Requests that the replica could answer at its batch limit [1/s].
    utilisation
        Offered load over capacity; above 1 the queue grows for ever.
    busy
        Share of the time in which anything runs, 0..1.
    full, now
        What the arrivals of a second take at the batch limit, and how each second is really spent.
    """

    batch: float
    batch_limit: int
    first_token_s: float
    token_s: float
    capacity_s: float
    utilisation: float
    busy: float
    full: Pass
    now: Pass


def serve(replica: ServingReplica, arrivals_s: float, prompt: float, output: float, limit: int) -> Serving:
    """Return how a replica answers a steady load.

    A request in decode has on average half its answer behind it. Prefill goes first and stretches decode by
    1 / (1 - its share). With mean batch b (Little), the replica is empty for exp(-b) of the time.

    Parameters
    ----------
    replica
        Model and hardware.
    arrivals_s
        Requests that it is offered [1/s], Poisson.
    prompt, output
        Mean lengths [tokens]; the first token of an answer comes from the prefill.
    limit
        Requests in decode at most; at least 1.
    """
    context, steps = prompt + output / 2, max(0.0, output - 1.0)
    read, crowded = prefill(replica, prompt), decode(replica, limit, context)
    slot_s = read.total_s + steps * crowded.total_s / limit
    utilisation = arrivals_s * slot_s
    served_s = arrivals_s / max(1.0, utilisation)
    reading = served_s * read.total_s
    batch, together, empty = float(limit), float(limit), 0.0
    if utilisation < 1.0:
        batch = _settled_batch(replica, arrivals_s * steps / (1.0 - reading), context, limit)
        together, empty = _together(batch, limit), math.exp(-batch)
    written = decode(replica, together, context)
    # The queue before prefill has constant service time; what runs when a request comes must end first.
    queue_s = reading / (1.0 - reading) * read.total_s / 2 if utilisation < 1.0 else 0.0
    return Serving(
        batch=batch,
        batch_limit=limit,
        first_token_s=read.total_s + queue_s + (1.0 - empty) * written.total_s / 2,
        token_s=written.total_s / (1.0 - reading) if steps else 0.0,
        capacity_s=1.0 / slot_s,
        utilisation=utilisation,
        busy=reading + (1.0 - reading) * (1.0 - empty),
        full=read.times(arrivals_s).then(crowded.times(arrivals_s * steps / limit)),
        now=read.times(served_s).then(written.times(served_s * steps / together)),
    )


def _together(batch: float, limit: int) -> float:
    """Return the mean number in decode while there are any; Poisson, so never below one."""
    return min(float(limit), batch / -math.expm1(-batch)) if batch > 0 else 1.0


def _settled_batch(replica: ServingReplica, tokens_s: float, context: float, limit: int) -> float:
    """Return the mean number of requests in decode that writes `tokens_s` tokens in a second (Illinois rule)."""

    def missing(batch: float) -> float:
        return tokens_s * decode(replica, _together(batch, limit), context).total_s - batch

    low, high = 0.0, float(limit)
    short, over = missing(low), missing(high)
    if over >= 0:
        return high
    for _ in range(ROOT_STEPS):
        middle = high - over * (high - low) / (over - short)
        found = missing(middle)
        if abs(found) <= ROOT_SHARE * middle:
            return middle
        if found * over < 0:
            low, short = high, over
        else:
            short /= 2
        high, over = middle, found
    return middle
