"""Raters who choose: results, findings and section."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.assessors.typical_rater import (
    FEWEST_UNITS,
    FEWEST_VOTES_ABOVE,
    compare_with_typical,
    pooled_variance,
)
from analysis.screening import rating_behavior
from analysis.values.estimate import Codes, Estimate
from analysis.workers import pcch_reliability, worker_agreement, worker_ranking
from analysis.workers.polls import Poll
from analysis.workers.worker_ranking import WorkerRanking, reliability_changes
from features.assessments import polls, pooled
from features.blocks import (
    Block,
    Finding,
    Heading,
    NextStep,
    Note,
    Status,
    Table,
    Text,
    capitalized,
    card_of,
    clear_if,
    for_raters,
    method_of,
    not_applicable,
    not_enough_data,
    too_few,
)
from features.exclusion import largest_change
from features.plotting.theme import (
    ONE_DIGIT,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    estimate_with_interval,
    interval,
)
from features.program import computed_by
from features.raters.attributes_results import attributes_of
from features.raters.attributes_section import shares_blocks
from features.raters.consistency_section import (
    PROGRAM,
    WITH_OTHERS,
    agreement_table,
    known_blocks,
    rater_figure,
    undefined_notes,
)
from features.raters.ranking import CHANCE, KnownAnswers, RankedRater, RaterRanking, rank_raters, sort_places
from features.raters.rater_results import by_code
from features.raters.typical_rater_findings import ComparedRaters, naming_finding
from features.study import ALL_GROUPS, Scenario, Study, key_of, long_result, query, result
from features.words import DASH, Column, Shown, counted, number_repeats, part_of_whole, table_of

R_W, MAJORITY, GLAD, DAWID_SKENE = (
    "Agreement with the others",
    "With the majority",
    "GLAD ability",
    "Dawid-Skene accuracy",
)
"""Methods, as tables name them."""
_AXES = {"expert": "Agreement with the expert, e_w", "gold": "Agreement with the gold answers, e_w"}
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

    `all_items` are those of the comparison, or of several together, `items` and `votes` those of each rater.
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
    comparisons: int = 1


def rank_workers(study: Study, spec: WorkersSpec) -> WorkersFound | None:
    """Rank the raters of choices by their agreement with the others and by every other method; None while stopped."""
    study = study.between_raters
    poll, poll_of_item = poll_of(study, spec.comparison)
    known = next(iter(poll.known_answers), "") if spec.known is None else spec.known
    ranked = _rank(study, poll, poll_of_item, known)
    if ranked is None:
        return None
    compared = _compare(study, poll, poll_of_item, ranked)
    order = np.array(sort_places(ranked.r), dtype=np.int64)
    group_of = rater_groups(study)
    groups = [group_of.get(code, "") for code in poll.rater_code.tolist()]
    raters = rank_raters(compared, groups, ranked.known if known else None, marks_chance=True)
    answers = KnownAnswers(_NAMES[known], _AXES[known], is_share=True) if known else None
    ranking = RaterRanking(raters, compared, "Agreement with the others, r_w", spec.fewest_items, answers)
    methods = {
        R_W: np.array([one.figure.value for one in raters]),
        MAJORITY: ranked.majority[order],
        GLAD: ranked.ability[order],
        DAWID_SKENE: ranked.accuracy[order],
    }
    if known:
        methods[f"Agreement with {_NAMES[known]}"] = np.array([ranked.known[at].value for at in order])
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
        int(poll_of_item.max(initial=0)) + 1,
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


def others_values(study: Study) -> NDArray[np.float64]:
    """Return r_w over all comparisons by rater code, of everyone's choices, NaN where it is undefined."""
    study = study.between_raters

    def compute() -> NDArray[np.float64]:
        poll, of_item = pooled(study.everyone)
        r = pcch_reliability.reliabilities(poll.votes, poll=of_item)[0]
        r = np.where(pcch_reliability.undefined_reliability(poll.votes, of_item), np.nan, r)
        return by_code(study, poll.rater_code, r)

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
        lambda: worker_ranking.add_reliability_intervals(ranked, poll.votes, poll_of_item),
    )


def _compare(study: Study, poll: Poll, poll_of_item: Codes, ranked: WorkerRanking) -> ComparedRaters:
    """Return the raters of a poll with the tests of r_w against the typical rater."""

    def compute() -> ComparedRaters:
        r, items = ([getattr(one, name) for one in ranked.r] for name in ("value", "n"))
        changes = reliability_changes(poll.votes, r, items, poll_of_item)
        tests = compare_with_typical(changes.z, changes.units, pooled_variance(changes), FEWEST_VOTES_ABOVE)
        return ComparedRaters(poll.name, poll.rater_names.tolist(), ranked.r, tests)

    return result(key_of(study.dataset, "workers compared", study.candidate, poll.name), compute)


STOPPED = not_applicable("The ranking of the raters was stopped.")
_NAMED = 3
"""Raters named in the evidence."""


def chance_finding(found: WorkersFound) -> Finding:
    """Return how many raters do not agree with the others beyond chance.

    That is clear where they agree less than the typical rater, so that their intervals are not merely wide.
    """
    raters = judged(found.ranking)
    if not raters:
        return _missing(found)
    low = sorted((one for one in raters if one.mark == CHANCE), key=lambda one: -one.figure.value)
    typical = float(np.median([one.figure.value for one in raters]))
    is_clear = all(one.figure.high < typical for one in low)
    verbs = ("agrees", "agree")
    if low:
        verbs = (
            ("does not agree", "do not agree")
            if is_clear
            else ("is not shown to agree", "are not shown to agree")
        )
    number = len(low) or len(raters)
    headline = f"{{who}} {verbs[number > 1]} with the others beyond chance."
    values = {"who": capitalized(part_of_whole(number, len(raters), "rater"))}
    shown = low[-_NAMED:] or [min(raters, key=lambda one: one.figure.value)]
    named = [f"{one.name} {estimate_with_interval(one.figure)}" for one in reversed(shown)]
    items, scope = counted(found.all_items, "item"), for_raters("raters like these")
    if found.comparisons > 1:
        items += f" in {counted(found.comparisons, 'comparison')}"
    return clear_if(
        is_clear,
        headline,
        values,
        f"Lowest agreement: {named[0]}",
        *named[1:],
        "95% CI of each",
        items,
        scope,
    )


def judged(ranking: RaterRanking) -> list[RankedRater]:
    """Return the raters with enough items whose agreement has an interval."""
    return [one for one in ranking.with_enough if not isnan(one.figure.low)]


def _missing(found: WorkersFound) -> Finding:
    ranking, step = found.ranking, NextStep("Upload more choices", "datasets.py")
    most = max((one.figure.n for one in ranking.raters), default=0)
    if most < ranking.fewest:
        there = f"{counted(most, 'shared item')} per rater"
        return too_few("compare raters", {}, there, ranking.fewest, next_step=step)
    reasons = (one.figure.reason for one in ranking.raters if one.figure.reason)
    values = {"reason": next(reasons, "no interval is defined")}
    headline = "Not enough data to say who agrees with the others: {reason}."
    return not_enough_data(headline, values, next_step=step)


def typical_finding(found: WorkersFound) -> Finding | None:
    """Return who is clearly less or more consistent than the typical rater; None where too few can be compared."""
    finding = replace(naming_finding([found.ranking.compared]), name="typical")
    return None if finding.status is Status.NOT_ENOUGH_DATA else finding


def exclusion_finding(found: WorkersFound, everyone: WorkersFound, scenario: Scenario) -> Finding:
    """Return how many raters do not agree beyond chance without the excluded ones, and with everyone."""
    before, after = (
        {"not beyond chance": Estimate(sum(one.mark == CHANCE for one in judged(of.ranking)))}
        for of in (everyone, found)
    )
    return largest_change(scenario, "the number of raters", before, after, count)


def workers_table(found: WorkersFound) -> Table:
    """Return a row per rater with its figure by every method."""
    methods = found.methods
    columns = [
        Column(MAJORITY, methods[MAJORITY], PERCENT_ONE_DIGIT, False),
        Column(GLAD, methods[GLAD], THREE_DIGITS, False),
        Column(DAWID_SKENE, methods[DAWID_SKENE], PERCENT_ONE_DIGIT, False),
    ]
    if (found.votes != found.items).any():
        columns.append(Column("Votes", found.votes, count, False))
    if not np.isnan(found.seconds).all():
        columns.append(Column("Seconds", found.seconds, ONE_DIGIT, False))
    return agreement_table(
        found.ranking, R_W, "Items", f"Agreement with {_NAMES.get(found.known)}", more=columns
    )


def votes_table(polls: Sequence[Poll]) -> Shown:
    rows = [
        (poll.name, poll.votes.items, poll.votes.raters, option, votes)
        for poll in polls
        for option, votes in zip(poll.options, poll.votes.per_option.tolist(), strict=True)
    ]
    heads = ["Comparison", "Items", "Raters", "Option", "Votes"]
    return pd.DataFrame(rows, columns=heads), dict.fromkeys(("Votes", "Items", "Raters"), count)


def methods_table(found: WorkersFound) -> Table:
    """Return Spearman's rho of method pairs over raters, with the number of raters."""
    names, rho = list(found.methods), found.rank_correlations

    def cell(one: str, other: str) -> str:
        of_both = rho.get((one, other), rho.get((other, one)))
        if of_both is None:
            return ""
        between = "" if isnan(of_both.low) else f"{interval(of_both)}, "
        value = decimal(of_both.value) if of_both.defined else DASH
        return f"{value} ({between}n = {count(of_both.n)})"

    caption = "Spearman's ρ of each pair of methods, with its 95% CI and the number of raters."
    columns = [Column(other, [cell(one, other) for one in names]) for other in names]
    return table_of("methods", caption, [Column("Method", names), *columns])


def workers_notes(found: WorkersFound) -> list[Note]:
    """Return how intervals were made, and why some methods have no correlation."""
    texts: list[Text] = []
    if found.intervals:
        texts.append(("Intervals: {how}.", {"how": found.intervals}))
    every = found.rank_correlations.values()
    undefined = {rho.reason for rho in every if not rho.defined}
    reasons = sorted(undefined) if any(rho.defined for rho in every) else []
    dashes: list[Text] = [("A dash: {reason}.", {"reason": one}) for one in reasons]
    return [Note(text) for text in number_repeats([*texts, *dashes])]


@computed_by(rank_workers, PROGRAM)
def workers_section(study: Study, scenario: Scenario, spec: WorkersSpec) -> Iterator[Block]:
    """Yield who agrees with the others, with known answers where there are some, and how far methods agree."""
    found = rank_workers(study, spec)
    if found is None:
        yield STOPPED
        return
    if study.dataset.without:
        everyone = rank_workers(study.everyone, spec)
        if everyone is not None:
            yield exclusion_finding(found, everyone, scenario)
    yield from _blocks(study, found)
    yield from undefined_notes(found.ranking, weight="; as a weight it counts 0")
    yield from workers_notes(found)
    yield from known_blocks(found.ranking, study.groups)
    if any(rho.defined for rho in found.rank_correlations.values()):
        yield Heading("Agreement of the methods")
        yield methods_table(found)
    yield from shares_blocks(attributes_of(study))
    yield method_of("raters", "workers", ["habibi2012"])


def _blocks(study: Study, found: WorkersFound) -> Iterator[Block]:
    yield chance_finding(found)
    yield from rater_figure(found.ranking, study, WITH_OTHERS)
    yield workers_table(found)
    if (typical := typical_finding(found)) is not None:
        yield typical


def workers_card(study: Study) -> Iterator[Block]:
    """Yield who agrees with the others over all comparisons, for the overview."""
    found = rank_workers(study, WorkersSpec())
    if found is not None:
        yield from card_of(_blocks(study, found))
