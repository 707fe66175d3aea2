"""Workers ranked by every method."""

from analysis.raters.naming import FEWEST_VOTES_ABOVE, compare_with_typical, pooled_variance
from analysis.workers import reliability_intervals, worker_ranking
from analysis.workers.polls import Codes, Poll
from analysis.workers.reliability_changes import reliability_changes
from analysis.workers.worker_ranking import WorkerRanking
from features.raters.naming_findings import ComparedRaters
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


def compared_workers(study: Study, poll: Poll, poll_of_item: Codes, ranking: WorkerRanking) -> ComparedRaters:
    """Return the workers of a poll with the tests of r_w against the typical worker."""

    def compute() -> ComparedRaters:
        r, items = ([getattr(one, name) for one in ranking.r] for name in ("value", "n"))
        changes = reliability_changes(poll.votes, r, items, poll_of_item)
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes), FEWEST_VOTES_ABOVE)
        return ComparedRaters(poll.name, poll.rater_names.tolist(), ranking.r, tests)

    return result(key_of(study.dataset, "workers compared", study.candidate, poll.name), compute)
