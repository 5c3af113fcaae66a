"""Every ledger account and every channel of job time has one title."""

from __future__ import annotations

from twin.record.account_titles import ACCOUNT_TITLES, JOB_TIME_TITLES
from twin.record.accounts import ACCOUNTS, JOB_SECONDS
from twin.record.channels import BY_ID


def test_every_account_has_one_title_and_meaning_of_its_own() -> None:
    assert tuple(ACCOUNT_TITLES) == ACCOUNTS
    assert len({named.title for named in ACCOUNT_TITLES.values()}) == len(ACCOUNTS)
    assert all(named.meaning for named in ACCOUNT_TITLES.values())


def test_channels_of_job_time_have_the_title_of_their_account_or_group() -> None:
    assert JOB_TIME_TITLES.keys() == JOB_SECONDS.keys()
    for channel, accounts in JOB_SECONDS.items():
        assert BY_ID[channel].title == JOB_TIME_TITLES[channel].title
        if JOB_TIME_TITLES[channel].title in {named.title for named in ACCOUNT_TITLES.values()}:
            assert JOB_TIME_TITLES[channel].title == ACCOUNT_TITLES[accounts[0]].title
