"""Section on the sources of variance of single ratings, and on means over other numbers of raters and items."""

from collections.abc import Iterator
from functools import partial

from features.blocks import Block, Figure, Heading, in_stages
from features.methods import method_of
from features.program import study_program
from features.raters import variance_findings as findings
from features.raters import variance_results as results
from features.raters.components_results import LaidOutWhenAsked
from features.raters.variance_figures import d_study_curve, variance_shares
from features.raters.variance_results import VarianceFound, VarianceSpec
from features.study import Study


def variance_section(
    study: Study, spec: VarianceSpec, made: LaidOutWhenAsked | None = None
) -> Iterator[Block]:
    """Yield which sources hold the variance of single ratings, and how well means generalize."""
    found = yield from in_stages(results.variance_stages(study, spec, made), _shares)
    if found.components.reason:
        return
    if found.has_coefficients:
        yield Heading("Other numbers of raters and items")
        yield findings.coefficient_finding(found.components, found.of_means)
        yield from _curve(found)
    yield from findings.variance_warnings(found.components)
    yield from findings.variance_notes(found.components, found.of_means)
    draws = spec.bootstrap.draws
    yield method_of("raters", "variance", ["brennan2001", "searle1992"], draws=draws)


def _shares(found: VarianceFound) -> Iterator[Block]:
    yield findings.components_finding(found.components, found.spec.measure)
    if found.components.reason:
        return
    shares = {findings.called(name): e for name, e in found.components.shares().items()}
    caption = "Share of the variance of a single rating of {measure} by source, with 95% CI."
    yield Figure("shares", (caption, {"measure": found.spec.measure}), partial(variance_shares, shares))
    yield findings.components_table(found.components, found.of_means)


def _curve(found: VarianceFound) -> Iterator[Block]:
    along = found.spec.along
    numbers = [getattr(each, along) for each in found.designs]
    chosen = getattr(found.spec.averaged, along)
    curves = findings.curves(found.of_designs)
    caption = "Coefficients by the number of {along}, with 95% CI."
    draw = partial(d_study_curve, findings.ALONG[along], numbers, curves, chosen)
    yield Figure("d-study", (caption, {"along": along}), draw)
    yield findings.d_study_table(along, found.of_designs)


def variance_program(study: Study, spec: VarianceSpec) -> str:
    """Return a program that splits the variance without a browser."""
    lines = [
        "of = found.components",
        "results = {'variances': of.variances(), 'shares': of.shares(), 'means': found.of_means}",
        "if found.has_coefficients:",
        "    results['by number'] = found.of_designs",
    ]
    return study_program(study, None, results.split_variance, spec, lines)
