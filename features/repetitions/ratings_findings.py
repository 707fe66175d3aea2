"""Verdicts and the table of repetitions of ratings: how many ratings a reliability needs, and where gains slow."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import atanh, ceil, exp, isfinite, isinf, isnan, log, nan, sqrt

import numpy as np
import pandas as pd

from analysis.repetitions.attenuation import advise
from analysis.repetitions.knee import FittedCurves, KneeInterval, by_knee
from analysis.values.estimate import Estimate
from features.assessments import HARDLY_ANY
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    excludes,
    for_raters,
    not_applicable,
    not_enough_data,
    too_few,
    uncertain,
)
from features.plotting.numbers import UNDEFINED, count, counts, decimal, interval, share
from features.repetitions.figures import SINGLE_LINES, quantiles
from features.repetitions.ratings_results import (
    SHUFFLES_OF_SAMPLE,
    Needed,
    RatingsSpec,
    Repetitions,
    sampled_measures,
    varies_raters,
)
from features.results import LARGEST_BOOTSTRAP
from features.study import Study
from features.words import Column, counted, estimate_columns, listed, table_of

FEWEST_ITEMS = 10
"""Items below which nothing is said about a correlation."""
TOO_WIDE = 4
"""Times the lower end of the ratings needed up to which the upper end leaves a number to plan with."""
MOST_TIMES = 4
"""Times the items at hand up to which a number of items is recommended; beyond, it would be a guess."""
PRINTED_SHUFFLES = 5
"""Shuffles whose fit has a column each, as many as the paper has; with few shuffles, each has one."""
KNEE = "knee"
"""Name of the finding that says where gains slow."""
NEEDED = "needed"
"""Name of the figure of ratings needed, and of the table."""
EXACT = partial(decimal, digits=3)


def same_group(study: Study) -> Finding:
    """Return the finding of a study whose candidate and reference are the same group."""
    headline = "Candidate and reference are both {group}."
    step = "choose another reference, or split halves, in the sidebar"
    return not_applicable(headline, {"group": study.candidate}, capitalized(step))


def one_rating() -> Finding:
    """Return the finding of items with one rating each."""
    return not_enough_data(
        "This page needs at least two ratings per item.",
        {},
        "Your items have one",
        next_step=NextStep("Plan a pilot", "planning.py"),
    )


def needed_finding(needed: Sequence[Needed], target: float) -> Finding:
    """Return the ratings per item that a reliability needs on the hardest measure, or why there is no number."""
    known = [one for one in needed if one.has_number]
    if not known:
        return _without_number(max(needed, key=lambda one: np.nan_to_num(one.agreement.one.low, nan=-9.0)))
    hardest = max(known, key=lambda one: one.ratings.value)
    least = min(one.ratings.value for one in known)
    others = [one.measure for one in needed if not one.has_number]
    is_wide = hardest.ratings.high > TOO_WIDE * hardest.ratings.low
    which = ", the hardest measure," if len(needed) > 1 else ""
    found = clear_if(
        not is_wide and not hardest.agreement.is_rough,
        f"{{measure}}{which} needs about <b>{{r}}</b> ratings per item.",
        {"measure": capitalized(hardest.measure), "r": count(hardest.ratings.value)},
        f"Reliability {decimal(target)}",
        confidence_interval(hardest.ratings, count),
        counted(hardest.ratings.n, "item"),
        for_raters(hardest.agreement.scope),
        f"easiest measure: {count(least)}" if least < hardest.ratings.value else "",
        f"no number for {listed(others)}" if others else "",
    )
    step = _next_step(hardest, _narrow_enough(hardest.agreement.one.value)) if is_wide else None
    return replace(found, warnings=_cautions(hardest), next_step=step)


def _without_number(best: Needed) -> Finding:
    one, reason = best.agreement.one, best.ratings.reason
    line = (
        f"Reliability of one rating {decimal(one.value)}" if one.defined else "",
        confidence_interval(one),
        counted(one.n, "item"),
        for_raters(best.agreement.scope),
    )
    values = {"measure": best.measure}
    if one.warning or not one.defined or isnan(one.low):
        told = "" if one.warning or not reason else capitalized(reason)
        headline = "Not enough data to say how many ratings {measure} needs."
        found = not_enough_data(headline, values, *([told] if told else []), *line)
        return replace(found, warnings=_cautions(best))
    if one.low <= 0 and (one.value <= 0 or one.high < HARDLY_ANY):
        headline = "Raters do not agree beyond chance on {measure}, so no mean gets reliable."
        return clear_if(one.high < HARDLY_ANY, headline, values, *line)
    if best.agreement.scope == "raters like these" and reason:
        headline = "Not enough raters to say how many ratings {measure} needs."
        more = NextStep("Plan more raters", "planning.py")
        found = not_enough_data(headline, values, capitalized(reason), *line, next_step=more)
        return replace(found, warnings=_cautions(best))
    found = uncertain("It is unclear how many ratings {measure} needs.", values, *line)
    step = _next_step(best, atanh(min(one.value, 0.99)))
    return replace(found, warnings=_cautions(best), next_step=step)


def _next_step(one: Needed, wanted: float) -> NextStep | None:
    """Return the step that would bring the interval of one rating's reliability to a half-width on Fisher's z."""
    found = advise(one.agreement, wanted)
    if found is not None and found.of == "raters":
        return NextStep("Plan more raters", "planning.py")
    return None if found is None else _plan_items(found.number, one.agreement.one.n)


def _narrow_enough(reliability: float) -> float:
    """Return the half-width on Fisher's z with which the ratings needed are not too wide to plan with.

    Ratings needed are in proportion to (1 - ρ) / ρ, which is 2 / (exp(2z) - 1).
    """
    ratio, at = TOO_WIDE, exp(2 * atanh(min(reliability, 0.99)))
    return log((sqrt((ratio - 1) ** 2 + 4 * ratio * at**2) - ratio + 1) / (2 * at)) / 2


def _plan_items(needed: float, there: int) -> NextStep | None:
    """Return the step to so many items, where they are within reach."""
    if not there < needed <= MOST_TIMES * there:
        return None
    return NextStep(f"Plan about {count(ceil(needed))} items", "planning.py")


def _cautions(one: Needed) -> list[Text]:
    told, found = list[Text](), one.agreement
    if found.one.warning:
        told.append(("{warning}", {"warning": found.one.warning}))
    if found.is_rough:
        told.append(("Rough: {raters} raters stand for raters like these.", {"raters": found.raters}))
    return told


def curve_finding(study: Study, found: Repetitions, spec: RatingsSpec) -> Finding:
    """Return where gains slow, once the knees' intervals are known; before, the highest correlation."""
    known = [one for one in found.fitted if is_apart_from_0(one.correlation)]
    if not known:
        return _no_correlation(study, found.fitted, spec)
    if found.intervals is None or _has_split_halves(study):
        return _highest_correlation(study, known, spec)
    intervals = dict(zip((one.measure for one in found.fitted), found.intervals, strict=True))
    knees = by_knee(known)
    stable = [one for one in knees if intervals[one.measure].has_knee]
    headline = "Not enough data to say after how many ratings gains slow."
    if not knees:
        reasons = sorted({why_no_knee(one) for one in known})
        return not_enough_data(headline, {}, f"No knee: {'; '.join(reasons)}", name=KNEE)
    if not stable:
        one = knees[len(knees) // 2]
        told = f"{capitalized(one.measure)}: {share(intervals[one.measure].without_knee)} of the bootstrap samples"
        return not_enough_data(headline, {}, f"{told} have no knee", name=KNEE)
    one = stable[len(stable) // 2]
    return clear(
        "Gains slow after about <b>{knee}</b> ratings per item.",
        {"knee": one.knee},
        *range_of_knees(stable, len(found.fitted), "measures"),
        knee_interval_text(intervals[one.measure].knee, one.measure if len(found.fitted) > 1 else ""),
        counted(one.correlation.n, "item"),
        f"{counted(one.curves.repetitions, 'rating')} per item",
        "shift with study size" if len(stable) > 1 else "shifts with study size",
        name=KNEE,
    )


def range_of_knees(stable: Sequence[FittedCurves], of: int, several: str) -> Iterator[str]:
    """Yield the lowest and the highest of several knees, and how many curves have one."""
    if of > 1:
        first, last = stable[0].knee, stable[-1].knee
        told = f"Knees {first}–{last}" if first != last else f"Knee {first}"
        yield (
            f"{told} on {len(stable)} {several}"
            if len(stable) == of
            else f"{told} on {len(stable)} of {of} {several}"
        )


def knee_interval_text(knee: Estimate, of: str) -> str:
    """Return the interval of a knee for the evidence line, and the curve that it is of."""
    told = f"95% CI {counts(knee)}" if isinf(knee.high) else confidence_interval(knee, count)
    return f"{told} on {of}" if of and told else told


def _has_split_halves(study: Study) -> bool:
    return study.reference is None and study.reference_column is None


def _highest_correlation(study: Study, known: Sequence[FittedCurves], spec: RatingsSpec) -> Finding:
    best = max(known, key=lambda one: one.correlation.value)
    several, halves = len(known) > 1, _has_split_halves(study)
    headline = "{measure} correlates at <b>{value}</b> with {reference}."
    if halves:
        headline = "Halves of an item's ratings correlate at {up}<b>{value}</b>."
    elif several:
        headline = "Correlations with {reference} reach <b>{value}</b>."
    return clear(
        headline,
        {
            "measure": capitalized(best.measure),
            "value": decimal(best.correlation.value),
            "reference": study.reference_name,
            "up": "up to " if several else "",
        },
        f"{spec.correlation} on {best.measure}" if several or halves else spec.correlation,
        confidence_interval(best.correlation),
        counted(best.correlation.n, "item"),
        f"{counted(best.curves.repetitions, 'rating')} per {'half' if halves else 'item'}",
        for_raters("these raters"),
        "repeatability, not validity" if halves else "",
        name=KNEE,
    )


def is_apart_from_0(correlation: Estimate) -> bool:
    """Return True where a correlation is of enough items and its interval excludes 0."""
    return correlation.n >= FEWEST_ITEMS and excludes(correlation)


def _no_correlation(study: Study, fitted: Sequence[FittedCurves], spec: RatingsSpec) -> Finding:
    """Return what is known of the correlations where none is apart from 0."""
    defined = [one for one in fitted if one.correlation.defined]
    if not defined:
        reasons = sorted({one.curves.reason or one.correlation.reason for one in fitted})
        headline = "Not enough data to say what more ratings bring."
        return not_enough_data(headline, {}, capitalized("; ".join(reasons)), name=KNEE)
    first = max(defined, key=lambda one: one.correlation.n)
    found = first.correlation
    values = {
        "measure": first.measure,
        "reference": "its other half" if _has_split_halves(study) else study.reference_name,
    }
    line = (
        f"{spec.correlation} {decimal(found.value)}",
        confidence_interval(found),
        counted(found.n, "item"),
        f"{counted(first.curves.repetitions, 'rating')} per item",
        for_raters("these raters"),
    )
    if found.n < FEWEST_ITEMS:
        step = NextStep("Plan more items", "planning.py")
        there = counted(found.n, "item")
        return too_few("find where gains slow", {}, there, FEWEST_ITEMS, *line[:2], next_step=step, name=KNEE)
    values = {**values, "Measure": capitalized(first.measure)}
    if max(abs(found.low), abs(found.high)) < HARDLY_ANY:
        return clear("{Measure} does not correlate with {reference}.", values, *line, name=KNEE)
    is_open = 0 < abs(found.value) < 1
    needed = 3 + (1 + found.value**2 / 2) * (1.96 / atanh(found.value)) ** 2 if is_open else nan
    told = uncertain("It is unclear if {measure} correlates with {reference}.", values, *line, name=KNEE)
    return replace(told, next_step=_plan_items(needed, found.n))


def why_no_knee(one: FittedCurves, given: str = "ratings") -> str:
    """Return why a curve has no knee."""
    m = one.curves.repetitions
    if one.curves.reason or m <= 5:
        return one.curves.reason or f"{counted(m, given.removesuffix('s'))} per item, too few for a knee"
    return one.saturation.reason or "the curve after it is not flat enough"


def exclusion_finding(study: Study, before: Sequence[Needed], after: Sequence[Needed]) -> Finding:
    """Return how excluding raters changes the ratings needed on the hardest measure."""
    gone = study.dataset.without
    known = [(old, new) for old, new in zip(before, after, strict=True) if old.has_number and new.has_number]
    values: dict[str, object] = {"who": gone[0] if len(gone) == 1 else "the excluded raters"}
    if not known:
        headline = "With or without {who}, no number of ratings is known for a measure."
        return uncertain(headline, values, name="exclusion")
    old, new = max(known, key=lambda pair: pair[1].ratings.value)
    values |= {"measure": new.measure, "new": count(new.ratings.value), "old": count(old.ratings.value)}
    headline = "Without {who}, {measure} needs <b>{new}</b> instead of {old} ratings per item."
    if values["new"] == values["old"]:
        headline = "Without {who}, {measure} still needs <b>{new}</b> ratings per item."
    changed = sum(old.ratings.value != new.ratings.value for old, new in known)
    told = f"The number changes on {changed} of {counted(len(known), 'measure')}" if len(known) > 1 else ""
    return uncertain(headline, values, told, "in these ratings", name="exclusion")


def without_table(
    everyone: Sequence[FittedCurves], without: Sequence[FittedCurves], heads: tuple[str, str]
) -> Table:
    """Return curves with everyone and without excluded raters; `heads` name the row and the value."""
    of, figure = heads
    pairs = list(zip(everyone, without, strict=True))
    at = [min(old.curves.repetitions, new.curves.repetitions) for old, new in pairs]
    before, after = (
        [each[side].curves.mean_at(r) for each, r in zip(pairs, at, strict=True)] for side in (0, 1)
    )
    return table_of(
        "without",
        "Curves at equally many per item with everyone, and without the excluded raters.",
        [
            Column(of, [new.measure for _, new in pairs]),
            Column("Compared at", at),
            Column(f"{figure}, everyone", before, EXACT),
            Column(f"{figure}, without", after, EXACT),
            Column(f"{figure}, difference", np.subtract(after, before), EXACT),
            Column("Knee, everyone", whole(old.knee for old, _ in pairs)),
            Column("Knee, without", whole(new.knee for _, new in pairs)),
        ],
    )


def count_or_open(number: float) -> str:
    """Return a count, or the sign of an open end.

    >>> count_or_open(19.0), count_or_open(float("inf"))
    ('19', '∞')
    """
    return decimal(number) if isinf(number) else count(number)


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
                "Reliability of one rating", [one.one for one in summaries], EXACT, None, False
            ),
            *fit_columns(found.fitted),
        ],
    )


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


def fit_columns(fitted: Sequence[FittedCurves]) -> Iterator[Column]:
    """Yield coefficients and R² of the fitted curves, as the paper's Table 2; R² of many shuffles as a median, too."""
    for name in "abc":
        yield Column(name, [getattr(one.saturation, name) for one in fitted], EXACT, False)
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


def curve_warnings(study: Study, fitted: Sequence[FittedCurves]) -> Iterator[Warning]:
    """Yield each reason why something is undefined, left out or sampled, with the measures it holds for."""
    sampled, told = sampled_measures(study), dict[str, list[str]]()
    for one in fitted:
        reasons = [one.curves.reason, one.saturation.reason, one.beyond.reason if one.beyond else ""]
        if one.saturation.defined and one.knee is None:
            reasons.append(why_no_knee(one))
        if one.curves.left_out:
            reasons.append(f"{counted(one.curves.left_out, 'item')} without a reference value left out")
        items = one.curves.items
        if len(items) and items[-1] < items[0]:
            reasons.append(
                f"items with fewer ratings leave the curve: {count(items[0])} at the first rating, "
                f"{count(items[-1])} at the last"
            )
        if one.measure in sampled:
            reasons.append(
                f"curves are computed from {count(LARGEST_BOOTSTRAP)} items drawn at random (seed 0)"
            )
        for reason in filter(None, reasons):
            told.setdefault(reason, []).append(one.measure)
    yield from by_reason(told)


def by_reason(told: dict[str, list[str]]) -> Iterator[Warning]:
    """Yield each reason once, with what it holds for."""
    for reason, where in told.items():
        names = listed(list(dict.fromkeys(where)), 9)
        yield Warning(("{where}: {reason}.", {"where": names, "reason": reason}))


def interval_note(study: Study, spec: RatingsSpec) -> Note:
    """Return how the knees' intervals are computed."""
    what = "items, for these raters"
    if not study.raters_are_persons:
        what = "items only, since rater ids are slots and not persons"
    elif varies_raters(study, spec.scope):
        of = " of both groups" if study.reference is not None else ""
        what = f"items, with the variance that raters{of} add"
    return Note(
        (
            "Intervals of knees: {draws} bootstrap samples of {what}, each with {shuffles} random orders and "
            "everything fitted again; seed {seed}. R² is that of the one fitted curve for each order.",
            {
                "draws": spec.bootstrap.draws,
                "what": what,
                "shuffles": SHUFFLES_OF_SAMPLE,
                "seed": spec.bootstrap.seed,
            },
        )
    )
