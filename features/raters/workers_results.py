"""Raters of a study of choices ranked by every method, cached, and how far the methods agree."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.raters import FEWEST_UNITS, FEWEST_VOTES_ABOVE, compare_with_typical, pooled_variance
from analysis.screening import rating_behavior
from analysis.values.estimate import Estimate
from analysis.values.types import Codes
from analysis.workers import pcch_reliability, worker_agreement, worker_ranking
from analysis.workers.polls import Poll
from analysis.workers.worker_ranking import WorkerRanking, reliability_changes
from features.polls import polls, pooled
from features.raters.naming_findings import ComparedRaters
from features.raters.ranking import KnownAnswers, RaterRanking, in_order, rank_raters
from features.results import key_of, long_result, query, result
from features.study import ALL_GROUPS, Study

R_W, MAJORITY, GLAD, DAWID_SKENE = "r_w", "With the majority", "GLAD ability", "Dawid-Skene accuracy"
"""Methods, as tables name them."""
_AXES = {"expert": "Agreement with the expert, e_w", "gold": "Share of gold answers given, e_w"}
_NAMES = {"expert": "the expert", "gold": "the gold answers"}


@dataclass(frozen=True)
class WorkersSpec:
    """Raters of one comparison, or of all together where it is ""; `known` answers are "expert", "gold" or "".

    Raters who share fewer items with others are not drawn, and not compared across methods.
    """

    comparison: str = ""
    known: str | None = None
    fewest_items: int = FEWEST_UNITS


@dataclass(frozen=True, eq=False)
class WorkersFound:
    """Raters by every method, in the order of the ranking; `methods` are the figures of each by method.

    `all_items` are those of the comparison, `items` and `votes` those of each rater.
    `rank_correlations` are Spearman's rho of method pairs; `intervals` says how those of r_w were made.
    """

    known: str
    ranking: RaterRanking
    all_items: int
    items: NDArray[np.int64]
    votes: NDArray[np.int64]
    seconds: NDArray[np.float64]
    methods: Mapping[str, NDArray[np.float64]]
    rank_correlations: Mapping[tuple[str, str], Estimate]
    intervals: str


def rank_workers(study: Study, spec: WorkersSpec) -> WorkersFound | None:
    """Rank the raters of choices by their agreement with the others and by every other method; None while stopped."""
    study = study.between_raters
    poll, poll_of_item = poll_of(study, spec.comparison)
    known = next(iter(poll.known_answers), "") if spec.known is None else spec.known
    ranked = _rank(study, poll, poll_of_item, known)
    if ranked is None:
        return None
    compared = _compare(study, poll, poll_of_item, ranked)
    order = np.array(in_order(ranked.r), dtype=np.int64)
    groups = rater_groups(study)
    raters = rank_raters(
        compared,
        [groups.get(code, "") for code in poll.rater_code.tolist()],
        ranked.known if known else None,
        marks_chance=True,
    )
    answers = KnownAnswers(_NAMES[known], _AXES[known], is_share=True) if known else None
    ranking = RaterRanking(raters, compared, "Agreement with the others, r_w", spec.fewest_items, answers)
    methods = {
        R_W: np.array([one.figure.value for one in raters]),
        MAJORITY: ranked.majority[order],
        GLAD: ranked.ability[order],
        DAWID_SKENE: ranked.accuracy[order],
    }
    if known:
        methods[f"e_w, {known}"] = np.array([ranked.known[at].value for at in order])
    kept = np.array([one.figure.n >= spec.fewest_items for one in raters], dtype=np.bool_)
    among = {name: values[kept] for name, values in methods.items()}
    return WorkersFound(
        known,
        ranking,
        poll.votes.items,
        ranked.items[order],
        ranked.votes[order],
        ranked.seconds[order],
        methods,
        worker_agreement.rank_correlations(among),
        ranked.intervals,
    )


def poll_of(study: Study, comparison: str) -> tuple[Poll, Codes]:
    """Return one comparison, or all together, and the poll of each item."""
    if not comparison:
        return pooled(study)
    poll = next(each for each in polls(study) if each.name == comparison)
    return poll, np.zeros(poll.votes.items, dtype=np.int64)


def rater_groups(study: Study) -> dict[int, str]:
    """Return the group of each rater's code; of a rater in several, the first."""
    found: dict[int, str] = {}
    for group in study.groups if study.candidate == ALL_GROUPS else (study.candidate,):
        for code in query(study.whole, "group_raters", group=group)["rater"].tolist():
            found.setdefault(code, group)
    return found


def rater_codes(study: Study) -> NDArray[np.int64]:
    """Return the codes of the chosen group's raters."""
    if study.candidate == ALL_GROUPS:
        return np.arange(len(query(study.whole, "rater_names")["name"]))
    return np.asarray(query(study.whole, "group_raters", group=study.candidate)["rater"])


def others_values(study: Study) -> NDArray[np.float64]:
    """Return r_w over all comparisons by rater code, of everyone's choices, NaN where it is undefined."""
    study = study.between_raters

    def compute() -> NDArray[np.float64]:
        poll, of_item = pooled(study.everyone)
        values = np.full(len(query(study.whole, "rater_names")["name"]), np.nan)
        r = pcch_reliability.reliabilities(poll.votes, poll=of_item)[0]
        values[poll.rater_code] = np.where(pcch_reliability.undefined(poll.votes, of_item), np.nan, r)
        return values

    return result(key_of(study.whole, "r_w of all", study.candidate), compute)


def speed(study: Study, factor: float) -> rating_behavior.Speed:
    """Return each rater's median seconds per choice, of everyone's choices."""
    poll, _ = pooled(study.everyone)
    return result(
        key_of(study.whole, "speed of choices", study.candidate, factor),
        lambda: rating_behavior.speed(poll.rater_code[poll.votes.rater], poll.seconds, factor),
    )


def _rank(study: Study, poll: Poll, poll_of_item: Codes, known: str) -> WorkerRanking | None:
    answers = poll.known(known) if known else None
    ranked = long_result(
        key_of(study.dataset, "workers", study.candidate, poll.name, known),
        "Ranking of the raters",
        lambda on_progress: worker_ranking.rank_workers(
            poll.votes, answers, poll.seconds, poll_of_item, on_progress=on_progress
        ),
    )
    if ranked is None:
        return None
    return result(
        key_of(study.dataset, "workers with intervals", study.candidate, poll.name, known),
        lambda: worker_ranking.with_intervals(
            ranked, poll.votes, poll_of_item, raters_are_persons=study.raters_are_persons
        ),
    )


def _compare(study: Study, poll: Poll, poll_of_item: Codes, ranked: WorkerRanking) -> ComparedRaters:
    """Return the raters of a poll with the tests of r_w against the typical rater."""

    def compute() -> ComparedRaters:
        r, items = ([getattr(one, name) for one in ranked.r] for name in ("value", "n"))
        changes = reliability_changes(poll.votes, r, items, poll_of_item)
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes), FEWEST_VOTES_ABOVE)
        return ComparedRaters(poll.name, poll.rater_names.tolist(), ranked.r, tests)

    return result(key_of(study.dataset, "workers compared", study.candidate, poll.name), compute)
