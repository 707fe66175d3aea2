"""Sections of repetitions of ratings: ratings needed, curves, and the parts that look closer, with their verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from math import isnan
from typing import Literal

import numpy as np
import pandas as pd

from analysis.repetitions.attenuation import Costs, CostSpec, Sensitivity, costs, ratings_needed
from analysis.repetitions.knee import FittedCurves, knees_by_repetitions, median_knee
from analysis.repetitions.saturation import mean_and_count
from analysis.repetitions.stopping import (
    CURVE_RULES,
    Rule,
    Stop,
    component_rule_interval,
    curve_rule_interval,
)
from analysis.values.estimate import Estimate
from features.assessments import has_many_items
from features.blocks import (
    Block,
    Figure,
    Finding,
    Note,
    Progress,
    Table,
    card_of,
    in_stages,
    method_of,
    not_enough_data,
    uncertain,
)
from features.plotting.panels import MOST
from features.plotting.theme import (
    THREE_DIGITS,
    NumberFormat,
    count,
    counts,
    decimal,
    escape,
    group_colour,
    money,
    share,
    share_saved,
)
from features.program import literal, study_program, types_in
from features.repetitions import figures
from features.repetitions import ratings_findings as findings
from features.repetitions.figures import repetition_curves
from features.repetitions.ratings_findings import count_or_open, whole
from features.repetitions.ratings_results import (
    FEWER_SHUFFLES,
    SHUFFLES_OF_SAMPLE,
    Enough,
    MeanCurves,
    MeasureRules,
    Needed,
    RatingsSpec,
    Repetitions,
    aggregated_curves,
    count_ratings_needed,
    default_spec,
    fitted_curves,
    known_repetitions,
    measure_rules,
    rater_sensitivities,
    repetition_stages,
    simulate_repetitions,
)
from features.study import Study
from features.words import Column, by_reason, counted, table_of

RULES_CAPTION = (
    "Ratings per item that are enough by each rule, next to the knee, which moves with the ratings collected. "
    "Intervals of whole numbers contain the true number in 95 to 99 of 100 simulated studies."
)
Priced = Literal["rating", "assignment"]
PRICED: Mapping[str, Priced] = {
    "assignment (all measures at once)": "assignment",
    "rating (one measure)": "rating",
}


@dataclass(frozen=True)
class Wording:
    """Words and formats of costs: `one` of what is paid for, each `of` which has a curve, and the curve's `figure`.

    `priced` is what a price may be for; empty where it is for each one.
    """

    one: str = "rating"
    of: str = "measure"
    figure: str = "correlation"
    priced: Mapping[str, Priced] = field(default_factory=lambda: PRICED)
    write: NumberFormat = decimal
    write_in_table: NumberFormat = THREE_DIGITS

    @property
    def several(self) -> str:
        return f"{self.one}s"


RATINGS = Wording()


def rule_names(enough: Enough) -> dict[Rule, str]:
    return {
        "share of the limit": f"{share(enough.share)} of the limit",
        "gain of one more": f"Gain under {enough.gain:g}",
        "reliability": f"Reliability {decimal(enough.reliability)}",
        "width of the interval": f"Interval under {share(enough.width)}",
        "difference of systems": f"Systems {share(enough.distance)} apart",
    }


def _interval_of(stop: Stop, one: MeasureRules, enough: Enough) -> Estimate:
    if stop.rule == "reliability":
        return ratings_needed(one.agreement, enough.reliability)
    if stop.rule in CURVE_RULES:
        if one.interval is None:
            return Estimate(np.nan)
        return curve_rule_interval(stop, one.interval.rho_inf, one.interval.ratings_for_half, enough.spec(0))
    spec = enough.spec(one.scale)
    return component_rule_interval(stop, one.of_components, spec, one.components.degrees)


def rules_table(measures: Sequence[MeasureRules], enough: Enough) -> Table:
    """Return the ratings per item that each rule asks for, with their intervals, next to the knee."""
    columns = [
        Column("Measure", [one.fitted.measure for one in measures]),
        Column("Knee", whole(one.fitted.knee for one in measures)),
    ]
    by_rule = [{stop.rule: stop for stop in one.stops} for one in measures]
    for rule, name in rule_names(enough).items():
        stops = [of.get(rule, Stop(rule, None)) for of in by_rule]
        if not any(rule in of for of in by_rule):
            continue
        found = [_interval_of(stop, one, enough) for stop, one in zip(stops, measures, strict=True)]
        texts = [
            str(stop.ratings) + ("" if counts(each) == "–" else f" ({counts(each)})")
            for stop, each in zip(stops, found, strict=True)
        ]
        columns += [
            Column(name, whole(stop.ratings for stop in stops), texts),
            Column(f"{name}, from", [each.low for each in found], count_or_open, False),
            Column(f"{name}, to", [each.high for each in found], count_or_open, False),
        ]
    return table_of("enough", RULES_CAPTION, columns)


def models_table(measures: Sequence[MeasureRules]) -> Table:
    """Return the limit of the attenuation curve, and how well both models describe the measured order."""
    limits = [one.attenuation for one in measures]
    return table_of(
        "models",
        "Limit of the attenuation curve, and fit of both models to the measured order.",
        [
            Column("Measure", [one.fitted.measure for one in measures]),
            Column("Limit ρ∞", [one.rho_inf for one in limits], THREE_DIGITS),
            Column("λ", [one.ratings_for_half for one in limits], decimal),
            Column("R² exponential", [one.fitted.saturation.r_squared_measured for one in measures], decimal),
            Column("R² attenuation", [one.r_squared_measured for one in limits], decimal),
        ],
    )


def aggregations_table(means: MeanCurves, r: int, orders: int) -> Table:
    """Return the correlation after r ratings under each aggregation, and which is highest."""
    kinds = list(dict.fromkeys(kind for curves in means.values() for kind in curves))
    at_r = {
        kind: [float(curves[kind][r - 1]) if r <= len(curves[kind]) else np.nan for curves in means.values()]
        for kind in kinds
    }
    values = pd.DataFrame(at_r, index=list(means))
    defined = values.dropna(how="all")
    highest = defined.idxmax(axis=1).reindex(values.index, fill_value="")
    caption = "Correlation after {r} per item under each aggregation, mean over {orders} orders."
    return table_of(
        "aggregations",
        (caption, {"r": counted(r, "rating"), "orders": orders}),
        [
            Column("Measure", list(means)),
            *(Column(kind, of_kind, THREE_DIGITS) for kind, of_kind in at_r.items()),
            Column("Highest", highest.tolist()),
        ],
    )


def sensitivity_table(measures: Sequence[str], found: Sequence[Sensitivity]) -> Table:
    """Return correlations with and without the least reliable raters, the largest gain first."""
    gains = np.array([one.gain for one in found])
    order = np.argsort(np.where(np.isnan(gains), np.inf, -gains), kind="stable").tolist()
    sorted_ = [found[at] for at in order]
    return table_of(
        "unreliable",
        "Correlation with everyone and without the quarter of raters who correlate least with the others' mean. The "
        "largest gain is first, a little too good, since the same ratings choose the raters.",
        [
            Column("Measure", [measures[at] for at in order]),
            Column("Raters", [one.raters for one in sorted_]),
            Column("Excluded", [one.excluded for one in sorted_]),
            Column("Ratings per item", [one.without.repetitions for one in sorted_]),
            Column("Everyone", [one.correlation for one in sorted_], THREE_DIGITS),
            Column("Without them", [one.correlation_without for one in sorted_], THREE_DIGITS),
            Column("Gain", gains[order], THREE_DIGITS),
        ],
    )


@dataclass(frozen=True)
class Weighed:
    """Number of ratings or votes per item whose cost is asked for, None for the median knee, and the prices."""

    number: int | None = None
    costs: CostSpec = field(default_factory=lambda: CostSpec(0.0, "rating"))
    currency: str = "€"
    hourly: float = 0.0
    hours: float = 0.0
    """Pay per hour of the reference's raters, and the hours paid."""


def most_weighed(fitted: Sequence[FittedCurves]) -> int:
    """Return the largest number of ratings per item that any curve has."""
    return max((one.largest_known for one in fitted), default=1)


def weigh(
    fitted: Sequence[FittedCurves], weighed: Weighed, words: Wording = RATINGS
) -> tuple[int, Costs] | None:
    """Return the number per item that is weighed, and the costs of each number; None without a number and a knee."""
    r = weighed.number or median_knee(fitted)
    if r is None:
        return None
    each = [int(one.curves.items.max(initial=0)) for one in fitted]
    items, measures = (max(each), len(fitted)) if words.priced else (sum(each), 1)
    return r, costs(max(items, 1), measures, most_weighed(fitted), weighed.costs)


NOTHING_TO_WEIGH = "nothing to weigh"
"""Name of the finding that asks for a number, which a report cannot."""


def cost_blocks(
    fitted: Sequence[FittedCurves], weighed: Weighed, words: Wording = RATINGS, study: Study | None = None
) -> Iterator[Block]:
    """Yield what a number of ratings per item saves and gives up; without one, what to enter.

    With a `study` whose reference is paid by the hour, its cost is compared.
    """
    found = weigh(fitted, weighed, words)
    if found is None:
        headline = f"Not enough data to choose a number of {words.several}: no curve has a knee."
        yield not_enough_data(headline, {}, "Enter a number per item", name=NOTHING_TO_WEIGH)
        return
    (r, spent), m = found, most_weighed(fitted)
    saved = share_saved(float(spent.saved_of_ratings[r - 1]))
    yield _cost_finding(fitted, r, m, saved, weighed.number is None, words)
    yield _given_up_table(fitted, r, m, words)
    if spent.money[m - 1] > 0:
        at_r, at_m = (money(spent.money[at - 1], weighed.currency) for at in (r, m))
        values = {"at_r": at_r, "at_m": at_m, "saved": share_saved(spent.saved[r - 1])}
        yield Note(("The whole study costs {at_r} instead of {at_m}: {saved} saved.", values))
        if study is not None and (paid := weighed.hourly * weighed.hours) > 0:
            yield _reference_cost(study, spent, paid, weighed.currency)
    if not isnan(seconds := weighed.costs.seconds):
        at_r, at_m = (count(spent.seconds[at - 1] / 3600) for at in (r, m))
        template = (
            f"At {{seconds}} seconds per {words.one}, that is {{at_r}} hours of work instead of {{at_m}}."
        )
        yield Note((template, {"seconds": decimal(seconds, 1), "at_r": at_r, "at_m": at_m}))


def _reference_cost(study: Study, spent: Costs, paid: float, currency: str) -> Note:
    """Return up to how many ratings per item the candidate costs less than the reference."""
    m, most = len(spent.money), spent.below(paid)
    template = "The group {reference} costs {paid}; {group} costs less than that up to {most} per item."
    if most in (0, m):
        amount = "less" if most else "as much or more"
        template = (
            f"The group {{reference}} costs {{paid}}; {{group}} costs {amount} at any number of ratings."
        )
    names = {"group": study.candidate, "reference": study.reference_name}
    return Note((template, names | {"paid": money(paid, currency), "most": counted(most, "rating")}))


def _cost_finding(
    fitted: Sequence[FittedCurves], r: int, m: int, saved: str, is_knee: bool, words: Wording
) -> Finding:
    known = [one for one in fitted if not isnan(one.level(r)) and not isnan(one.level(m))]
    line = [f"{r} of {counted(m, words.one)} per item"]
    if known:
        worst = max(known, key=lambda one: one.level(m) - one.level(r))
        at_r, at_m = (words.write(worst.level(at)) for at in (r, m))
        most = "largest loss: " if len(known) > 1 else ""
        line += [
            f"{most}{words.figure} {at_r} instead of {at_m} on {worst.measure}",
            counted(int(worst.curves.items.max(initial=0)), "item"),
        ]
    at = "at the median knee" if is_knee and len(fitted) > 1 else "at the knee" if is_knee else "earlier"
    headline = f"Stopping {at} saves <b>{{saved}}</b> of the cost per {words.one}."
    return uncertain(headline, {"saved": saved}, *line, f"in these {words.several}", name="cost")


def _given_up_table(fitted: Sequence[FittedCurves], r: int, m: int, words: Wording) -> Table:
    levels = {
        at: [one.level(at if at < m else min(m, one.largest_known)) for one in fitted]
        for at in dict.fromkeys((r, m))
    }
    caption = f"{words.figure.capitalize()} after {{r}} and after {{m}} {words.several} per item, and the difference."
    return table_of(
        "given-up",
        (caption, {"r": r, "m": m}),
        [
            Column(words.of.capitalize(), [one.measure for one in fitted]),
            *(Column(f"After {at}", level, words.write_in_table) for at, level in levels.items()),
            Column("Given up", [one.loss(r, m) for one in fitted], words.write_in_table),
        ],
    )


CURVES = "curves"
FARTHEST = 24
"""Ratings per item up to which the knee is followed at least."""
Panels = tuple[str, ...] | None


def ratings_section(study: Study, spec: RatingsSpec, panels: Panels = None) -> Iterator[Block]:
    """Yield the ratings needed, then the curves, first without the knees' intervals.

    `panels` are the measures whose curves are drawn, None for the first nine.
    """
    if (obstacle := findings.obstacle(study)) is not None:
        yield obstacle
        return
    needed = count_ratings_needed(study, spec.target, spec.scope)
    if study.dataset.without:
        everyone = count_ratings_needed(study.everyone, spec.target, spec.scope)
        yield findings.exclusion_finding(study, everyone, needed)
    yield findings.needed_finding(needed, spec.target)
    if any(one.has_number for one in needed):
        yield _needed_figure(study, needed, spec.target)
    yield Progress("Curves")
    found = yield from in_stages(
        repetition_stages(study, spec), partial(_curve_blocks, study, spec, panels or study.measures[:MOST])
    )
    sampled = [measure for measure in study.measures if has_many_items(study, measure, study.candidate)]
    known = [one for one in found.fitted if findings.is_apart_from_0(one.correlation)]
    told = () if findings.has_split_halves(study) else findings.with_told_reason(known)
    yield from findings.curve_warnings(found.fitted, sampled, told=told)
    yield method_of(
        "repetitions",
        "ratings",
        ["iskender2020", "satopaa2011", "spearman1904"],
        correlation=spec.correlation,
        shuffles=spec.curves.shuffles,
        seed=spec.curves.seed,
        draws=spec.bootstrap.draws,
        inner=SHUFFLES_OF_SAMPLE,
    )


def _needed_figure(study: Study, needed: tuple[Needed, ...], target: float) -> Figure:
    caption = (
        "Ratings per item that each measure needs, with the 95% CI, the most on top. The dotted line is the mean "
        "number collected so far."
    )
    color = group_colour(study.candidate, study.groups)
    return Figure(findings.NEEDED, (caption, {}), partial(figures.needed_dots, needed, target, color))


def _curve_blocks(
    study: Study, spec: RatingsSpec, panels: tuple[str, ...], found: Repetitions
) -> Iterator[Block]:
    yield findings.curve_finding(study, found, spec)
    if not any(np.isfinite(one.curves.points).any() for one in found.fitted):
        return
    if found.intervals is None and max(one.longest_shown for one in found.fitted) > 1:
        axis, against = spec.correlation, ""
        if not findings.has_split_halves(study):
            axis, against = f"{axis} with {escape(study.reference_name)}", " with {reference}"
        caption = (
            f"Correlation of {{group}}{against} along the number of ratings per item: measured order, random orders, "
            "fitted curve and knee."
        )
        drawn = [one for one in found.fitted if one.measure in panels]
        color = group_colour(study.candidate, study.groups)
        yield Figure(
            CURVES,
            (caption, {"group": study.candidate, "reference": study.reference_name}),
            partial(repetition_curves, drawn, axis, color),
        )
    yield findings.repetitions_table(found, spec)


def ratings_card(study: Study) -> Iterator[Block]:
    """Yield the ratings needed for the overview, without simulating curves."""
    if (obstacle := findings.obstacle(study)) is not None:
        yield obstacle
        return
    blocks = ratings_section(study, default_spec(study))
    yield from card_of(takewhile(lambda block: not isinstance(block, Progress), blocks))


def cost_section(study: Study, spec: RatingsSpec, weighed: Weighed) -> Iterator[Block]:
    yield from cost_blocks(fitted_curves(study, spec.curves, spec.sensitivity), weighed, study=study)


def rules_section(study: Study, spec: RatingsSpec, enough: Enough) -> Iterator[Block]:
    """Yield how many ratings are enough by rules that do not change with the number collected."""
    rules = measure_rules(study, spec, known_repetitions(study, spec), enough)
    yield rules_table(rules, enough)
    unanswered = [(one.fitted.measure, stop) for one in rules for stop in one.stops if stop.ratings is None]
    yield from by_reason(((measure, stop.reason) for measure, stop in unanswered), len(rules), "measures")


def models_section(study: Study, spec: RatingsSpec, measure: str) -> Iterator[Block]:
    """Yield what more ratings would bring: both models beyond the ratings collected, and the knee by their number."""
    rules = measure_rules(study, spec, known_repetitions(study, spec), Enough())
    one = next(one for one in rules if one.fitted.measure == measure)
    fitted, m = one.fitted, one.fitted.curves.repetitions
    if not np.isfinite(fitted.curves.points).any():
        reason = fitted.curves.reason or "there is no curve"
        headline = "Not enough data to draw the curve of {measure}."
        yield not_enough_data(headline, {"measure": measure}, reason, name="models")
    else:
        mean, _ = mean_and_count(fitted.curves.points)
        color = group_colour(study.candidate, study.groups)
        caption = "Mean curve of {measure} with its 95% CI, and the exponential and the attenuation curve."
        draw = partial(figures.model_curves, one, mean, spec.correlation, color)
        yield Figure("models", (caption, {"measure": measure}), draw)
        if fitted.saturation.defined:
            knees = knees_by_repetitions(fitted.saturation, max(2 * m, FARTHEST), spec.sensitivity)
            caption = "Knee of {measure} along the number of ratings collected."
            draw = partial(figures.knees_by_number, knees, m, fitted.knee)
            yield Figure("knees", (caption, {"measure": measure}), draw)
    yield models_table(rules)


def aggregations_section(study: Study, spec: RatingsSpec, measure: str) -> Iterator[Block]:
    """Yield the curves of one measure, and all measures' correlations, under each aggregation."""
    means = aggregated_curves(study, spec)
    if means is None:
        return
    if not any(np.isfinite(curve).any() for curve in means[measure].values()):
        headline = "Not enough data to compare aggregations of {measure}."
        yield not_enough_data(headline, {"measure": measure}, name="aggregations")
        return
    caption = "Mean curve of {measure} under each aggregation."
    draw = partial(figures.named_curves, means[measure], spec.correlation)
    yield Figure("aggregations", (caption, {"measure": measure}), draw)
    lengths = [len(curve) for curves in means.values() for curve in curves.values() if len(curve)]
    knee = median_knee(fitted_curves(study, spec.curves, spec.sensitivity))
    at = min(knee or min(lengths), max(lengths))
    orders = min(FEWER_SHUFFLES, spec.curves.shuffles) + 1
    yield aggregations_table(means, at, orders)


def raters_section(study: Study, spec: RatingsSpec) -> Iterator[Block]:
    """Yield the gain of each measure from excluding its least reliable raters."""
    found = rater_sensitivities(study, spec)
    if found is None:
        return
    yield sensitivity_table(study.measures, found)
    reasons = (one.reason for one in found)
    yield from by_reason(zip(study.measures, reasons, strict=True), len(study.measures), "measures")


def ratings_program(study: Study, spec: RatingsSpec, weighed: Weighed | None = None) -> str:
    """Return a program that computes ratings needed, curves and knees without a browser, and what they cost."""
    lines = [
        "results = {one.measure: {'ratings needed': one.ratings} for one in found.needed}",
        "for one, knee in zip(found.fitted, found.intervals or [None] * len(found.fitted)):",
        "    results[one.measure] |= {'knee': one.knee, 'fit': one.saturation, 'interval of the knee': knee}",
    ]
    if weighed is None:
        return study_program(study, None, simulate_repetitions, spec, lines)
    lines += [
        f"weighed = {literal(weighed)}",
        "if (spent := weigh(found.fitted, weighed)) is not None:",
        "    number, costs = spent",
        "    results['cost'] = {'ratings per item': number, 'costs by ratings per item': costs}",
        "    if (paid := weighed.hourly * weighed.hours) > 0:",
        "        results['cost'] |= {'reference': paid, 'cheaper up to': costs.below(paid)}",
    ]
    imports = ["from features.repetitions.ratings_section import weigh", *types_in(weighed)]
    imports += ["from math import nan"] if isnan(weighed.costs.seconds) else []
    return study_program(study, None, simulate_repetitions, spec, lines, imports=imports)
