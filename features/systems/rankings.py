"""Options on one scale, from rankings and best-worst choices: results, agreement, counting scores and section."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isnan

import numpy as np
from numpy.typing import NDArray

from analysis.systems.bradley_terry import Scale, fit_comparisons
from analysis.systems.goodness_of_fit import GoodnessOfFit, PairedVotes, goodness_of_fit, position_effect
from analysis.systems.rank_agreement import BestWorstScores, Concordance, best_worst_scores, concordance
from analysis.systems.ranked_options import (
    RankedOptions,
    RankingScope,
    TaskScope,
    cluster_codes,
    fit_ranked,
    has_known_order,
    implied_pairs,
    scale_of_rankings,
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Floats, Scope
from features.assessments import ranked
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    Note,
    Progress,
    Table,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    in_stages,
    last_stage,
    method_of,
    not_applicable,
    not_enough_data,
    resampled_scopes,
)
from features.exclusion import exclusion_change
from features.plotting.theme import THREE_DIGITS, count, decimal, p_phrase
from features.program import computed_by
from features.study import OnProgress, Scenario, Study, interval_stages, key_of, query, result
from features.systems import scale_findings as findings
from features.systems.scale_results import Axis, SystemsOnScale
from features.systems.scale_section import scale_figure, win_matrix
from features.words import Column, counted, estimate_columns, table_of

MOST_OPTIONS = 200
"""Options that one scale is fitted to: pairs of more take too long."""


@dataclass(frozen=True)
class RankingSpec:
    """One scale for all options that were ranked.

    `bootstrap` holds the level of the intervals, and draws and seed of the adjustment for all pairs; `axis` is what
    figures show. `scope` and `tasks` say which raters and tasks intervals generalize to, None for the default.
    """

    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    axis: Axis = "chance"
    scope: Scope | None = None
    tasks: TaskScope | None = None

    @property
    def generalizes_to(self) -> RankingScope:
        return RankingScope(self.scope, self.tasks)


@dataclass(frozen=True, eq=False)
class OptionsOnScale(SystemsOnScale):
    """Options on one scale, from rankings.

    `agreement` is Kendall's W with the `tasks` by name, None for best-worst choices, which have `counted` scores.
    """

    rankings: RankedOptions = field(kw_only=True)
    agreement: Concordance | None = None
    counted: BestWorstScores | None = None
    tasks: tuple[str, ...] = ()

    @property
    def has_too_many(self) -> bool:
        """Return True where there are too many options for one scale."""
        return len(self.rankings.options) > MOST_OPTIONS

    @property
    def total(self) -> int:
        """Number of rankings."""
        return self.rankings.rankings

    def met(self, at: int) -> int:
        return int(self.times[at])

    @cached_property
    def times(self) -> Codes:
        """Number of rankings of each option (S,)."""
        return np.bincount(self.rankings.option, minlength=len(self.rankings.options))

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean rank of each option (S,)."""
        total = np.bincount(self.rankings.option, self.rankings.rank, len(self.rankings.options))
        return np.asarray(total / np.maximum(self.times, 1))


def fit_options(study: Study, spec: RankingSpec) -> OptionsOnScale:
    """Place the options of rankings on one scale, with intervals, and say how far raters agree."""
    return last_stage(option_stages(study, spec))


def option_stages(study: Study, spec: RankingSpec) -> Iterator[OptionsOnScale | Progress]:
    """Yield the scale of all options without intervals, unless these are there already; then with all there is."""
    yield from interval_stages(
        study,
        "Scale of rankings",
        partial(_place, study, spec.generalizes_to),
        spec.bootstrap,
        study.candidate,
        spec.generalizes_to,
    )


def _votes(study: Study) -> PairedVotes:
    return result(_key(study, "implied pairs"), lambda: implied_pairs(_on_scale(study)))


def _scale(study: Study) -> Scale:
    return result(_key(study, "scale of rankings"), lambda: fit_ranked(_on_scale(study), _votes(study)))


def _on_scale(study: Study) -> RankedOptions:
    """Return the rankings, none where there are too many options for one scale."""
    of = ranked(study)
    if len(of.options) <= MOST_OPTIONS:
        return of
    none = np.zeros(0, dtype=np.int64)
    return RankedOptions(none, none, none, np.zeros(0), np.zeros(0), of.options[:0])


def _place(
    study: Study, scope: RankingScope, bootstrap: BootstrapSpec, on_progress: OnProgress | None
) -> OptionsOnScale:
    """Return the options on their scale; with draws also its intervals, the effect of position and the agreement."""
    of, votes, scale, persons = ranked(study), _votes(study), _scale(study), study.raters_are_persons
    task, rater = cluster_codes(of, persons, scope)
    by_task, by_rater = task[votes.row], None if rater is None else rater[votes.row]

    def fit_pairs() -> GoodnessOfFit:
        return goodness_of_fit(fit_comparisons(votes.comparisons), votes.comparisons, by_task, by_rater)

    fit = result(_key(study, "fit of rankings", scope), fit_pairs)
    what, unit = ("item", "choice") if of.is_best_worst else ("system", "ranking")
    placed = OptionsOnScale(votes, scale, fit, what=what, unit=unit, rankings=of)
    if not bootstrap.draws:
        return placed
    intervals = scale_of_rankings(of, scale, votes, bootstrap, persons, scope)
    known, position = has_known_order(of, votes), None
    if known.any():
        position = position_effect(
            votes.comparisons.select(known),
            votes.first_shown[known],
            by_task[known],
            None if by_rater is None else by_rater[known],
            bootstrap.level,
        )
    agreement = counted = None
    if of.is_best_worst:
        counted = best_worst_scores(of, bootstrap.level, bootstrap.seed, persons, scope=scope)
    else:
        agreement = concordance(of, bootstrap.level, persons, scope)
    names = query(study.dataset, "item_names")["name"]
    tasks = () if agreement is None else tuple(names[agreement.tasks].tolist())
    return replace(
        placed, intervals=intervals, position=position, agreement=agreement, counted=counted, tasks=tasks
    )


def _key(study: Study, what: str, *parts: object) -> str:
    return key_of(study.dataset, what, study.candidate, *parts)


MOST_TASKS = 1000
"""Tasks listed, those with most agreement first."""


@computed_by(
    fit_options,
    "results = {'options': found.chances, 'agreement': found.agreement, 'counted': found.counted, 'scale': found}",
)
def rankings_section(study: Study, scenario: Scenario, spec: RankingSpec) -> Iterator[Block]:
    """Yield the scale of all options, first without intervals; then position, agreement or scores, and pairs."""
    found = yield from in_stages(option_stages(study, spec), partial(_blocks, study, spec))
    if not found.has_too_many:
        what = "the share of wins of"
        yield from exclusion_change(
            study, scenario, what, found, option_stages, spec, lambda one: one.chances
        )
    if found.has_scale:
        order = found.scale.order
        more = (
            Column(f"{capitalized(found.unit)}s", found.times[order], count),
            Column("Mean rank", found.mean_ranks[order], decimal),
        )
        yield findings.systems_table(found, more if found.counted is None else more[:1])
        yield from findings.scale_remarks(found, rankings_used(found))
        if found.position is not None:
            earlier = "Options shown earlier rank higher.", "Options shown earlier rank lower."
            yield findings.position_finding(found.scale, found.position, spec.bootstrap, *earlier)
    if found.counted is not None:
        yield Heading("Counting scores")
        yield reliability_finding(found.counted, found.rankings)
        yield scores_table(found.counted, found.rankings.options)
    if found.agreement is not None:
        yield Heading("Agreement of the rankings")
        yield agreement_finding(found.agreement, found, spec.bootstrap)
        if len(found.agreement.by_task) > 1:
            yield tasks_table(found.agreement, found)
    if found.has_scale:
        yield Heading("Pairs")
        caption = "Share of {unit}s in which the row's {what} stands above the column's, in percent"
        caption += "; a tie is a half." if found.scale.ties.any() else "."
        draw = partial(win_matrix, found.scale, found.fit)
        yield Figure("wins", (caption, {"unit": found.unit, "what": found.what}), draw)
        yield findings.pairs_table(found, spec.bootstrap)
    sources = ["luce1959", "hunter2004", "cameron2011"]
    sources += ["kiritchenko2017"] if found.rankings.is_best_worst else ["kendall1939"]
    yield method_of("systems", "rankings", sources, draws=spec.bootstrap.draws, seed=spec.bootstrap.seed)


def _blocks(study: Study, spec: RankingSpec, found: OptionsOnScale) -> Iterator[Block]:
    yield too_many(found) if found.has_too_many else findings.scale_finding(found, spec.bootstrap)
    if found.has_scale:
        yield scale_figure(study, found.scale, found.intervals, spec.axis, what=found.what)


def too_many(found: OptionsOnScale) -> Finding:
    options = counted(len(found.rankings.options), found.what)
    headline = f"One scale of more than {{most}} {found.what}s is not fitted."
    return not_applicable(headline, {"most": count(MOST_OPTIONS)}, f"You have {options}")


def agreement_finding(agreement: Concordance, found: OptionsOnScale, spec: BootstrapSpec) -> Finding:
    """Return whether raters' rankings agree, by Kendall's W."""
    w, r = agreement.w, agreement.correlation
    if not w.defined:
        return not_enough_data(
            "Not enough data to say whether rankings agree.", {}, capitalized(w.reason), name="agreement"
        )
    many = len(agreement.by_task)
    is_clear = agreement.p < 1 - spec.level
    headline = "Rankings do not clearly agree: Kendall's W is {w}."
    if is_clear and r.value > 0:
        headline = "Rankings agree beyond chance: Kendall's W is {w}."
    between = confidence_interval(w, level=spec.level)
    return clear_if(
        is_clear,
        headline,
        {"w": decimal(w.value)},
        between or capitalized(w.warning),
        f"mean correlation of two raters {decimal(r.value)}",
        "" if isnan(agreement.p) else p_phrase(agreement.p),
        counted(many, "task"),
        counted(w.n, "ranking"),
        counted(found.rankings.raters, "rater"),
        *(resampled_scopes(agreement.over) if between else ()),
        name="agreement",
    )


def tasks_table(agreement: Concordance, found: OptionsOnScale) -> Table:
    values = np.array([each.value for each in agreement.by_task])
    order = np.argsort(-np.nan_to_num(values, nan=-1), kind="stable")[:MOST_TASKS].tolist()
    each = [agreement.by_task[at] for at in order]
    columns = [
        Column("Task", [found.tasks[at] for at in order]),
        Column("Kendall's W", [one.value for one in each], THREE_DIGITS),
        Column("Raters", [one.raters for one in each], count),
        Column("Options", [one.items for one in each], count),
    ]
    return table_of("tasks", "Kendall's W of each task, the largest first.", columns)


def reliability_finding(scores: BestWorstScores, rankings: RankedOptions) -> Finding:
    """Return how well the counting scores of two halves of the tuples correlate."""
    tuples = counted(rankings.tasks, "tuple")
    if isnan(scores.reliability):
        headline = "Not enough data to say how reliable counting scores are."
        return not_enough_data(headline, {}, capitalized(scores.reason), tuples, name="reliability")
    low, high = np.quantile(scores.halves, [0.025, 0.975])
    return clear(
        "Scores from two random halves of the tuples correlate at {r}.",
        {"r": decimal(scores.reliability)},
        f"Mean of {count(len(scores.halves))} halves",
        f"95% of them {decimal(low)} to {decimal(high)}",
        counted(len(scores.score), "item"),
        tuples,
        counted(rankings.raters, "rater"),
        name="reliability",
    )


def scores_table(scores: BestWorstScores, names: NDArray[np.str_]) -> Table:
    order = np.argsort(-np.nan_to_num(scores.score, nan=-2), kind="stable").tolist()
    ends = np.stack([scores.score, scores.low, scores.high], axis=1)[order]
    columns = [
        Column("Item", [str(names[at]) for at in order]),
        *estimate_columns("Score", [Estimate(*each) for each in ends.tolist()], THREE_DIGITS),
        Column("Shown", scores.shown[order], count),
        Column("Best", scores.best[order], count),
        Column("Worst", scores.worst[order], count),
    ]
    return table_of(
        "scores", "Counting score of each item, times best minus times worst per time shown.", columns
    )


def rankings_used(found: OptionsOnScale) -> Note:
    """Return what the scale is based on."""
    ranked = found.rankings
    ties = (
        ", {ties}: a tie is half a win for either side"
        if ranked.has_ties and not ranked.is_best_worst
        else ""
    )
    values = {
        "rankings": counted(ranked.rankings, found.unit),
        "tasks": counted(ranked.tasks, "tuple" if ranked.is_best_worst else "task"),
        "pairs": counted(len(found.votes.comparisons), "pair"),
        "ties": counted(round(found.scale.ties.sum() / 2), "tie"),
    }
    return Note((f"{{rankings}} in {{tasks}} imply {{pairs}}{ties}.", values))


def rankings_card(study: Study) -> Iterator[Block]:
    """Yield the scale of all options for the overview, with its intervals, which take moments."""
    yield from _blocks(study, RankingSpec(), fit_options(study, RankingSpec()))
