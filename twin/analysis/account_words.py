"""Ledger accounts and steps between two ledgers in words."""

from __future__ import annotations

from twin.language import tr
from twin.record.account_titles import ACCOUNT_TITLES

INSTALLED = "installed"
"""Step of a waterfall that is no account: the GPU time that B has installed more than A."""
MEANINGS: dict[str, str] = {account: named.meaning for account, named in ACCOUNT_TITLES.items()}
"""Meaning of each account, in one clause."""


def account_title(account: str) -> str:
    """Return the title of an account.

    >>> account_title("idle_spare"), account_title("lost_work")
    ('idle: hot spares', 'lost work')
    """
    named = ACCOUNT_TITLES.get(account)
    return named.title if named else account.replace("_", " ")


def step_title(account: str, gpu_h: float) -> str:
    """Return the title of a step from one ledger to another; `gpu_h` is what it adds to B [GPU h].

    >>> step_title("installed", -10752.0), step_title("lost_work", 2.0)
    ('fewer GPUs, or shorter', 'lost work')
    """
    if account == INSTALLED:
        return tr("more GPUs, or longer") if gpu_h >= 0 else tr("fewer GPUs, or shorter")
    return account_title(account)
