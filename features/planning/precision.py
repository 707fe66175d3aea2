"""Ratings for a wanted precision: results and findings."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isfinite, isnan, nan

from analysis.items.rating_spread import FEWEST_RATERS
from analysis.planning.budget import alternative_ratings_per_item, item_grid, smallest_sufficient
from analysis.planning.difference import LAYOUTS, DifferencePlan
from analysis.planning.pilot import mos_half_widths, severity, system_half_widths
from analysis.planning.precision import (
    correlation_interval,
    half_width_with_pilot,
    icc_half_width,
    plannable_reliability,
)
from analysis.planning.votes import preference_half_width
from analysis.values.estimate import Estimate
from features.assessments import of_group
from features.blocks import (
    Finding,
    Note,
    Progress,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    last_stage,
    map_stages,
    not_enough_data,
)
from features.planning.power_results import Curves, axis_end
from features.planning.variances import (
    Loads,
    LoadsSpec,
    Variances,
    VariancesSpec,
    find_loads,
    loads_notes,
    raters_of,
    usual_variances,
    variance_stages,
)
from features.plotting.theme import as_typed, count, decimal
from features.study import Study
from features.words import Column, counted, of_many, table_of

MOS, SYSTEM = "an item's mean rating (MOS)", "a system's mean"
CORRELATION, AGREEMENT, SHARE = "a correlation with a reference", "agreement (ICC, alpha)", "a share of votes"
OF_OTHERS = "agreement, for other raters too (ICC)"
WHAT = (MOS, SYSTEM, CORRELATION, AGREEMENT, OF_OTHERS, SHARE)
USUAL_RELIABILITY = Estimate(0.4)
"""Reliability of one rating where no ratings tell it."""
Likely = tuple[float, float] | None
"""Ends between which a pilot leaves a figure; None where it is typed."""
UNKNOWN = Estimate(nan)
Ends = Callable[[Sequence[int]], Sequence[Estimate]]


@dataclass(frozen=True)
class PrecisionSpec:
    """Planned study, `what` it measures, and the half-width `wanted` of that.

    `variances` count for means; `reliability` of one rating, `severity` (raters' share of the variance of an item's
    ratings), `limit` (correlation without noise), `share` and `item_sd` for the figures of these names.
    """

    what: str = MOS
    variances: VariancesSpec = field(default_factory=VariancesSpec)
    items: int = 40
    raters: int = 24
    per_item: int = 8
    wanted: float = 0.24
    loads: LoadsSpec = field(default_factory=LoadsSpec)
    reliability: float = USUAL_RELIABILITY.value
    severity: float = 0.25
    limit: float = 0.9
    share: float = 0.6
    item_sd: float = 0.1

    @property
    def is_of_means(self) -> bool:
        """True where the figure is based on variances."""
        return self.what in (MOS, SYSTEM)

    @property
    def along(self) -> str:
        """Name of what the figure's x axis counts."""
        return "Ratings of the item" if self.what == MOS else "Items"

    @property
    def each(self) -> int:
        """Raters of an item, at most all."""
        return min(self.per_item, self.raters)

    @property
    def x(self) -> int:
        return self.per_item if self.what == MOS else self.items

    @property
    def counts_raters(self) -> bool:
        """True where the number of raters counts in addition to that of an item's ratings."""
        return self.what in (SYSTEM, OF_OTHERS)


@dataclass(frozen=True, eq=False)
class PrecisionFound:
    """Half-width at x items (or ratings of an item) and k ratings per item.

    `expected` is the figure itself; `ends` give the half-widths at the chosen k with what a pilot leaves open.
    """

    spec: PrecisionSpec
    half: Callable[[int, int], float]
    ends: Ends | None = None
    expected: float = nan
    compares_only: bool = False
    loads: Loads = None
    variances: Variances | None = None

    @property
    def half_digits(self) -> int:
        return 2 if self.variances is None else self.variances.half_digits

    def write_half(self, half: float) -> str:
        return decimal(half, self.half_digits)

    @property
    def plan(self) -> DifferencePlan:
        """Return who rates what, whatever ratings vary by."""
        spec = self.spec
        sizes = spec.raters, spec.items, 0.0, 1.0, 0.0, 0.0
        return DifferencePlan(*sizes, ratings_per_item=spec.each, loads=self.loads)

    @cached_property
    def here(self) -> Estimate:
        """Half-width of the chosen study, with what the pilot leaves open."""
        spec = self.spec
        return Estimate(self.half(spec.x, spec.per_item)) if self.ends is None else self.ends([spec.x])[0]

    @cached_property
    def needed(self) -> float:
        """The fewest items, or ratings of an item, that reach what is wanted."""
        return smallest_sufficient(lambda x: self.half(x, self.spec.per_item) <= self.spec.wanted, 2)

    def curves(self) -> Curves:
        """Return the half-width along x, by ratings per item."""
        spec = self.spec
        x = item_grid(axis_end(spec.x), spec.x, fewest=2 if spec.what == MOS else 5, points=20)
        each: tuple[int, ...] = (spec.per_item,)
        if spec.what != MOS:
            most = spec.raters if spec.counts_raters else 4 * spec.per_item
            each = alternative_ratings_per_item(LAYOUTS["crossed"], most, spec.per_item)
        made: Curves = {k: (x, tuple(Estimate(self.half(at, k)) for at in x)) for k in each}
        return made if self.ends is None else made | {spec.per_item: (x, tuple(self.ends(x)))}


def precision_stages(study: Study, spec: PrecisionSpec) -> Iterator[PrecisionFound | Progress]:
    """Yield the precision of the planned study, first without the uncertainty of the open ratings' variances."""
    if not spec.is_of_means:
        yield _of_figure(study, spec)
        return
    loads = find_loads(study, spec.loads) if spec.what == SYSTEM else None

    def find(variances: Variances) -> PrecisionFound:
        if variances.reason:
            return PrecisionFound(spec, lambda x, k: nan, variances=variances)
        return of_mos(variances, spec) if spec.what == MOS else of_system(variances, spec, loads)

    yield from map_stages(variance_stages(study, spec.variances, about_systems=False), find)


def _of_figure(study: Study, spec: PrecisionSpec) -> PrecisionFound:
    if spec.what == SHARE:
        found = PrecisionFound(spec, lambda x, k: preference_half_width(spec.share, x, k, spec.item_sd))
        return replace(found, expected=spec.share)
    usual = reliability_of(study)
    likely = plannable_reliability(usual) if abs(spec.reliability - usual.value) <= 0.005 else None
    known = severity_of(study) if spec.what == OF_OTHERS else UNKNOWN
    is_known = known.defined and round(100 * known.value) == round(100 * spec.severity)
    return of_reliability(spec, likely, known if is_known else UNKNOWN)


def reliability_of(study: Study) -> Estimate:
    """Return the reliability of one rating on the first measure, with its interval; the usual one without ratings."""
    if study.holds_choices:
        return USUAL_RELIABILITY
    found = of_group(study, study.measures[0], study.candidate).one
    return USUAL_RELIABILITY if isnan(found.value) else found


def severity_of(study: Study) -> Estimate:
    """Return the raters' share of the variance of an item's ratings, on the first measure or in a speech study."""
    found = last_stage(variance_stages(study, usual_variances(study, False), about_systems=False))
    if found.reason:
        found = last_stage(variance_stages(study, VariancesSpec()))
    return severity(found.pilot)


def of_mos(variances: Variances, spec: PrecisionSpec) -> PrecisionFound:
    """Return the precision of an item's mean; with two raters that of items compared by both."""
    exact = variances.pilot.without_draws
    found = PrecisionFound(spec, lambda x, _: mos_half_widths(exact, [x], worth, spec.items)[0].value)
    worth = found.plan.effective_raters

    def ends(x: Sequence[int]) -> Sequence[Estimate]:
        return mos_half_widths(variances.pilot, x, worth, spec.items)

    return replace(found, ends=ends, compares_only=worth < FEWEST_RATERS, variances=variances)


def of_system(variances: Variances, spec: PrecisionSpec, loads: Loads = None) -> PrecisionFound:
    exact = variances.pilot.without_draws

    def half(x: int, k: int) -> float:
        return system_half_widths(exact, spec.raters, [x], min(k, spec.raters), loads)[0].value

    def ends(x: Sequence[int]) -> Sequence[Estimate]:
        return system_half_widths(variances.pilot, spec.raters, x, spec.each, loads)

    return PrecisionFound(spec, half, ends, loads=loads, variances=variances)


def of_reliability(
    spec: PrecisionSpec, likely: Likely = None, severity: Estimate = UNKNOWN
) -> PrecisionFound:
    """Return the precision of an agreement or a correlation, with its extremes over what a pilot leaves open."""
    known = severity if severity.defined else Estimate(spec.severity)

    def half(x: int, k: int, reliable: float = spec.reliability, share: float = known.value) -> float:
        if spec.what == CORRELATION:
            found = _correlation(spec, reliable, x, k)
            return (found.high - found.low) / 2
        if spec.what == AGREEMENT:
            return icc_half_width(reliable, max(k, 2), max(x, 2))
        each = min(max(k, 2), spec.raters)
        return icc_half_width(reliable, each, max(x, 2), all_raters=spec.raters, severity=share)

    def ends(along: Sequence[int]) -> Sequence[Estimate]:
        reliable = Estimate(spec.reliability, *(likely or (nan, nan)))
        return [half_width_with_pilot(partial(half, x, spec.per_item), reliable, known) for x in along]

    expected = spec.reliability
    if spec.what == CORRELATION:
        expected = _correlation(spec, spec.reliability, spec.items, spec.per_item).value
    return PrecisionFound(spec, half, None if likely is None else ends, expected)


def _correlation(spec: PrecisionSpec, reliable: float, x: int, k: int) -> Estimate:
    return correlation_interval(spec.limit, (1 - reliable) / reliable, k, x)


_ABOUT = {MOS: "an item's mean rating", AGREEMENT: "agreement", OF_OTHERS: "agreement"}
_SCOPE = {
    SYSTEM: "for other raters and other items",
    CORRELATION: "for these raters",
    AGREEMENT: "for other items and these raters",
    OF_OTHERS: "for other items and other raters, of whom all rate about as much",
    SHARE: "for other items and these raters",
}


def precision_finding(found: PrecisionFound) -> Finding:
    """Return the half-width that the study gives, and what the wanted one needs."""
    spec, here = found.spec, found.here
    about = _ABOUT.get(spec.what, spec.what)
    if isnan(here.value):
        headline = f"Not enough data for an interval of {about}: it needs more ratings."
        return not_enough_data(headline, {}, *_size(found))
    wanted = f"±\u00a0{as_typed(spec.wanted)}"
    one, several = ("rating of an item", "ratings of an item") if spec.what == MOS else ("item", "items")
    needs = f"no number of {several} alone reaches {wanted}"
    if isfinite(found.needed):
        needs = f"for {wanted}: {counted(int(found.needed), one, several)}"
    return clear_if(
        isnan(here.low) or here.excludes(spec.wanted),
        f"This plan measures {about} to <b>±\u00a0{{half}}</b>.",
        {"half": found.write_half(here.value)},
        f"{ends}, from the pilot" if (ends := confidence_interval(here, found.write_half)) else "",
        "" if isnan(found.expected) else f"Expected value {decimal(found.expected)}",
        *_size(found),
        "" if found.variances is None else found.variances.source,
        _scope(found),
        needs,
    )


def _size(found: PrecisionFound) -> list[str]:
    spec = found.spec
    if spec.what == MOS:
        return [f"{counted(spec.per_item, 'rating')} of an item"]
    each = raters_of(found.plan) if spec.counts_raters else f"{counted(spec.per_item, 'rating')} each"
    return [of_many(spec.items, "items"), each]


def _scope(found: PrecisionFound) -> str:
    if found.spec.what != MOS:
        return _SCOPE[found.spec.what]
    return "for items compared by the same raters" if found.compares_only else "for other raters"


def precision_notes(found: PrecisionFound) -> Iterator[Note | Warning]:
    """Yield warnings about widths that are rough."""
    if found.spec.counts_raters:
        yield from loads_notes(found.plan, "width")
    if found.spec.what == AGREEMENT:
        text = (
            "On Agreement intervals for these raters were 11 to 18% wider than planned in simulated studies."
        )
        yield Warning((text, {}))


def precision_table(found: PrecisionFound, curves: Curves) -> Table:
    """Return the half-width at each point of the figure, those of the chosen ratings per item first."""
    spec = found.spec
    chosen_first = sorted(curves.items(), key=lambda of: of[0] != spec.per_item)
    rows = [(k, x, e) for k, (along, es) in chosen_first for x, e in zip(along, es, strict=True)]
    each = [] if spec.what == MOS else [Column("Ratings per item", [k for k, _, _ in rows], count)]
    return table_of(
        "precision",
        f"Half-width of the 95% interval of {_ABOUT.get(spec.what, spec.what)}.",
        [
            Column(spec.along, [x for _, x, _ in rows], count),
            *each,
            Column(
                "Half-width", [e.value for _, _, e in rows], partial(decimal, digits=found.half_digits + 1)
            ),
        ],
    )
