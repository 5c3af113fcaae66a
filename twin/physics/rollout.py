"""Reinforcement learning of a language model: answers are generated, scored, learnt from, and weights sent back.

Generation is decode as in serving, with as many requests at once as keys and values fit. Answers differ in length:
while the last of them is written the batch is nearly empty, and everybody waits. With a mean of O tokens, the
longest answer of `longest` times that, and n answers of a replica of which B run at once,

    time = O max(1, n/B) D(min(n, B)) + (longest - 1) O D(1)

which is exact for n <= B where a decode pass takes a + k b (weights, then keys and values of each request).

The longest-to-mean ratio is the user's: it depends on the task (estimated 2 to 4 for reasoning).

References
----------
Sheng et al., "HybridFlow: A Flexible and Efficient RLHF Framework", arXiv 2409.19256 (phases, resharding).
Hu et al., "OpenRLHF", arXiv 2405.11143 (generation as the dominant phase).
"""

from __future__ import annotations

from dataclasses import dataclass

from twin.physics.collectives import collective_time_s
from twin.physics.serving import Pass, ServingReplica, decode, prefill
from twin.physics.training_inputs import Profile, TrainingNetwork

SYNC_BYTES = 2
"""Of one weight on its way to the generating copies: 16 bit."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """Generation of the answers of one step on one replica.

    Attributes
    ----------
    prefill, decode
        All passes over prompts, and all over answers while the batch is full.
    tail_s
        While only the longest answers are still being written [s].
    batch
        Answers written at once.
    flop, hbm_bytes
        Arithmetic and memory traffic of the replica [FLOP], [B].
    """

    prefill: Pass
    decode: Pass
    tail_s: float
    batch: float
    flop: float
    hbm_bytes: float

    @property
    def total_s(self) -> float:
        """Time of the phase [s]."""
        return self.prefill.total_s + self.decode.total_s + self.tail_s


def rollout(
    replica: ServingReplica,
    prompts: float,
    samples: int,
    prompt: float,
    output: float,
    longest: float,
    limit: int,
) -> Rollout:
    """Return the generation phase of one replica.

    Parameters
    ----------
    replica
        Model and hardware.
    prompts, samples
        Prompts of this replica, and answers to each; a prompt is read once for all of its answers.
    prompt, output
        Mean lengths [tokens].
    longest
        Longest answer over the mean, from 1.
    limit
        Answers written at once at most; at least 1.
    """
    answers = prompts * samples
    batch = min(answers, float(limit))
    context = prompt + output / 2
    full, alone = decode(replica, batch, context), decode(replica, 1.0, prompt + longest * output)
    passes = output * max(1.0, answers / limit)
    last = (longest - 1.0) * output
    read = prefill(replica, prompt).times(prompts)
    written = full.times(passes)
    return Rollout(
        prefill=read,
        decode=written,
        tail_s=last * alone.total_s,
        batch=batch,
        flop=read.flop + written.flop,
        hbm_bytes=read.hbm_bytes + written.hbm_bytes + last * alone.hbm_bytes,
    )


def weight_sync_s(parameters: float, gpus: int, profile: Profile, network: TrainingNetwork) -> float:
    """Return the time to give every domain a fresh copy of the weights [s].

    Each domain receives one copy through all of its network cards and spreads it inside, as an all-gather does.

    Parameters
    ----------
    parameters
        Weights of the model.
    gpus
        That hold or receive a part of them.
    profile, network
        Hardware, and what the fabric gives the job.
    """
    if gpus <= 1:
        return 0.0
    links = profile.links_over(network.data, network.hop_extra_s)
    size = SYNC_BYTES * parameters
    return collective_time_s("all_gather", size, gpus, min(gpus, profile.domain_gpus), links)
