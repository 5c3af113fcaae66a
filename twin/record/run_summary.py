"""Schema of the summary in a run file, so that readers find figures where they belong.

What programs of today write is required where it is read without asking; what came later may be missing. Keys that
are not told of here are left alone, as long as they hold no number that is none.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

LARGEST = 1e30
"""No figure of a run is larger, in whatever unit."""


_DIGITS = 25
"""No whole number of a run has more."""


class Misshapen(ValueError):
    """The summary does not fit the schema; the message says where and why."""


Check = Callable[[str, Any], None]
"""Raises `Misshapen` where a value, found at a place that is named, is not what belongs there."""


def strict_json(text: str | bytes) -> Any:
    """Parse a JSON text with finite numbers. Raises `ValueError`, `TypeError`, `RecursionError`."""
    return json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _whole(text: str) -> int:
    return int(text) if len(text) <= _DIGITS else _no_number(text[:_DIGITS])


def _no_number(word: str) -> NoReturn:
    raise Misshapen(f"{word} is no number")


def _number(at: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misshapen(f"{at} is no number")
    if not (math.isfinite(value) and abs(value) <= LARGEST):
        raise Misshapen(f"{at} is no figure of a run")


def _count(at: str, value: Any) -> None:
    _number(at, value)
    if not isinstance(value, int) or value < 0:
        raise Misshapen(f"{at} is no count")


def _text(at: str, value: Any) -> None:
    if not isinstance(value, str):
        raise Misshapen(f"{at} is no text")


def _flag(at: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise Misshapen(f"{at} is neither true nor false")


@dataclass(frozen=True)
class _Maybe:
    """A value that may be null when unknown."""

    inner: Check

    def __call__(self, at: str, value: Any) -> None:
        if value is not None:
            self.inner(at, value)


@dataclass(frozen=True)
class _Choice:
    """One of some words."""

    words: tuple[str, ...]

    def __call__(self, at: str, value: Any) -> None:
        if value not in self.words:
            raise Misshapen(f"{at} is none of {', '.join(self.words)}")


@dataclass(frozen=True)
class _Each:
    """A list, or values by names, of one kind."""

    inner: Check
    named: bool = False

    def __call__(self, at: str, value: Any) -> None:
        if not isinstance(value, dict if self.named else list):
            raise Misshapen(f"{at} is no {'table' if self.named else 'list'}")
        pairs: Iterable[tuple[object, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            self.inner(f"{at}[{key}]", item)


class _Table:
    """Values by known names; others are left alone."""

    def __init__(self, **keys: Check) -> None:
        self._needed = keys
        self._late: dict[str, Check] = {}

    def late(self, **keys: Check) -> _Table:
        """Add keys that may be missing."""
        self._late |= keys
        return self

    def __call__(self, at: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise Misshapen(f"{at or 'it'} is no table")
        for name, check in self._needed.items():
            if name not in value:
                raise Misshapen(f"{_below(at, name)} is missing")
            check(_below(at, name), value[name])
        for name, check in self._late.items():
            if name in value:
                check(_below(at, name), value[name])


def _below(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


_FIGURE = _Maybe(_number)
_BY_NAME = _Each(_number, named=True)
_COUNTS = _Each(_count, named=True)
_CONFIDENCE = _Choice(("own runs", "calibrated", "derived", "uncalibrated", ""))
_STANDING = _Choice(("own runs", "calibrated", "derived", "not calibrated"))

_JOB = _Table(
    id=_text,
    state=_text,
    gpus=_number,
    start_s=_FIGURE,
    end_s=_FIGURE,
    steps=_Maybe(_count),
    step_s=_FIGURE,
    step_parts_s=_Maybe(_BY_NAME),
    mfu=_FIGURE,
    lost_s=_FIGURE,
    interruptions=_Maybe(_count),
).late(
    tenant=_Maybe(_text),
    partition=_Maybe(_text),
    site=_Maybe(_text),
    outcome=_Maybe(_text),
    reason=_Maybe(_text),
    network_reason=_Maybe(_text),
    confidence=_Maybe(_CONFIDENCE),
    standing=_Maybe(_STANDING),
    low_confidence=_Maybe(_Each(_text)),
    step_low_s=_FIGURE,
    step_high_s=_FIGURE,
    step_rests_on=_Maybe(_text),
    fits=_Maybe(_flag),
    nodes=_count,
    submit_s=_FIGURE,
    wait_s=_FIGURE,
    limit_s=_FIGURE,
    energy_j=_FIGURE,
    ettr=_FIGURE,
    goodput=_FIGURE,
    input_wait=_FIGURE,
    requeues=_count,
    preemptions=_count,
    away_s=_BY_NAME,
)

_QUEUE = _Table(
    policy=_text,
    utilisation=_FIGURE,
    by_tenant=_Each(
        _Table().late(
            jobs=_count,
            gpu_s=_FIGURE,
            energy_j=_FIGURE,
            wait_mean_s=_FIGURE,
            utilisation=_FIGURE,
            allocation=_FIGURE,
        ),
        named=True,
    ),
).late(
    waiting=_count,
    cancelled=_count,
    killed=_count,
    refused=_count,
    requeues=_count,
    preemptions=_count,
    allocation=_FIGURE,
    fragmentation=_FIGURE,
    longest_queued_s=_FIGURE,
    slowdown_mean=_FIGURE,
    wait_mean_s=_FIGURE,
    wait_median_s=_FIGURE,
    wait_p95_s=_FIGURE,
)

_HOURS = _Table(free_hours=_number, hours=_number)
_FACILITY = _Table(
    grid_j=_number,
    grid_max_w=_number,
    on_site_j=_number,
    battery_in_j=_number,
    battery_out_j=_number,
    carbon_kg=_number,
    cost_usd=_number,
    loss_by_stage_j=_BY_NAME,
    peak_violations=_count,
    ramp_violations=_count,
    swing=_Table(site_w=_number),
    hours=_Table(total=_HOURS),
    hot_gpu_hours=_Table(gpu_hours_above=_Each(_BY_NAME, named=True)),
)

_STORE = _Table(
    id=_text,
    load_mean=_number,
    load_max=_number,
    read_mean_bytes_s=_number,
    read_max_bytes_s=_number,
    write_mean_bytes_s=_number,
    write_max_bytes_s=_number,
    iops_mean=_number,
    iops_max=_number,
)
_FABRIC = _Table(
    id=_text,
    technology=_Maybe(_text),
    busiest=_Each(_Table(id=_text, load=_number)),
    links_down=_count,
    switches_down=_count,
    nodes_cut_off=_count,
)
_LOOP = _Table(id=_text, gpu_max_c=_FIGURE, throttle_gpu_s=_number, shutdown_gpus=_count)
_CLOUD = _Table(
    jobs=_count,
    there=_count,
    gpu_h=_number,
    cost_usd=_number,
    egress_usd=_number,
    quota_peak=_count,
    wait_saved_s=_number,
)
_RENTED = _Table(
    uses=_count, used_gpu_h=_number, billed_gpu_h=_number, cost_usd=_number, reclaims=_count, away=_count
)
_STOCK = _Table(used=_count, stock=_count, on_order=_count, waiting=_count)
_MOVED = _Table(job=_text, cloud=_text, rpo_s=_number, rto_s=_number)
_RENT = _Table(price_usd_gpu_h=_number, break_even_utilisation=_FIGURE)

_SUMMARY = _Table(
    scene=_text,
    simulated_s=_number,
    gpus=_count,
    nodes=_count,
    seed=_count,
    events=_count,
    event_hash=_text,
    goodput=_FIGURE,
    ettr=_FIGURE,
    pue=_FIGURE,
    water_l=_FIGURE,
    wue_l_kwh=_FIGURE,
    ledger_gpu_s=_BY_NAME,
    interruptions=_Table(unexpected=_Maybe(_count), planned=_Maybe(_count), by_cause=_COUNTS),
    power=_Table(
        it_mean_w=_FIGURE, it_max_w=_FIGURE, facility_mean_w=_FIGURE, facility_max_w=_FIGURE, loss_w=_FIGURE
    ),
    energy=_Table(
        facility_j=_number, it_j=_number, gpu_j=_number, cooling_j=_number, loss_j=_number, residual=_FIGURE
    ),
    thermal=_Table(gpu_max_c=_FIGURE, throttle_gpu_s=_number, by_loop=_Each(_LOOP)),
    jobs=_Each(_JOB),
).late(
    queue=_Maybe(_QUEUE),
    facility=_FACILITY,
    failures=_Table(by_cause=_COUNTS).late(
        degraded_node_h=_BY_NAME, down=_Table(mean=_number, p99=_number, most=_number)
    ),
    repairs=_Table(
        done=_count,
        open=_count,
        mean_down_s=_FIGURE,
        p90_down_s=_FIGURE,
        parts=_Each(_STOCK, named=True),
        waiting_for_hands=_count,
        waiting_for_parts=_count,
    ),
    health=_Table(runs=_count, found=_count, by_check=_Each(_Table(found=_count), named=True)),
    lemons=_Table(out=_count, replaced=_count),
    stores=_Each(_STORE),
    fabrics=_Each(_FABRIC),
    installed_gpu_s=_number,
    cloud=_Each(_CLOUD, named=True),
    rentals=_Each(_RENTED, named=True),
    disaster=_Table(jobs=_Each(_MOVED)).late(losses=_count, rpo_max_s=_FIGURE, rto_max_s=_FIGURE),
    economics=_Maybe(
        _Table(
            own_usd_gpu_h=_FIGURE,
            utilisation=_number,
            pue=_number,
            price_usd_kwh=_number,
            clouds=_Each(_RENT, named=True),
        )
    ),
)


def summary_of(text: str) -> dict[str, Any]:
    """Parse the summary in a text.

    Raises
    ------
    Misshapen
        When it is none; the message says where and why.
    """
    try:
        found = strict_json(text)
    except Misshapen:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise Misshapen("it is no JSON text") from error
    _SUMMARY("", found)
    summary: dict[str, Any] = found
    return summary
