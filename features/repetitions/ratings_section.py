"""Sections of repetitions of ratings: ratings needed, curves with their knees, and the parts that look closer."""

from collections.abc import Iterator
from functools import partial
from itertools import takewhile
from math import isnan

import numpy as np

from analysis.repetitions.knee import knees_by_repetitions, median_knee
from analysis.repetitions.saturation import mean_and_number
from features.blocks import (
    Block,
    Figure,
    Heading,
    Progress,
    card_of,
    in_stages,
    not_enough_data,
)
from features.plotting.panels import MOST
from features.plotting.theme import escape, group_colour
from features.program import literal, method_of, study_program, types_in
from features.repetitions import details_findings, figures
from features.repetitions import details_results as results
from features.repetitions import ratings_findings as findings
from features.repetitions.details_findings import Weighed, cost_blocks
from features.repetitions.details_results import Enough
from features.repetitions.figures import repetition_curves
from features.repetitions.ratings_results import (
    SHUFFLES_OF_SAMPLE,
    Needed,
    RatingsSpec,
    Repetitions,
    count_ratings_needed,
    default_spec,
    fitted_curves,
    has_many_items,
    known_repetitions,
    repetition_stages,
    simulate_repetitions,
)
from features.study import Study
from features.words import by_reason

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
    yield from findings.curve_warnings(found.fitted, sampled)
    if study.dataset.without:
        yield Heading("Curves without the excluded raters")
        everyone_fitted = fitted_curves(study.everyone, spec.curves, spec.sensitivity)
        yield findings.without_table(everyone_fitted, found.fitted, ("Measure", spec.correlation))
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
        "Ratings per item that each measure needs, with the 95% CI, the most on top. The dotted line is the number of "
        "ratings collected."
    )
    color = group_colour(study.candidate, study.groups)
    return Figure(findings.NEEDED, (caption, {}), partial(figures.needed_dots, needed, target, color))


def _curve_blocks(
    study: Study, spec: RatingsSpec, panels: tuple[str, ...], found: Repetitions
) -> Iterator[Block]:
    yield findings.curve_finding(study, found, spec)
    if not any(np.isfinite(one.curves.points).any() for one in found.fitted):
        return
    if found.intervals is None and max(one.longest for one in found.fitted) > 1:
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
    """Yield what a number of ratings per item costs, saves and gives up."""
    yield from cost_blocks(fitted_curves(study, spec.curves, spec.sensitivity), weighed, study=study)


def rules_section(study: Study, spec: RatingsSpec, enough: Enough) -> Iterator[Block]:
    """Yield how many ratings are enough by rules that do not change with the number collected."""
    rules = results.measure_rules(study, spec, known_repetitions(study, spec), enough)
    yield details_findings.rules_table(rules, enough)
    unanswered = [(one.fitted.measure, stop) for one in rules for stop in one.stops if stop.ratings is None]
    yield from by_reason((measure, stop.reason) for measure, stop in unanswered)


def models_section(study: Study, spec: RatingsSpec, measure: str) -> Iterator[Block]:
    """Yield what more ratings would bring: both models beyond the ratings collected, and the knee by their number."""
    rules = results.measure_rules(study, spec, known_repetitions(study, spec), Enough())
    one = next(one for one in rules if one.fitted.measure == measure)
    fitted, m = one.fitted, one.fitted.curves.repetitions
    if not np.isfinite(fitted.curves.points).any():
        reason = fitted.curves.reason or "there is no curve"
        headline = "Not enough data to draw the curve of {measure}."
        yield not_enough_data(headline, {"measure": measure}, reason, name="models")
    else:
        mean, _ = mean_and_number(fitted.curves.points)
        color = group_colour(study.candidate, study.groups)
        caption = "Mean curve of {measure} with its 95% CI, and the exponential and the attenuation curve."
        draw = partial(figures.model_curves, one, mean, spec.correlation, color)
        yield Figure("models", (caption, {"measure": measure}), draw)
        if fitted.saturation.defined:
            knees = knees_by_repetitions(fitted.saturation, max(2 * m, FARTHEST), spec.sensitivity)
            caption = "Knee of {measure} along the number of ratings collected."
            draw = partial(figures.knees_by_number, knees, m, fitted.knee)
            yield Figure("knees", (caption, {"measure": measure}), draw)
    yield details_findings.models_table(rules)


def aggregations_section(study: Study, spec: RatingsSpec, measure: str) -> Iterator[Block]:
    """Yield the curves of one measure, and all measures' correlations, under each aggregation."""
    means = results.aggregated_curves(study, spec)
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
    orders = min(results.FEWER_SHUFFLES, spec.curves.shuffles) + 1
    yield details_findings.aggregations_table(means, at, orders)


def raters_section(study: Study, spec: RatingsSpec) -> Iterator[Block]:
    """Yield the gain of each measure from excluding its least reliable raters."""
    found = results.rater_sensitivities(study, spec)
    if found is None:
        return
    if (gain := details_findings.gain_finding(study.measures, found)) is not None:
        yield gain
    yield details_findings.sensitivity_table(study.measures, found)
    reasons = (one.reason for one in found)
    yield from by_reason(zip(study.measures, reasons, strict=True))


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
    imports = ["from features.repetitions.details_findings import weigh", *types_in(weighed)]
    imports += ["from math import nan"] if isnan(weighed.costs.seconds) else []
    return study_program(study, None, simulate_repetitions, spec, lines, imports=imports)
