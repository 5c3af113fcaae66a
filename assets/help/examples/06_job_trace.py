"""A job trace: run the queue of another cluster in a scene, under two policies of the scheduler."""

from pathlib import Path

import twin

# A trace in the Standard Workload Format: number, submit time [s], wait, run time [s], processors, ..., requested
# processors, requested time [s], and more; -1 means unknown. Slurm's `sacct -P`, Philly, Helios, Acme and Gavel are
# understood too: `twin.load(scene).run(jobs=FILE)` tells the format by itself.
jobs = [
    (0, 3600, 8),
    (60, 5400, 16),
    (120, 900, 4),
    (180, 600, 2),
    (240, 1800, 8),
    (300, 600, 4),
    (360, 300, 2),
]
lines = [
    f"{number} {submit} 0 {run_s} {gpus} -1 -1 {gpus} {2 * run_s} -1 1 1 1 -1 1 -1 -1 -1"
    for number, (submit, run_s, gpus) in enumerate(jobs, 1)
]
Path("queue.swf").write_text("; seven jobs\n" + "\n".join(lines) + "\n", encoding="utf-8")

# The run lasts until its last job has ended. The policy decides who goes first: fifo lets everybody wait behind the
# large second job, EASY backfill fills the gaps with what delays nobody's promise.
lab = twin.load("lab-16")
for policy in ("fifo", "easy"):
    run = lab.run(jobs="queue.swf", policy=policy)
    summary = run.summary
    done = [job for job in summary["jobs"] if job["state"] == "done"]
    waits_s = [job["start_s"] - job["submit_s"] for job in done]
    print(
        f"{policy:5} {len(done)} jobs done after {summary['simulated_s'] / 3600:.2f} h, "
        f"mean wait {sum(waits_s) / len(waits_s) / 60:.0f} min"
    )
    for job in sorted(done, key=lambda job: job["start_s"]):
        before, during = (int(job[key] / 300) for key in ("start_s", "end_s"))
        print(f"  {job['id']:8} {job['gpus']:2} GPUs |{'.' * before}{'#' * max(during - before, 1)}")

# Curves are the same as in any run: how many GPUs the first job held, and what power the hall drew meanwhile.
power = run.series("site", "site.it_w")
print(f"IT power while the queue ran: {power.values.min() / 1e3:.1f} to {power.values.max() / 1e3:.1f} kW")
