"""Sources of variance of one measure's ratings, and the generalizability of means over raters and items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analysis.values.estimate import BootstrapSpec
from analysis.variance.components import Components
from analysis.variance.generalisability import (
    Along,
    Averaged,
    Generalisability,
    curve,
    d_study,
    generalisability,
    objects,
)
from features.blocks import Progress, last_of
from features.raters.components_results import LaidOutWhenAsked, drawn, known, laid_out, without_intervals
from features.study import Study


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
        return bool(objects(self.components))

    @property
    def of_means(self) -> Generalisability:
        """Coefficients of the chosen means."""
        return generalisability(self.components, self.spec.averaged)

    @property
    def designs(self) -> Sequence[Averaged]:
        """Means over other numbers of raters or items."""
        return curve(self.spec.averaged, self.spec.along)

    @property
    def of_designs(self) -> Sequence[Generalisability]:
        """Their coefficients."""
        return d_study(self.components, self.designs)


def variance_stages(
    study: Study, spec: VarianceSpec, made: LaidOutWhenAsked | None = None
) -> Iterator[VarianceFound | Progress]:
    """Yield the variances without intervals unless these are kept, then with them; nothing while stopped."""
    made = made or laid_out(study, spec.measure)
    if (kept := known(study, spec.measure, spec.bootstrap)) is not None:
        yield VarianceFound(spec, kept)
        return
    closed = without_intervals(study, spec.measure, made)
    if closed is None:
        return
    yield VarianceFound(spec, closed)
    if not closed.reason:
        yield Progress("Intervals of the variances")
        found = drawn(study, spec.measure, closed, spec.bootstrap, made)
        if found is not None:
            yield VarianceFound(spec, found)


def split_variance(study: Study, spec: VarianceSpec) -> VarianceFound:
    """Split the variance of single ratings by source, with intervals."""
    return last_of(variance_stages(study, spec))
