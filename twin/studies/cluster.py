"""Runs on other processes and machines through a scheduler of Dask; needs `distributed`.

Messages between client, scheduler and workers run code at their receiver: whoever can speak to a scheduler can do
anything there. So it must be on this machine, or both sides must prove who they are by certificates (TLS).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import ip_address
from itertools import islice
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Self
from urllib.parse import urlsplit

from twin.analysis.run_pool import RunLost
from twin.language import tr
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.study_error import SchedulerGone, StudyError

CERTIFICATES = ("ca.pem", "cert.pem", "key.pem")
"""Files of a folder of certificates: of the authority, and the own one with its key."""
_REACH_S = 8.0
"""How long a scheduler and its first worker are waited for [s]."""
_WORKERLESS_S = 30.0
"""How long a scheduler may have no worker, as when each is started again [s]."""
_LOOK_S = 1.0
_AHEAD = 2
"""Runs that each worker has been given: one that it is at, and one to go on with."""


_LOGGERS = ("distributed", "tornado", "asyncio")


class Cluster:
    """Workers of a scheduler, each of which makes one run at a time; close it, or use it in a ``with``.

    Parameters
    ----------
    address
        ``tcp://HOST:PORT`` of this machine, or ``tls://HOST:PORT`` of any.
    certificates
        Folder with `CERTIFICATES`, for TLS.

    Raises
    ------
    StudyError
        When the address may not be used, or `distributed` is not installed.
    SchedulerGone
        When nobody answers there, or no worker is there.
    """

    def __init__(self, address: str, certificates: Path | None = None) -> None:
        must_be_safe(address, certificates)
        try:
            from distributed import Client, Security
        except ImportError:
            raise StudyError(
                "runs on a scheduler need Dask, which is not installed: pip install 'gpu-twin[cluster]'"
            ) from None
        for name in list(logging.root.manager.loggerDict):
            if name.startswith(_LOGGERS):  # they write a page where one sentence says it
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        security = None
        if certificates is not None:
            ca, cert, key = (str(certificates / name) for name in CERTIFICATES)
            security = Security(
                require_encryption=True, tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key
            )
        self.address = address
        try:
            self._client: Any = Client(address, timeout=_REACH_S, set_as_default=False, security=security)
        except (OSError, ValueError) as error:  # TimeoutError is one
            raise SchedulerGone(tr("no scheduler answers at {address}", address=address)) from error
        try:
            self._client.wait_for_workers(1, timeout=_REACH_S)
        except OSError:
            self.close()
            raise SchedulerGone(
                tr(
                    "the scheduler at {address} has no workers; start one: dask worker {address}",
                    address=address,
                )
            ) from None

    def results(self, tasks: Iterable[RunTask]) -> Iterator[tuple[RunTask, RunOutcome | RunLost]]:
        """Yield each task with what came of it, as they end; a run of a worker that ends is made by another.

        Raises
        ------
        SchedulerGone
            When it has ended, or all its workers have.
        """
        waiting, running, ended = iter(tasks), dict[Any, RunTask](), Queue[Any]()
        worker_s = time.monotonic()
        while True:
            workers = self._workers()
            if workers:
                worker_s = time.monotonic()
            elif time.monotonic() - worker_s > _WORKERLESS_S:
                raise SchedulerGone(
                    tr("all workers of the scheduler at {address} are gone", address=self.address)
                )
            room = max(1, _AHEAD * workers) - len(running)  # less than none when a worker has gone
            for task in islice(waiting, max(0, room)):
                future = self._client.submit(run_task, task, pure=False)
                running[future] = task
                future.add_done_callback(ended.put)
            if not running:
                return
            with suppress(Empty):
                future = ended.get(timeout=_LOOK_S)
                yield running.pop(future), self._made(future)

    def _workers(self) -> int:
        """Return how many workers there are; raises `SchedulerGone`."""
        if self._client.status != "running":
            raise SchedulerGone(tr("the scheduler at {address} is gone", address=self.address))
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def _made(self, future: Any) -> RunOutcome | RunLost:
        """Return what came of a run that has ended."""
        from distributed import KilledWorker

        if future.status == "cancelled":
            raise SchedulerGone(tr("the scheduler at {address} is gone", address=self.address))
        try:
            made: RunOutcome = future.result()
        except KilledWorker:
            return RunLost(tr("each worker that was given the run ended; is there enough memory?"))
        except (ImportError, AttributeError, TypeError) as error:
            return RunLost(tr("a worker has another program: {error}", error=error))
        return made

    def close(self) -> None:
        """Leave the scheduler; runs that are not over are given up."""
        self._client.close(timeout=_LOOK_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def must_be_safe(address: str, certificates: Path | None) -> None:
    """Refuse an address at which strangers could run code here, or that is none.

    >>> must_be_safe("tcp://127.0.0.1:8786", None)

    Raises
    ------
    StudyError
        With what would be right.
    """
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or port is None or parts.scheme not in ("tcp", "tls") or parts.path or parts.query:
        raise StudyError(
            f"{address!r} is no place to run: give pool, tcp://127.0.0.1:PORT or tls://HOST:PORT"
        )
    if parts.scheme == "tcp":
        if not _is_here(host):
            raise StudyError(
                f"{address} is another machine, and messages of a scheduler run code: only tls://{host}:{port} with "
                "certificates is taken"
            )
        if certificates is not None:
            raise StudyError(f"{address} is not encrypted: certificates go with tls://{host}:{port}")
        return
    if certificates is None:
        raise StudyError(f"{address} needs certificates: a folder with {', '.join(CERTIFICATES)}")
    for name in CERTIFICATES:
        if not (certificates / name).is_file():
            raise StudyError(f"certificates: no file {certificates / name}")


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
