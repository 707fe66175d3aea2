"""Variances that plans are based on, and raters' loads: of the open ratings, of public studies, or as typed."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from analysis.planning.difference import PRESETS, DifferencePlan
from analysis.planning.pilot import NO_ITEMS, Pilot, pilot, undetermined_reason
from analysis.planning.workloads import loads_by_busiest
from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import Components
from analysis.variance.sources import ITEM
from features.assessments import assessments
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Progress,
    Table,
    Text,
    Warning,
    capitalized,
    map_stages,
    not_enough_data,
)
from features.plotting.theme import count, decimal, score_digits
from features.raters.variance_results import component_stages, sources, without_intervals
from features.study import Study, digits_of_scores, score_ends
from features.words import Column, of_many, table_of

OPEN, TYPED = "these ratings", "typed numbers"
KINDS = {
    "speech study": "speech",
    "video study": "video",
    "summary study": "summaries",
    "translation study": "translation",
}
USUAL = "speech study"
CALLED = {
    "residual": "Residual",
    "rater_slope": "Raters by system, half",
    "item_slope": "Items by system, half",
    "rater": "Raters",
    "item": "Items",
    "rater_item": "Raters by items",
}
"""Names of a plan's variances in words."""
COLUMNS = {"system": "systems", "topic": "topics"}
"""Columns without which ratings do not supply the variances of systems' differences."""
ALIKE, AS_OPEN, BUSIEST = "all the same", "as in these ratings", "a few do most"
Loads = tuple[float, ...] | None
"""Raters' loads in any unit, None where all are the same."""
MOST_LOADS = 100
"""Loads of the open ratings that are kept apart: of more raters these are evenly spread places of their order."""


@dataclass(frozen=True)
class VariancesSpec:
    """Source of a plan's variances: `OPEN`, `TYPED` or one of `KINDS`.

    `measure` is that of the open ratings; `typed` are variances by name, and `points` the range of their scale.
    """

    source: str = USUAL
    measure: str = ""
    typed: tuple[tuple[str, float], ...] = ()
    points: float = 4.0


@dataclass(frozen=True, eq=False)
class Variances:
    """Variances with what a pilot leaves open; `told` is their source in words, `reason` says why there are none."""

    pilot: Pilot
    told: str = ""
    note: Text | None = None
    reason: str = ""
    kind: str = ""
    half_digits: int = 2
    """Decimals of half-widths of means and of their differences."""

    def write_half(self, half: float) -> str:
        return decimal(half, self.half_digits)

    def tabulate_half(self, half: float) -> str:
        """Write a half-width in a table: with a digit more."""
        return decimal(half, self.half_digits + 1)

    @property
    def is_of_data(self) -> bool:
        """True for the variances of the open ratings."""
        return not self.kind

    @property
    def source(self) -> str:
        """Part of an evidence line that names another source than the open ratings."""
        return "" if self.is_of_data else f"variances {self.kind}"


@dataclass(frozen=True)
class LoadsSpec:
    """Raters' loads: `ALIKE`, `AS_OPEN` on a measure, or `BUSIEST`: the busiest fifth does a share of all ratings."""

    kind: str = ALIKE
    measure: str = ""
    busiest: float = 0.5


def usual_difference(points: float) -> float:
    """Return a difference of two systems that many studies look for: 3 of 40 of the scale.

    >>> usual_difference(4.0), usual_difference(100.0)
    (0.3, 7.5)
    """
    return float(f"{0.075 * points:.2g}")


def scale_points(study: Study, spec: VariancesSpec) -> float:
    """Return the range of the scale that the variances are of."""
    if spec.source == TYPED:
        return spec.points
    if spec.source in KINDS:
        return PRESETS[KINDS[spec.source]].points
    low, high = score_ends(study, spec.measure)
    return high - low


def supplied_measures(study: Study, about_systems: bool) -> tuple[str, ...]:
    """Return the measures whose ratings supply variances, of systems' differences too where these are asked for."""
    if study.holds_choices or (about_systems and not study.whole.has(*COLUMNS)):
        return ()
    return tuple(m for m in study.measures if not _unknown(sources(study, m), about_systems))


def _unknown(found: Collection[str], about_systems: bool) -> str:
    """Return why ratings that tell these sources apart leave variances open; "" where they do not."""
    return undetermined_reason(found) if about_systems else "" if ITEM in found else NO_ITEMS


def usual_variances(study: Study, about_systems: bool = True) -> VariancesSpec:
    """Return the open ratings' variances where there are any, else those of a speech study."""
    measures = supplied_measures(study, about_systems)
    return VariancesSpec(OPEN, measures[0]) if measures else VariancesSpec()


def variance_stages(
    study: Study, spec: VariancesSpec, about_systems: bool = True
) -> Iterator[Variances | Progress]:
    """Yield the variances, those of the open ratings first without what so many ratings leave open."""
    is_open = spec.source == OPEN
    digits = digits_of_scores(study, spec.measure) if is_open else score_digits(scale_points(study, spec))
    yield from map_stages(_stages(study, spec, about_systems), partial(replace, half_digits=digits))


def _stages(study: Study, spec: VariancesSpec, about_systems: bool) -> Iterator[Variances | Progress]:
    if spec.source == TYPED:
        yield Variances(_exact(dict(spec.typed)), "variances as typed", kind="as typed")
        return
    if spec.source in KINDS:
        preset = PRESETS[KINDS[spec.source]]
        note: Text = ("Variances of {measured}; items are {items}. Source: {source}.", vars(preset))
        yield Variances(
            _exact(preset.variances),
            f"the variances of a study of {preset.measured}",
            note,
            kind=f"of a {spec.source}",
        )
        return
    study = replace(study, whole=study.dataset)  # variances elsewhere are of everyone's ratings
    reason = _unknown(sources(study, spec.measure), about_systems)
    closed = None if reason else without_intervals(study, spec.measure)
    if closed is None or closed.reason:
        reason = closed.reason if closed else reason or "the estimation was stopped"
        yield Variances(_exact({}), reason=reason)
        return
    yield from map_stages(component_stages(study, spec.measure, BootstrapSpec()), of_components)


def of_components(found: Components) -> Variances:
    """Return a plan's variances from the components of the open ratings."""
    made, ratings = pilot(found), of_many(found.ratings, "ratings")
    named = [name for name in ("item", "rater", "system", "topic") if name in found.counts]
    sizes = ", ".join(of_many(found.counts[name], f"{name}s") for name in named)
    template, values = "Variances of {ratings} ({sizes}).", {"ratings": ratings, "sizes": sizes}
    if found.sample is not None:
        template = "Variances of {ratings} ({sizes}), of items drawn from {of} (seed {seed})."
        values |= {"of": count(found.sample.of), "seed": str(found.sample.seed)}
    return Variances(made, f"the variances of a pilot of {ratings}", (template, values))


def _exact(variances: Mapping[str, float]) -> Pilot:
    return Pilot(dict(variances), {name: np.empty(0) for name in variances}, 0.95)


def no_variances(found: Variances, question: str) -> Finding:
    """Return the finding that the open ratings do not supply the variances which were chosen."""
    step = NextStep(f"Use a {USUAL}'s", "planning.py", {"plan": question, "plan_variances": USUAL})
    return not_enough_data(
        "Your ratings cannot supply the variances of this plan.", {}, found.reason, next_step=step
    )


def stand_in_finding(study: Study, spec: VariancesSpec) -> Iterator[Finding]:
    """Yield that another study's variances are shown, where the open ratings supply none."""
    if study.holds_choices or spec.source not in KINDS or supplied_measures(study, True):
        return
    missing = [words for column, words in COLUMNS.items() if not study.whole.has(column)]
    needs = (
        f"Needs {' and '.join(missing)} in the data"
        if missing
        else undetermined_reason(sources(study, study.measures[0]))
    )
    yield not_enough_data(
        "Your ratings cannot supply these variances, so a {kind}'s are shown.",
        {"kind": spec.source},
        capitalized(needs),
        name="variances",
        next_step=NextStep("Map columns on Data", "datasets.py") if missing else None,
    )


def variances_blocks(found: Variances) -> Iterator[Note | Table]:
    """Yield the variances that a plan is based on, and their source."""
    if found.note is not None:
        yield Note(found.note)
    estimated = found.pilot.estimated
    yield table_of(
        "variances",
        "Variances that the plan is based on.",
        [
            Column("Variance", [CALLED[name] for name in estimated]),
            Column("Value", list(estimated.values()), partial(decimal, digits=4)),
        ],
    )


def find_loads(study: Study, spec: LoadsSpec) -> Loads:
    """Return raters' loads, those of the open ratings as the raters of one measure have them."""
    if spec.kind == BUSIEST:
        return loads_by_busiest(spec.busiest)
    if spec.kind != AS_OPEN or study.holds_choices:
        return None
    loads = np.bincount(assessments(replace(study, whole=study.dataset), spec.measure).rater)
    loads = np.sort(loads[loads > 0])[::-1]
    if len(loads) > MOST_LOADS:
        loads = loads[((np.arange(MOST_LOADS) + 0.5) / MOST_LOADS * len(loads)).astype(int)]
    return tuple(loads.astype(float).tolist()) or None


def effective_raters_in_words(plan: DifferencePlan) -> str:
    """Return how many raters with equal loads the raters are worth, "" where loads make no difference."""
    if plan.loads is None or plan.raters - plan.effective_raters < 0.05:
        return ""
    return f" (with unequal loads worth {decimal(plan.effective_raters, 1)} raters)"


def loads_notes(plan: DifferencePlan, figure: str = "power") -> Iterator[Warning]:
    """Yield where unequal loads leave the power or its `width` rough."""
    if plan.caution:
        off = "3 points, and the width by more than a tenth" if figure == "power" else "a tenth"
        text = f"The {figure} is rough here, since {{why}}: it can be off by more than {off}."
        yield Warning((text, {"why": plan.caution}))


def raters_of(plan: DifferencePlan) -> str:
    """Return an item's raters among all, and what these are worth with unequal loads.

    >>> raters_of(DifferencePlan(24, 40, 0.3, 1.0, 0.1, 0.1, ratings_per_item=8))
    '8 of 24 raters each'
    """
    each = count(plan.per_item)
    of = f"all {each}" if plan.per_item == plan.raters else f"{each} of {count(plan.raters)}"
    return f"{of} raters each{effective_raters_in_words(plan)}"
