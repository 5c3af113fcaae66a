"""The error of a study that cannot be done as asked."""

from __future__ import annotations


class StudyError(ValueError):
    """A study, its file or its scheduler cannot be used; the message is one sentence for people."""


class SchedulerGone(StudyError):
    """Nobody makes the runs any more; those that are done are kept."""
