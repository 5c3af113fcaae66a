"""Every ledger account and every channel of job time has one title."""

from __future__ import annotations

from twin.record.account_titles import ACCOUNT_MEANINGS, ACCOUNT_TITLES, JOB_TIME_TITLES
from twin.record.accounts import ACCOUNTS, JOB_SECONDS


def test_every_account_has_one_title_of_its_own() -> None:
    assert tuple(ACCOUNT_TITLES) == ACCOUNTS
    assert tuple(ACCOUNT_MEANINGS) == ACCOUNTS
    assert len(set(ACCOUNT_TITLES.values())) == len(ACCOUNTS)
    assert JOB_TIME_TITLES.keys() == JOB_SECONDS.keys()
