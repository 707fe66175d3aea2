"""Sources of variance of one measure's ratings, and the generalizability of means over raters and items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil

from analysis.values.estimate import BootstrapSpec, OnProgress
from analysis.variance.components import (
    Components,
    ItemSample,
    add_intervals,
    estimate_components,
    fits_likelihood,
)
from analysis.variance.generalisability import (
    Along,
    Averaged,
    Generalisability,
    curve_designs,
    d_study,
    generalisability,
    separable_objects,
)
from analysis.variance.sources import BY, ITEM, RATER, REST, Design, design
from features.assessments import assessments
from features.blocks import Progress, map_stages
from features.study import Study, cached, key_of, long_result, query, read, result

MOST_RATINGS = 1_000_000
"""Ratings of a measure by a group beyond which those of some items are taken, that have about as many."""
FEWEST_ITEMS = 20_000
"""Items that are taken at least."""
SEED = 0


@dataclass(frozen=True, eq=False)
class LaidOut:
    """Ratings with what they separate, and of which items they are where not of all."""

    design: Design
    sample: ItemSample | None = None

    def estimated(self, on_progress: OnProgress = None) -> Components:
        return replace(estimate_components(self.design, on_progress), sample=self.sample)


def lay_out(study: Study, measure: str) -> LaidOut:
    """Return one measure's ratings laid out; of very many, those of some items where these separate as much."""

    def compute() -> LaidOut:
        if (sample := items_drawn(study, measure)) is not None:
            some = crossed(study, measure, sample)
            if not any(one.within == REST and one.name != ITEM + BY + RATER for one in some.unseparated):
                return LaidOut(some, sample)
        if study.whole.summed:
            return LaidOut(crossed(study, measure))
        a = assessments(study, measure)
        return LaidOut(design(a.item, a.rater, a.score, a.system, a.topic))

    return result(_key(study, measure, "design"), compute)


def items_drawn(study: Study, measure: str) -> ItemSample | None:
    """Return which items of very many ratings are taken; None where all are."""
    if study.whole.rows_kept <= MOST_RATINGS:
        return None
    cells = query(study.whole, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == study.candidate)
    ratings, items = (int(cells[name][here].sum()) for name in ("ratings", "items"))
    taken = max(ceil(items * MOST_RATINGS / max(ratings, 1)), FEWEST_ITEMS)
    return ItemSample(taken, items, SEED) if taken < items else None


def crossed(study: Study, measure: str, sample: ItemSample | None = None) -> Design:
    """Lay one measure's ratings out, of all items or a sample of them."""
    of = {} if sample is None else {"max_items": sample.items}
    return design(**read(study.whole, "crossed_ratings", measure=measure, group=study.candidate, **of))


def sources(study: Study, measure: str) -> tuple[str, ...]:
    return _quick_variances(study, measure)[0]


def without_intervals(study: Study, measure: str) -> Components | None:
    """Return one measure's variances, of everyone's ratings by the candidate group; None while stopped."""
    return _quick_variances(study, measure)[1] or long_result(
        _key(study, measure), "Variances", lambda on_progress: lay_out(study, measure).estimated(on_progress)
    )


def _quick_variances(study: Study, measure: str) -> tuple[tuple[str, ...], Components | None]:
    """Return the sources, and the variances where they take no longer than that: not by a likelihood."""

    def compute() -> tuple[tuple[str, ...], Components | None]:
        laid_out = lay_out(study, measure)
        names = tuple(source.name for source in laid_out.design.sources)
        return names, None if fits_likelihood(laid_out.design) else laid_out.estimated()

    return result(_key(study, measure, "sources"), compute)


def component_stages(study: Study, measure: str, bootstrap: BootstrapSpec) -> Iterator[Components | Progress]:
    """Yield one measure's variances without intervals unless these are kept, then with them."""
    closed = without_intervals(study, measure)
    if closed is None:
        return
    if cached(_key(study, measure, bootstrap)) is None:
        yield closed
        if closed.reason:
            return
        yield Progress("Intervals of the variances")
    found = draw_intervals(study, measure, closed, bootstrap)
    if found is not None:
        yield found


def draw_intervals(
    study: Study, measure: str, closed: Components, bootstrap: BootstrapSpec
) -> Components | None:
    """Return the variances with what their intervals are drawn from; None while stopped."""
    return long_result(
        _key(study, measure, bootstrap),
        "Intervals of the variances",
        lambda on_progress: add_intervals(closed, lay_out(study, measure).design, bootstrap, on_progress),
    )


def _key(study: Study, measure: str, *parts: object) -> str:
    return key_of(study.whole, "variance components", study.candidate, measure, *parts)


@dataclass(frozen=True)
class VarianceSpec:
    """Measure whose variance is split, the means that coefficients are about, and along which number they are drawn."""

    measure: str
    averaged: Averaged = field(default_factory=Averaged)
    along: Along = "raters"
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)


@dataclass(frozen=True, eq=False)
class VarianceFound:
    """Variances by source, and the coefficients of the chosen means and of other numbers of raters or items."""

    spec: VarianceSpec
    components: Components

    @property
    def has_coefficients(self) -> bool:
        """True where the variance of some object of measurement is separated from the residual."""
        return bool(separable_objects(self.components))

    @property
    def of_means(self) -> Generalisability:
        return generalisability(self.components, self.spec.averaged)

    @property
    def of_designs(self) -> Sequence[Generalisability]:
        """Coefficients of means over other numbers of raters or items."""
        return d_study(self.components, curve_designs(self.spec.averaged, self.spec.along))


def variance_stages(study: Study, spec: VarianceSpec) -> Iterator[VarianceFound | Progress]:
    """Yield the variances without intervals unless these are kept, then with them; nothing while stopped."""
    stages = component_stages(study, spec.measure, spec.bootstrap)
    yield from map_stages(stages, partial(VarianceFound, spec))
