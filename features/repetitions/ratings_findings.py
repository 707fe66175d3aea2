"""Verdicts and the table of repetitions of ratings: how many ratings a reliability needs, and where gains slow."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from math import atanh, ceil, isfinite, isinf, isnan, nan

import numpy as np
import pandas as pd

from analysis.repetitions.attenuation import LARGEST_RATIO, advise_on_width, plannable_half_width
from analysis.repetitions.knee import FittedCurves, KneeInterval, sort_by_knee
from analysis.repetitions.saturation import quantiles
from analysis.values.estimate import Estimate
from features.assessments import HARDLY_ANY
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    for_raters,
    not_applicable,
    not_enough_data,
    too_few,
    uncertain,
)
from features.exclusion import largest_change
from features.plotting.theme import THREE_DIGITS, UNDEFINED, count, counts, decimal, interval, share
from features.repetitions.figures import SINGLE_LINES
from features.repetitions.ratings_results import Needed, RatingsSpec, Repetitions, has_two_ratings
from features.study import LARGEST_BOOTSTRAP, Scenario, Study
from features.words import Column, by_reason, counted, estimate_columns, extent_in_words, listed, table_of

FEWEST_ITEMS = 10
"""Items below which nothing is said about a correlation."""
MOST_TIMES = 4
"""Times the items at hand up to which a number of items is recommended; beyond, it would be a guess."""
PRINTED_SHUFFLES = 5
"""Shuffles whose fit has a column each, as many as the paper has; with few shuffles, each has one."""
MORE_RATERS = NextStep("Plan more raters", "planning.py", {"plan": "How precise?"})
KNEE = "knee"
"""Name of the finding that says where gains slow."""
NEEDED = "needed"
"""Name of the figure of ratings needed, and of the table."""


def _plan_items(needed: float, there: int) -> NextStep | None:
    """Return the step to so many items, where they are within reach."""
    if not there < needed <= MOST_TIMES * there:
        return None
    return NextStep(f"Plan about {count(ceil(needed))} items", "planning.py", {"plan": "How precise?"})


FEW_FOR_KNEE = 5
"""Ratings per item up to which their number is why a curve has no knee."""


def is_apart_from_0(correlation: Estimate) -> bool:
    """Return True where a correlation is of enough items and its interval excludes 0."""
    return correlation.n >= FEWEST_ITEMS and correlation.excludes()


def why_no_knee(one: FittedCurves, given: str = "ratings") -> str:
    """Return the clause that says why a curve has no knee."""
    if one.curves.reason or one.curves.repetitions <= FEW_FOR_KNEE:
        return one.curves.reason or f"too few {given} per item for a knee"
    return one.saturation.reason or "no knee: the curve after it is not flat enough"


def with_told_reason(known: Sequence[FittedCurves]) -> set[str]:
    """Return the curves of which a finding on these tells why none has a knee."""
    return set() if sort_by_knee(known) else {one.measure for one in known}


def whole(numbers: Iterable[int | None]) -> object:
    """Return whole numbers of which some are undefined, as a column."""
    return pd.array(list(numbers), dtype="Int64")


def repetitions_table(found: Repetitions, spec: RatingsSpec) -> Table:
    """Return the table of ratings needed, reliability and knee by measure, and of the fitted curves."""
    summaries = [one.agreement for one in found.needed]
    needed = [
        f"{count(one.ratings.value)} ({counts(one.ratings)})" if isfinite(one.ratings.value) else UNDEFINED
        for one in found.needed
    ]
    return table_of(
        NEEDED,
        (
            "Ratings per item for a reliability of {target}, reliability now, and the knee of the fitted curve.",
            {"target": decimal(spec.target)},
        ),
        [
            Column("Measure", [one.measure for one in found.needed]),
            *estimate_columns("Ratings needed", [one.ratings for one in found.needed], count_or_open, needed),
            *estimate_columns("Reliability now", [one.mean for one in summaries], decimal),
            *knee_columns(found.fitted, found.intervals, "Ratings per item"),
            *estimate_columns(
                "Reliability of one rating", [one.one for one in summaries], THREE_DIGITS, None, False
            ),
            *fit_columns(found.fitted),
        ],
    )


def fit_columns(fitted: Sequence[FittedCurves]) -> Iterator[Column]:
    """Yield coefficients and R² of the fitted curves, as the paper's Table 2; R² of many shuffles as a median, too."""
    for name in "abc":
        yield Column(name, [getattr(one.saturation, name) for one in fitted], THREE_DIGITS, False)
    yield Column("R² measured", [one.saturation.r_squared_measured for one in fitted], decimal, False)
    each = [one.saturation.r_squared_shuffled for one in fitted]
    most = max(map(len, each), default=0)
    if most > SINGLE_LINES:
        middles = [quantiles(one[:, None], (0.05, 0.5, 0.95)) for one in each]
        ends = [Estimate(0.0, float(low[0]), float(high[0])) for low, _, high in middles]
        yield Column("R² shuffles, median", [float(one[0]) for _, one, _ in middles], decimal, False)
        yield Column("R² shuffles, 5–95%", [interval(one) for one in ends], None, False)
    for at in range(PRINTED_SHUFFLES if most > SINGLE_LINES else most):
        values = [float(one[at]) if at < len(one) else np.nan for one in each]
        yield Column(f"R² shuffle {at + 1}", values, decimal, False)


def fits_table(fitted: Sequence[FittedCurves]) -> Table:
    """Return the table of the fitted curves alone, in the columns of the paper's Table 2."""
    knees = Column("Knee", whole(one.knee for one in fitted))
    columns = [replace(column, at_first_sight=True) for column in fit_columns(fitted)]
    return table_of(
        "fits",
        "Coefficients of the fitted curve, knee, and R² of that curve for the measured order and for random orders.",
        [Column("Measure", [one.measure for one in fitted]), *columns[:3], knees, *columns[3:]],
    )


def obstacle(study: Study) -> Finding | None:
    """Return why curves of a study cannot be simulated, None where they can."""
    if study.reference == study.candidate:
        step = "Choose another reference, or split halves, in the sidebar"
        return not_applicable("Candidate and reference are both {group}.", {"group": study.candidate}, step)
    if not has_two_ratings(study):
        return needs_two("ratings", "Your items have one")
    return None


def needs_two(given: str, *line: str) -> Finding:
    pilot = NextStep("Plan a pilot", "planning.py", {"plan": "How precise?"})
    return not_enough_data(f"This page needs at least two {given} per item.", {}, *line, next_step=pilot)


def needed_finding(needed: Sequence[Needed], target: float) -> Finding:
    """Return the ratings per item that a reliability needs on the hardest measure, or why there is no number."""
    known = [one for one in needed if one.has_number]
    if not known:
        return _without_number(max(needed, key=lambda one: np.nan_to_num(one.agreement.one.low, nan=-9.0)))
    hardest = max(known, key=lambda one: one.ratings.value)
    least = min(one.ratings.value for one in known)
    others = [one.measure for one in needed if not one.has_number]
    is_wide = hardest.ratings.high > LARGEST_RATIO * hardest.ratings.low
    needs = "needs most, about" if len(needed) > 1 else "needs about"
    word = "rating" if hardest.ratings.value == 1 else "ratings"
    found = clear_if(
        not is_wide and not hardest.agreement.is_rough,
        f"{{measure}} {needs} <b>{{r}}</b> {word} per item.",
        {"measure": capitalized(hardest.measure), "r": count(hardest.ratings.value)},
        f"Reliability {decimal(target)}",
        confidence_interval(hardest.ratings, count),
        counted(hardest.ratings.n, "item"),
        for_raters(hardest.agreement.scope),
        f"easiest measure: {count(least)}" if least < hardest.ratings.value else "",
        f"no number for {listed(others)}" if others else "",
    )
    step = _next_step(hardest, plannable_half_width(hardest.agreement.one.value)) if is_wide else None
    return _with_cautions(found, hardest, step)


def _without_number(best: Needed) -> Finding:
    one, reason = best.agreement.one, best.ratings.reason
    line = [
        f"Reliability of one rating {decimal(one.value)}" if one.defined else "",
        confidence_interval(one),
        counted(one.n, "item"),
        for_raters(best.agreement.scope),
    ]
    values, step = {"measure": best.measure}, None
    if one.warning or not one.defined or isnan(one.low):
        why = [] if one.warning else [reason]
        found = not_enough_data(
            "Not enough data to say how many ratings {measure} needs.", values, *why, *line
        )
    elif one.low <= 0 and (one.value <= 0 or one.high < HARDLY_ANY):
        headline = "Raters do not agree beyond chance on {measure}, so no mean gets reliable."
        return clear_if(one.high < HARDLY_ANY, headline, values, *line)
    elif best.agreement.scope == "raters like these" and reason:
        headline, step = "Not enough raters to say how many ratings {measure} needs.", MORE_RATERS
        found = not_enough_data(headline, values, reason, *line)
    else:
        found = uncertain("It is unclear how many ratings {measure} needs.", values, *line)
        step = _next_step(best, atanh(min(one.value, 0.99)))
    return _with_cautions(found, best, step)


def _next_step(one: Needed, wanted: float) -> NextStep | None:
    """Return the step that would bring the interval of one rating's reliability to a half-width on Fisher's z."""
    found = advise_on_width(one.agreement, wanted)
    if found is not None and found.of == "raters":
        return MORE_RATERS
    return None if found is None else _plan_items(found.number, one.agreement.one.n)


def _with_cautions(finding: Finding, one: Needed, step: NextStep | None) -> Finding:
    texts, found = list[Text](), one.agreement
    if found.one.warning:
        texts.append(("{warning}", {"warning": found.one.warning}))
    if found.is_rough:
        texts.append(("Rough: {raters} raters stand for raters like these.", {"raters": found.raters}))
    return replace(finding, warnings=texts, next_step=step)


def curve_finding(study: Study, found: Repetitions, spec: RatingsSpec) -> Finding:
    """Return where gains slow, once the knees' intervals are known; before, the highest correlation."""
    known = [one for one in found.fitted if is_apart_from_0(one.correlation)]
    if not known:
        return _no_correlation(study, found.fitted, spec)
    if found.intervals is None or has_split_halves(study):
        return _highest_correlation(study, known, spec)
    scope = for_raters(spec.scope) if spec.scope else ""
    slow = knee_finding(known, found.fitted, found.intervals, scope=scope, name=KNEE)
    if slow is not None:
        return slow
    headline = "Not enough data to say after how many ratings gains slow."
    return not_enough_data(headline, {}, why_no_stable_knee(known, found.fitted, found.intervals), name=KNEE)


def knee_finding(
    known: Sequence[FittedCurves],
    fitted: Sequence[FittedCurves],
    intervals: Sequence[KneeInterval],
    given: str = "ratings",
    of: str = "measures",
    scope: str = "",
    name: str = MAIN,
    at_knee: Callable[[FittedCurves], str] = lambda one: "",
) -> Finding | None:
    """Return the median knee of the known curves; None where none is in most bootstrap samples."""
    drawn = dict(zip((one.measure for one in fitted), intervals, strict=True))
    stable = [one for one in sort_by_knee(known) if drawn[one.measure].has_knee]
    if not stable:
        return None
    one, several = stable[len(stable) // 2], len(fitted) > 1
    first, last = stable[0].knee, stable[-1].knee
    knees = f"Knees {first}–{last}" if first != last else f"Knee {first}"
    knee = drawn[one.measure].knee
    between = f"95% CI {counts(knee)}" if isinf(knee.high) else confidence_interval(knee, count)
    return clear(
        f"Gains slow after about <b>{{knee}}</b> {given} per item.",
        {"knee": one.knee},
        f"{knees} on {extent_in_words(len(stable), len(fitted), of)}" if several else "",
        f"{between} on {one.measure}" if several and between else between,
        at_knee(one),
        counted(int(one.curves.items[-1]), "item"),
        f"{one.curves.repetitions} {given} per item",
        scope,
        "a larger study moves the knee",
        name=name,
    )


def why_no_stable_knee(
    known: Sequence[FittedCurves],
    fitted: Sequence[FittedCurves],
    intervals: Sequence[KneeInterval] | None,
    given: str = "ratings",
) -> str:
    """Return why no knee is reported of the known curves; "" where that is not known yet."""
    knees = sort_by_knee(known)
    if not knees:
        return "; ".join(sorted({why_no_knee(one, given) for one in known}))
    if intervals is None:
        return ""
    at = [one.measure for one in fitted].index(knees[len(knees) // 2].measure)
    return f"{share(intervals[at].without_knee)} of the bootstrap samples have no knee"


def has_split_halves(study: Study) -> bool:
    """Return True where nothing but the other ratings is there to correlate with."""
    return study.reference is None and study.reference_column is None


def _highest_correlation(study: Study, known: Sequence[FittedCurves], spec: RatingsSpec) -> Finding:
    best, halves = max(known, key=lambda one: one.correlation.value), has_split_halves(study)
    headline = "{what} with {reference} {verb} <b>{value}</b>."
    if halves:
        headline = "Halves of an item's ratings correlate at <b>{value}</b>."
    values = {
        "what": "Correlations" if len(known) > 1 else "The correlation",
        "verb": "reach" if len(known) > 1 else "is",
        "reference": study.reference_name,
        "value": decimal(best.correlation.value),
    }
    line = [*_correlation_line(best, spec, "half" if halves else "item"), "repeatability, not validity"]
    return clear(headline, values, *(line if halves else line[:-1]), name=KNEE)


def _correlation_line(one: FittedCurves, spec: RatingsSpec, of: str = "item") -> list[str]:
    return [
        f"{spec.correlation} {decimal(one.correlation.value)} on {one.measure}",
        confidence_interval(one.correlation),
        counted(one.correlation.n, "item"),
        f"{counted(one.curves.repetitions, 'rating')} per {of}",
        for_raters("these raters"),
    ]


def _no_correlation(study: Study, fitted: Sequence[FittedCurves], spec: RatingsSpec) -> Finding:
    """Return what is known of the correlations where none is apart from 0."""
    defined = [one for one in fitted if one.correlation.defined]
    if not defined:
        reasons = sorted({one.curves.reason or one.correlation.reason for one in fitted})
        headline = "Not enough data to say what more ratings bring."
        return not_enough_data(headline, {}, "; ".join(reasons), name=KNEE)
    first = max(defined, key=lambda one: one.correlation.n)
    found, line = first.correlation, _correlation_line(first, spec)
    if found.n < FEWEST_ITEMS:
        step, there = (
            NextStep("Plan more items", "planning.py", {"plan": "How precise?"}),
            counted(found.n, "item"),
        )
        return too_few("find where gains slow", {}, there, FEWEST_ITEMS, *line[:2], next_step=step, name=KNEE)
    reference = "its other half" if has_split_halves(study) else study.reference_name
    values = {"measure": first.measure, "Measure": capitalized(first.measure), "reference": reference}
    if max(abs(found.low), abs(found.high)) < HARDLY_ANY:
        return clear("{Measure} does not correlate with {reference}.", values, *line, name=KNEE)
    is_open = 0 < abs(found.value) < 1
    needed = 3 + (1 + found.value**2 / 2) * (1.96 / atanh(found.value)) ** 2 if is_open else nan
    finding = uncertain("It is unclear if {measure} correlates with {reference}.", values, *line, name=KNEE)
    return replace(finding, next_step=_plan_items(needed, found.n))


def exclusion_finding(study: Study, before: Sequence[Needed], after: Sequence[Needed]) -> Finding:
    """Return how excluding raters changes the ratings needed."""
    old = {one.measure: one.ratings for one in before if one.has_number}
    new = {one.measure: one.ratings for one in after if one.has_number}
    excluded = Scenario(names=study.dataset.without)
    return largest_change(excluded, "the number of ratings needed for", old, new, count)


def knee_columns(
    fitted: Sequence[FittedCurves], intervals: Sequence[KneeInterval] | None, per_item: str
) -> Iterator[Column]:
    """Yield the knee with its interval, how many bootstrap samples have none, and what the curve is of."""
    known = intervals or ()
    texts = [str(one.knee) for one in fitted]
    for at, drawn in enumerate(known):
        between = counts(drawn.knee)
        texts[at] += "" if between == "–" else f" ({between})"
    yield Column("Knee", whole(one.knee for one in fitted), texts)
    if known:
        yield Column("Knee from", [one.knee.low for one in known], count_or_open, False)
        yield Column("Knee to", [one.knee.high for one in known], count_or_open, False)
        yield Column("Without a knee", [one.without_knee for one in known], share, False)
    yield Column(per_item, [one.curves.repetitions for one in fitted], None, False)
    yield Column("Items", [int(one.curves.items.max(initial=0)) for one in fitted], count, False)


def curve_warnings(
    fitted: Sequence[FittedCurves],
    sampled: Collection[str],
    given: str = "ratings",
    lacking: str = "a reference value",
    several: str = "measures",
    told: Collection[str] = (),
) -> Iterator[Warning]:
    """Yield each reason why something is undefined, left out or sampled, with the curves it holds for.

    The finding has `told` of these why they have no knee.
    """
    named_reasons = list[tuple[str, str]]()
    for one in fitted:
        items = one.curves.items
        reasons = [
            one.curves.reason,
            one.extrapolation.reason if one.extrapolation else "",
            why_no_knee(one, given)
            if one.knee is None and one.curves.repetitions and one.measure not in told
            else "",
        ]
        if one.curves.left_out:
            reasons.append(f"{counted(one.curves.left_out, 'item')} without {lacking} left out")
        if len(items) and items[-1] < items[0]:
            there = f"{count(items[0])} at the first, {count(items[-1])} at the last"
            reasons.append(f"items with fewer {given} leave the curve: {there}")
        if one.measure in sampled:
            reasons.append(f"curves are of {count(LARGEST_BOOTSTRAP)} items drawn at random (seed 0)")
        named_reasons += [(one.measure, reason) for reason in dict.fromkeys(reasons)]
    yield from by_reason(named_reasons, len(fitted), several)


def count_or_open(number: float) -> str:
    """Return a count, or the sign of an open end.

    >>> count_or_open(19.0), count_or_open(float("inf"))
    ('19', '∞')
    """
    return decimal(number) if isinf(number) else count(number)
