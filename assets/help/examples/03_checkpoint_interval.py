"""How often should 16,384 GPUs save their state? A sweep over intervals, drawn as intervals.svg."""

import math
from pathlib import Path

import twin

# `risk` samples the failures, spares and checkpoints of one job many times, without heat, power and network: 54 days of
# 2,048 nodes, 200 times for each interval, in seconds. A sweep is over values of the job.
minutes = (2, 3, 5, 10, 20, 40, 60)
found = twin.risk("llama3-16k", seeds=200, sweep={"checkpoint.interval": [f"{m} min" for m in minutes]})
best_min, best = found.best_interval_s / 60, found.best_ettr
print(
    f"{found.nodes:,} nodes fail every {found.mean_between_s / 3600:.1f} h; a save takes {found.pause_s:g} s"
)
for row in found.sweep.values:
    print(
        f"{row.value:>7}: ETTR {row.ettr.mean:.2%}, 5 to 95 % of runs {row.ettr.low:.2%} to {row.ettr.high:.2%}"
    )
print(f"best interval: {best_min:.1f} min, ETTR {best.mean:.2%}")

# A plot needs no library: an SVG file is text, and every browser shows it. Intervals are on a logarithmic axis.
WIDE, HIGH, EDGE = 640, 400, 60
rows = list(zip(minutes, (row.ettr for row in found.sweep.values), strict=True))
low, top = min(ettr.low for _, ettr in rows), max(ettr.high for _, ettr in rows)


def x(minute: float) -> float:
    """Return where an interval is drawn [px]."""
    return EDGE + math.log(minute / minutes[0]) / math.log(minutes[-1] / minutes[0]) * (WIDE - 2 * EDGE)


def y(share: float) -> float:
    """Return where an ETTR is drawn [px]."""
    return HIGH - EDGE - (share - low) / (top - low) * (HIGH - 2 * EDGE)


band = [(x(m), y(ettr.high)) for m, ettr in rows] + [(x(m), y(ettr.low)) for m, ettr in reversed(rows)]
line = [(x(m), y(ettr.mean)) for m, ettr in rows]
parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" font-size="13">']
parts += ['<rect width="100%" height="100%" fill="white"/>']
for points, style in ((band, 'fill="#cfe3f7"'), (line, 'fill="none" stroke="#1f6fb2" stroke-width="2"')):
    shape = "polygon" if points is band else "polyline"
    parts += [f'<{shape} points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" {style}/>']
for minute in minutes:
    parts += [f'<text x="{x(minute):.1f}" y="{HIGH - 35}" text-anchor="middle">{minute}</text>']
for share in (low, (low + top) / 2, top):
    parts += [f'<text x="8" y="{y(share):.1f}">{share:.1%}</text>']
parts += [f'<circle cx="{x(best_min):.1f}" cy="{y(best.mean):.1f}" r="5" fill="#d1495b"/>']
title = f"ETTR by minutes between checkpoints; simulated, {found.seeds} runs"
parts += [f'<text x="{EDGE}" y="28" font-size="16">{title}</text></svg>']
Path("intervals.svg").write_text("\n".join(parts), encoding="utf-8")
print("drawn: intervals.svg (band: 5 to 95 % of runs; dot: best interval)")
