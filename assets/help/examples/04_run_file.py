"""Read a run file: curves, events, ledger and single GPUs of a run that somebody made before."""

import twin

# Make one first: half a day in which the fans of the air handler stop at 6 h, for 20 minutes. The window and
# `twin run --out` write the same kind of file, and all of them open it.
with twin.load("lab-16").run(until="12 h", inject="6 h fan_stop crah/0 for=20min") as run:
    run.save("lab.twinrun", replace=True)

# A run file is only read. Leaving the `with` closes it.
with twin.open_run("lab.twinrun") as run:
    print(f"{run.scenario.title}, seed {run.seed}, {run.end_s / 3600:g} h, events {run.event_hash[:12]}")

    # What people should know of, in order of time.
    for event in run.events(least=twin.Severity.WARNING)[:8]:
        print(f"{event.t_s / 3600:6.2f} h  {event.severity.name:7} {event.kind:18} {event.subject}")

    # Curves of each rack. `ids` names the items of a kind, in the order in which frames hold them.
    for rack in run.ids("rack"):
        t_s, inlet_c = run.series(rack, "rack.inlet_c")
        print(f"rack {rack}: inlet air max. {inlet_c.max():.1f} °C at {t_s[inlet_c.argmax()] / 3600:.2f} h")

    # A frame is everything at one time; arrays of GPUs are in the order of `ids("gpu")`.
    gpus = run.ids("gpu")
    for time in ("5 h", "6 h 10 min", "8 h"):
        temp_c = run.frame(time).values["gpu.temp_c"]
        print(f"at {time:10}: hottest GPU {gpus[temp_c.argmax()]}, {temp_c.max():.0f} °C")

    # The ledger of a range of time: where the 16 GPU-hours of the hour of the fault went.
    hour = run.ledger("6 h", "7 h").gpu_s
    for account in sorted(hour, key=hour.__getitem__, reverse=True)[:4]:
        print(f"from 6 h to 7 h: {hour[account] / 3600:5.2f} GPU-hours {account}")
