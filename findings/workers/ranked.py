"""Workers ranked by every method."""

from analysis.workers import reliability_intervals, worker_ranking
from analysis.workers.polls import Codes, Poll
from analysis.workers.worker_ranking import WorkerRanking
from features.results import key_of, long_result, result
from features.study import Study


def ranked_workers(study: Study, poll: Poll, poll_of_item: Codes, known: str) -> WorkerRanking | None:
    """Workers by every method, with intervals of r_w; None while stopped."""
    answers = poll.known(known) if known else None
    ranked = long_result(
        key_of(study.dataset, "workers", study.candidate, poll.name, known),
        "Ranking of the workers",
        lambda on_progress: worker_ranking.rank_workers(
            poll.votes, answers, poll.seconds, poll_of_item, on_progress=on_progress
        ),
    )
    if ranked is None:
        return None
    return result(
        key_of(study.dataset, "workers with intervals", study.candidate, poll.name, known),
        lambda: reliability_intervals.with_intervals(
            ranked, poll.votes, poll_of_item, raters_are_persons=study.raters_are_persons
        ),
    )
