"""A design rule of your own: hold a scene against what your house has agreed on, beside the rules that are shipped."""

from collections.abc import Iterator

import twin

LONGEST_S = 15 * 60.0
MOST_NODES = 3


def rare_checkpoints(case: twin.RuleContext) -> Iterator[twin.Found]:
    """Find jobs that save their state less often than agreed."""
    for place, job in enumerate(case.scenario.jobs):
        interval = job.checkpoint.interval  # seconds, or the name of a rule such as "daly"
        if isinstance(interval, float) and interval > LONGEST_S:
            yield twin.Found(
                at=("jobs", place, "checkpoint", "interval"),  # the key of the file to blame
                reason=f"is {interval / 60:g} min, more than the {LONGEST_S / 60:g} min agreed on",
                fix="save more often, or name a rule such as daly",
                ids=(job.id,),
            )


def crowded_racks(case: twin.RuleContext) -> Iterator[twin.Found]:
    """Find racks with more nodes than agreed; the plant is the scene as arrays."""
    plant = case.plant
    for rack, name in enumerate(plant.racks.ids):
        nodes = int((plant.nodes.rack[plant.nodes.present] == rack).sum())
        if nodes > MOST_NODES:
            yield twin.Found(at=("halls", 0), reason=f"has {nodes} nodes in rack {name}", ids=(name,))


RULES = (
    twin.Rule(
        "house-checkpoints", "Rare checkpoints", "work", "warning", "Intervals.", "us", rare_checkpoints
    ),
    twin.Rule("house-racks", "Full rack", "space", "notice", "Nodes of a rack.", "us", crowded_racks),
)  # id, title, family, severity, what it checks, where its limit comes from, and the function

for name in ("lab-16", "superpod-h100"):
    report = twin.load(name).check(rules=RULES)
    ours = [finding for finding in report.open if finding.rule.startswith("house-")]
    print(f"{name}: {len(report.open)} open findings, {len(ours)} of them by our rules")
    for finding in ours[:3]:
        print(f"  {finding.severity:8} {finding.rule:20} {finding.sentence}")

# With the value changed the same rule finds nothing: a scene never changes, `changed` returns another one.
daly = twin.load("lab-16").changed(set={"jobs[llama3].checkpoint.interval": "daly"})
found = [finding.sentence for finding in daly.check(RULES).open if finding.rule == "house-checkpoints"]
print(f"lab-16 with Daly's interval: {found or 'nothing found'}")
