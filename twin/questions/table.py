"""All questions of the trade, by key."""

from __future__ import annotations

from twin.questions import checkpoint_interval, gpus_in, one_more_nine, owning, rack_size, run_out
from twin.questions.question import TradeQuestion

QUESTIONS: dict[str, TradeQuestion] = {
    question.key: question
    for question in (
        gpus_in.QUESTION,
        run_out.QUESTION,
        one_more_nine.QUESTION,
        checkpoint_interval.QUESTION,
        rack_size.QUESTION,
        owning.QUESTION,
    )
}
