"""Step times of the workloads of a need, by GPU, number, precision and network: each worked out once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from twin.catalog import Catalog
from twin.designs.hall_part import HallPart
from twin.designs.need import LanguageWork, VisionWork, Work
from twin.designs.need_file import NeedFile
from twin.physics.checkpoint import checkpoint_bytes
from twin.physics.training import StepParts
from twin.physics.training_inputs import SoftwareStack, TrainingNetwork
from twin.planning.job.job_power import node_step_w
from twin.planning.job.llm import TOKEN_BYTES, default_stack
from twin.planning.job.vision import VisionJob, estimate_vision
from twin.planning.profile.models import presets_of
from twin.planning.search.search import Candidate, SearchLimits, filled_layers, search
from twin.scenario.checks.fabric_size import cards_of

MOST_COUNTS = 40
"""Numbers of GPUs that are looked at for each part, at most."""
EFFICIENT = 0.6
"""Share of the peak of its GPUs that no training exceeds, for the fewest of them to be looked at [-]."""
FASTEST = 8.0
"""The most GPUs looked at, over the fewest."""
TOO_SLOW, TOO_FAST = 1.3, 0.4
"""Times over deadlines, without failures, between which numbers of GPUs are candidates [-]."""


@dataclass(frozen=True)
class WorkStep:
    """One step of a workload on some GPUs.

    Attributes
    ----------
    step_s
        Its time without waiting for input [s].
    steps
        Of the whole workload.
    node_w
        Mean power of a node [W].
    input_bytes
        Read from storage in a step, by the epochs' mean [B].
    checkpoint_bytes
        Of one checkpoint [B].
    cut
        How it is cut; None: sample by sample.
    """

    step_s: float
    steps: float
    node_w: float
    input_bytes: float
    checkpoint_bytes: float
    cut: Candidate | None = None

    def slowed_s(self, read_bytes_s: float) -> float:
        """Return the time of a step that also waits for its input [s]."""
        return max(self.step_s, self.input_bytes / read_bytes_s) if self.input_bytes else self.step_s


class WorkTable:
    """Step times of a need.

    Parameters
    ----------
    file
        The need, with the models of its workloads.
    catalog
        Of the parts.
    """

    def __init__(self, file: NeedFile, catalog: Catalog) -> None:
        self.need, self.models, self.catalog = file.need, file.models, catalog
        self._presets = presets_of(catalog)
        self._known: dict[tuple[object, ...], WorkStep | None] = {}

    def step(self, place: int, part: HallPart, gpus: int, oversubscription: float) -> WorkStep | None:
        """Return the step of a workload on some GPUs, by the cut that is fastest; None where none fits.

        Uplinks that are too few slow what goes between nodes down in proportion, which is its worst case.
        """
        key = place, part.gpu, part.node.id, gpus, oversubscription
        if key not in self._known:
            work = self.need.workloads[place]
            made = self._language if isinstance(work, LanguageWork) else self._vision
            self._known[key] = made(place, part, gpus, self._network(part, oversubscription))
        return self._known[key]

    def _network(self, part: HallPart, oversubscription: float) -> TrainingNetwork:
        cards, bytes_s = cards_of(part.node, self.catalog)
        own = cards * bytes_s / part.node.n_gpu / part.profile.profile.scale_out_bytes_s
        factor = own / oversubscription if own else 1.0
        return TrainingNetwork(factor, factor, factor, factor, factor)

    def _language(self, place: int, part: HallPart, gpus: int, network: TrainingNetwork) -> WorkStep | None:
        work, model = self.need.workloads[place], self.models[place]
        assert isinstance(work, LanguageWork)
        assert model is not None
        found = search(
            model,
            gpus,
            work.global_batch,
            part.profile,
            stack=self.stack(work, part),
            gpu_bytes=self.catalog.gpu(part.gpu).memory_bytes,
            limits=SearchLimits(top=1, domain_gpus=part.domain_gpus),
            network=network,
        )
        if not found.best:
            return None
        best = found.best[0]
        return WorkStep(
            best.step_s,
            work.tokens / (work.global_batch * model.seq),
            self._node_w(part, best.parts, gpus, work.precision != "bf16"),
            float(TOKEN_BYTES * model.seq * work.global_batch),
            checkpoint_bytes(model.parameters),
            best,
        )

    def stack(self, work: LanguageWork, part: HallPart) -> SoftwareStack:
        """Return what the software of a workload does on a part."""
        return (
            default_stack(part.profile, self._presets[work.model], work.precision)
            if work.model
            else replace(part.profile.stack, precision=work.precision, deferred_head=False)
        )

    def _vision(self, place: int, part: HallPart, gpus: int, network: TrainingNetwork) -> WorkStep | None:
        work = self.need.workloads[place]
        assert isinstance(work, VisionWork)
        estimate = estimate_vision(
            VisionJob(
                gpus,
                part.profile.name,
                work.sample_flop,
                work.sample_bytes,
                work.parameters,
                work.batch_per_gpu,
                work.efficiency,
                gpu_bytes=self.catalog.gpu(part.gpu).memory_bytes,
                network=network,
            )
        )
        if not estimate.fits:
            return None
        size = self.need.data_bytes
        samples = work.epochs * size / work.sample_bytes
        nodes = gpus / part.node.n_gpu
        cached = min(1.0, work.node_cache_bytes * nodes / size)
        first = min(1.0, 1.0 / work.epochs)
        from_store = first + (1.0 - first) * (1.0 - cached)
        return WorkStep(
            estimate.step_s,
            samples / estimate.work_per_step,
            self._node_w(part, estimate.parts, gpus, False),
            estimate.input_bytes * from_store,
            checkpoint_bytes(work.parameters),
        )

    def _node_w(self, part: HallPart, parts: StepParts, gpus: int, fp8: bool) -> float:
        return node_step_w(part.node, self.catalog.gpu(part.gpu), parts, gpus, fp8=fp8)

    def counts(self, part: HallPart) -> tuple[int, ...]:
        """Return the numbers of GPUs of a part that are candidates, rising: each faster than all below.

        They are whole nodes on which every language model can be cut, near the deadlines; where none keeps them, the
        fastest.
        """
        each = part.node.n_gpu
        deadlines = [place for place, work in enumerate(self.need.workloads) if work.deadline_s is not None]
        least = max(each, *(self._least(place, part) for place in deadlines), each)
        cuttable = self._cuttable(part, int(least * FASTEST) + each)
        ordered = sorted(gpus for gpus in cuttable if gpus % each == 0 and gpus >= least)
        if len(ordered) > MOST_COUNTS:
            places = (round((len(ordered) - 1) * i / (MOST_COUNTS - 1)) for i in range(MOST_COUNTS))
            ordered = [ordered[place] for place in dict.fromkeys(places)]
        found: dict[int, float] = {}
        for gpus in ordered:
            share = max((self._share(place, part, gpus) for place in deadlines), default=1.0)
            if share < min(found.values(), default=math.inf):
                found[gpus] = share
            if share < TOO_FAST:
                break
        near = tuple(gpus for gpus, share in found.items() if share <= TOO_SLOW)
        return near or tuple(found)[-1:]

    def _share(self, place: int, part: HallPart, gpus: int) -> float:
        """Return the time of a workload without failures over its deadline; inf where it does not fit."""
        step, work = self.step(place, part, gpus, 1.0), self.need.workloads[place]
        assert work.deadline_s is not None
        return math.inf if step is None else step.steps * step.step_s / work.deadline_s

    def _least(self, place: int, part: HallPart) -> int:
        """Return the GPUs below which a deadline is out of reach, by what one of them does at best."""
        work, model = self.need.workloads[place], self.models[place]
        assert work.deadline_s is not None
        profile = part.profile.profile
        if isinstance(work, LanguageWork):
            assert model is not None
            flop_s = EFFICIENT * profile.peak(work.precision)
            flop = 6.0 * model.active_parameters * work.tokens
        else:
            flop_s = profile.peak_flops_s * work.efficiency
            flop = work.epochs * self.need.data_bytes / work.sample_bytes * work.sample_flop
        return math.ceil(flop / flop_s / work.deadline_s)

    def _cuttable(self, part: HallPart, most: int) -> set[int]:
        """Return the numbers of GPUs up to `most` at which every language model can be cut."""
        each = part.node.n_gpu
        sets = []
        for work, model in zip(self.need.workloads, self.models, strict=True):
            if isinstance(work, LanguageWork) and model is not None:
                sets.append(cuttable_counts(work, model.layers, model.seq, part.domain_gpus, most))
        if not sets:
            top = max(most, each)
            step = max(each, each * round(top / each / 64))
            return set(range(each, top + 1, step))
        return set.intersection(*sets)


def cuttable_counts(work: LanguageWork, layers: float, sequence: int, domain: int, most: int) -> set[int]:
    """Return products of tensor, pipeline, context and data degrees up to `most`."""
    tensors = [tp for tp in (1, 2, 4, 8, 16, 32, 64) if tp <= domain]
    pipelines = [pp for pp in range(1, int(layers) + 1) if filled_layers(layers, pp)]
    contexts = [cp for cp in (1, 2, 4, 8, 16) if sequence % (2 * cp) == 0]
    datas = [dp for dp in range(1, min(most, work.global_batch) + 1) if work.global_batch % dp == 0]
    cuts = {tp * pp * cp for tp in tensors for pp in pipelines for cp in contexts}
    return {cut * dp for cut in cuts for dp in datas if cut * dp <= most}


def work_time_s(step: WorkStep, read_bytes_s: float) -> float:
    """Return how long a workload takes without failures [s]."""
    return step.steps * step.slowed_s(read_bytes_s)


def stage_of(work: Work, gpus: tuple[int, ...]) -> int:
    """Return the GPUs of the stage that must manage a workload."""
    return gpus[0] if work.stage == "first" else gpus[-1]
