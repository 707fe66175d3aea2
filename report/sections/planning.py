"""Planning: what a further study as large as this one would find, and a kept view's plan."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isfinite
from typing import Any

from analysis.planning.difference import PRESETS
from analysis.values.estimate import InputError
from features.assessments import is_pairs
from features.blocks import Block
from features.planning.power_findings import DESIGNS
from features.planning.power_results import PowerSpec, Prices
from features.planning.precision import MOS, SYSTEM, PrecisionSpec
from features.planning.replication import replicate
from features.planning.section import (
    POWER,
    PRECISION,
    power_section,
    precision_section,
    replication_section,
    votes_section,
)
from features.planning.variances import (
    AS_OPEN,
    BUSIEST,
    KINDS,
    OPEN,
    TYPED,
    USUAL,
    LoadsSpec,
    VariancesSpec,
    scale_points,
    supplied_measures,
    usual_difference,
    usual_variances,
)
from features.study import Study
from report.parts.asked import Asked, of_each_group
from report.parts.blocks import section_of
from report.parts.model import Section

TITLE = "Planning a further study"
MOST = 1000
"""Raters, items and comparisons that an address may ask for."""
Controls = Mapping[str, Sequence[str]]


def section(study: Study, asked: Asked) -> Section | None:
    """Return what a study of this size finds and how precisely; None where nothing can be planned from it."""
    if study.holds_choices:
        return section_of("planning", TITLE, votes_section(study)) if is_pairs(study) else None
    each = product(of_each_group(study, asked), study.measures)
    made = [found for of, measure in each if (found := replicate(of, measure, asked.generalize)) is not None]
    return section_of("planning", TITLE, replication_section(made)) if made else None


def of_view(study: Study, controls: Controls) -> Section | None:
    """Return the plan that a kept view of the page Planning holds; None where its question is not in a report."""
    question = _text(controls, "plan", "" if study.holds_choices else POWER)
    try:
        blocks = _blocks(study, controls, question)
        return None if blocks is None else section_of("planning", TITLE, blocks)
    except InputError:  # an address that somebody typed
        return None


def _blocks(study: Study, controls: Controls, question: str) -> Iterator[Block] | None:
    size: dict[str, Any] = {
        "items": _whole(controls, "plan_items", 40),
        "raters": _whole(controls, "plan_raters", 24),
        "per_item": _whole(controls, "plan_ratings", 8),
    }
    if question == POWER:
        variances = _variances(study, controls, about_systems=True)
        spec = PowerSpec(
            variances,
            _number(controls, "plan_difference", usual_difference(scale_points(study, variances))),
            **size,
            design=DESIGNS.get(_text(controls, "plan_design", ""), "crossed"),
            loads=_loads(study, controls, variances),
            alpha=_number(controls, "plan_alpha", 0.05),
            comparisons=_whole(controls, "plan_comparisons", 1, 100_000),
            wanted=_number(controls, "power", 80) / 100,
            prices=_prices(controls),
        )
        return power_section(study, spec)
    what = _text(controls, "plan_precise", MOS)
    if question != PRECISION or what not in (MOS, SYSTEM):
        return None
    variances = _variances(study, controls, about_systems=False)
    half = _number(controls, "plan_half", float(f"{0.06 * scale_points(study, variances):.2g}"))
    loads = _loads(study, controls, variances)
    return precision_section(study, PrecisionSpec(what, variances, **size, wanted=half, loads=loads))


def _variances(study: Study, controls: Controls, about_systems: bool) -> VariancesSpec:
    """Return the variances of a view: those of the open ratings only where these supply them."""
    measures = supplied_measures(study, about_systems)
    chosen = _text(controls, "plan_variances", OPEN if measures else USUAL)
    if chosen == TYPED:
        usual = PRESETS[KINDS[USUAL]].variances
        typed = tuple((name, max(_number(controls, f"plan_var_{name}", usual[name]), 0.0)) for name in usual)
        return VariancesSpec(TYPED, "", typed, max(_number(controls, "plan_points", 4.0), 0.1))
    if chosen in KINDS:
        return VariancesSpec(chosen)
    measure = _text(controls, "plan_measure", "")
    return VariancesSpec(OPEN, measure) if measure in measures else usual_variances(study, about_systems)


def _prices(controls: Controls) -> Prices:
    """Return the prices of a view, that of a rating only where its address has one."""

    def price(name: str, usual: float = 0.0) -> float:
        return max(_number(controls, name, usual), 0.0)

    rating = price("plan_price") if "plan_price" in controls else None
    item, rater, fixed = price("plan_item_price"), price("plan_rater_price"), price("fixed")
    currency = _text(controls, "currency", "€")[:8]
    return Prices(rating, item, rater, fixed, currency, price("plan_seconds", 15.0))


def _loads(study: Study, controls: Controls, variances: VariancesSpec) -> LoadsSpec:
    """Return how unequal raters' loads are in a view."""
    chosen = _text(controls, "plan_loads", "")
    if chosen == AS_OPEN and not study.holds_choices:
        return LoadsSpec(chosen, variances.measure or study.measures[0])
    if chosen == BUSIEST:
        percent = min(max(_number(controls, "plan_busiest", 50), 20), 95)
        return LoadsSpec(chosen, "", percent / 100)
    return LoadsSpec()


def _text(controls: Controls, name: str, usual: str) -> str:
    return next(iter(controls.get(name, ())), usual)


def _whole(controls: Controls, name: str, usual: int, most: int = MOST) -> int:
    return int(min(max(_number(controls, name, usual), 1), most))


def _number(controls: Controls, name: str, usual: float) -> float:
    try:
        told = float(_text(controls, name, ""))
    except ValueError:
        return usual
    return told if isfinite(told) else usual
