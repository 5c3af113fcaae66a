"""How far a run is, on standard error, while a person watches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[float, float], None]


Counted = Callable[[int, int], None]


@contextmanager
def counted(title: str) -> Iterator[Counted | None]:
    """Yield a function that takes (done, in all) and draws a bar; None where nobody watches."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from twin.cli.tables import console

    watched = console(stderr=True)
    if not watched.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=watched, transient=True) as bar:
        task = bar.add_task(title)

        def show(done: int, number: int) -> None:
            bar.update(task, completed=done, total=number)

        yield show


@contextmanager
def progress(title: str) -> Iterator[Progress | None]:
    """Yield a function that takes (now [s], end [s]) and draws a bar; None where nobody watches."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from twin.cli.tables import console
    from twin.units import spoken

    watched = console(stderr=True)
    if not watched.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[now]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=watched, transient=True) as bar:
        task = bar.add_task(title, now="")

        def show(now_s: float, end_s: float) -> None:
            bar.update(task, completed=now_s, total=end_s, now=spoken(now_s))

        yield show
