"""Design rules of own parts: what they rest on, what cannot be true, whose profile they borrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from twin.catalog.figure import STATUSES
from twin.catalog.plausibility.checker import findings_of
from twin.language import tr
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.hardware_profile import profile_on
from twin.rules.finding import Found
from twin.rules.rule import Rule
from twin.rules.rule_context import RuleContext


def _standing(case: RuleContext) -> Iterator[Found]:
    """Yield each own part and model with how well its figures are known."""
    catalog = case.catalog
    for id in catalog.own_parts:
        counts = Counter[str](figure.status for figure in catalog.figures(id))
        words = ", ".join(f"{counts[status]} {tr(status)}" for status in STATUSES if counts[status])
        reason = tr("own part {part}, {place}: {words}", part=id, place=catalog.place(id), words=words)
        fix = tr("read what is not published at its source, and name that")
        yield Found(at=(), reason=reason, fix=fix)
    for name, model in catalog.own_models.items():
        reason = tr(
            "own model {name}, {place}: {status}, {source}",
            name=name,
            place=model.place,
            status=tr(model.status),
            source=model.source,
        )
        yield Found(at=(), reason=reason, fix=tr("compare it with what was published"))


def _impossible(case: RuleContext) -> Iterator[Found]:
    """Yield what of the figures of own parts cannot be true together, or is unusual."""
    for id in case.catalog.own_parts:
        for finding in findings_of(case.catalog.part(id), case.catalog):
            reason = tr(
                "own part {part}, {key}: {message}", part=id, key=finding.key, message=finding.message
            )
            fix = tr("compare {place} with the data sheet", place=case.catalog.place(id))
            yield Found(at=(), reason=reason, fix=fix)


def _borrowed(case: RuleContext) -> Iterator[Found]:
    """Yield GPUs and nodes that stand in the halls and that no profile was made for."""
    plant = case.plant
    present = plant.nodes.present & (plant.nodes.gpu_count > 0)
    for kind in sorted(set(plant.nodes.part[present].tolist())):
        node = case.catalog.node(plant.node_parts[kind])
        try:
            profile = profile_on(node.gpu, case.catalog, node.id)
        except ProfileError:
            continue  # said where a job needs one
        if profile.borrowed:
            fix = tr("name a profile, or give one's own as calibration, in the jobs that run there")
            yield Found(at=(), reason=profile.borrowed.rstrip("."), fix=fix)


RULES = (
    Rule(
        "own-part",
        tr("Own part or model"),
        "data",
        "notice",
        tr("How well the figures of own parts and models are known."),
        tr("the files beside the scene"),
        _standing,
    ),
    Rule(
        "own-part-figures",
        tr("Figures of an own part"),
        "data",
        "warning",
        tr("Whether figures of own parts can be true together, as `twin catalog check` has it."),
        tr("the checks of the catalogue"),
        _impossible,
    ),
    Rule(
        "borrowed-profile",
        tr("Borrowed calibration profile"),
        "data",
        "notice",
        tr("Own GPUs and nodes that no calibration profile was made for."),
        tr("the shipped profiles"),
        _borrowed,
    ),
)
