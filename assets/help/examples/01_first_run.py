"""A first run: one day of a laboratory with 16 GPUs, and where its GPU time went."""

import twin

# A scene says what exists and what happens. This one is shipped; `twin.load` takes its name, or the path of a file.
lab = twin.load("lab-16")
print(f"{lab.title}: {lab.duration_s / 3600:.0f} hours")

# The same seed gives the same run, here, in the window and with `twin run lab-16 --seed 3`.
run = lab.run(seed=3)

# The summary is what `twin run --json` prints: figures in SI units, by name.
summary = run.summary
print(f"goodput {summary['goodput']:.1%}, ETTR {summary['ettr']:.1%}, PUE {summary['pue']:.2f}")
for job in summary["jobs"]:
    print(f"job {job['id']}: {job['state']}, {job['steps']:,.0f} steps of {job['step_s']:.2f} s")

# Every figure is recorded over time. A curve gives times [s] and values, as two numpy arrays of one length.
t_s, power_w = run.series("site", "site.it_w")
print(f"IT power: mean {power_w.mean() / 1e3:.1f} kW, max. {power_w.max() / 1e3:.1f} kW, {len(t_s)} samples")

# Events say what happened. This laboratory has no spare node, so its job waits until the failed one is repaired.
for event in run.events(["injected_failure", "job_interrupted", "repaired", "job_resumed"]):
    print(f"{event.t_s / 3600:6.2f} h  {event.kind:16} {event.subject}: {event.text}")

# The ledger puts every GPU-second into exactly one account, so the shares add up to all there was.
gpu_s = run.ledger().gpu_s
whole = sum(gpu_s.values())
for account, seconds in sorted(gpu_s.items(), key=lambda item: -item[1]):
    if seconds > 0.001 * whole:
        print(f"{account:20} {seconds / whole:6.1%} {'#' * round(50 * seconds / whole)}")
