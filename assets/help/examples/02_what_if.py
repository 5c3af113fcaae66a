"""A what-if: what shorter checkpoint intervals would have made of this day, and of any day."""

import twin

lab = twin.load("lab-16")

# `set` changes a value of the scene by its path, `inject` does something at a time: both as on the command line.
change = {"jobs[llama3].checkpoint.interval": "10 min"}
fault = "15 h fail gpu/0/0/0 cause=software_bug"
for title, run in (
    ("as it is", lab.run(inject=fault)),
    ("every 10 min", lab.run(inject=fault, set=change)),
):
    lost_h = run.summary["ledger_gpu_s"]["lost_work"] / 3600
    stall_h = run.summary["ledger_gpu_s"]["checkpoint_stall"] / 3600
    print(f"{title:13} goodput {run.summary['goodput']:.2%}: {lost_h:.1f} GPU-hours of work lost,", end=" ")
    print(f"{stall_h:.1f} in checkpoints")

# One day is one draw of chance. `compare` runs both with the same seeds, so that both have the same failures: what is
# left of the difference is the design. The half width is that of the 95 % interval of the difference.
found = twin.compare(lab, lab.changed(set=change), seeds=3)
for key in ("goodput", "productive_gpu_h"):
    figure = found.differences[key]
    sure = "significant (95 %)" if figure.beyond_chance else "not significant"
    print(f"{key}: {figure.difference:+.4g} +- {figure.paired:.2g} over {figure.seeds} seeds ({sure})")

# The way from A to B: which accounts gave productive time, and which took it.
for step in found.waterfall.steps:
    if abs(step.gpu_h) < 0.1:
        continue
    print(f"  {step.account:20} {step.gpu_h:+.2f} GPU-hours a run")
