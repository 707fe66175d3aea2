"""Every group's comparisons with the reference, and the pictures of them."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

from analysis.comparison.comparison import Comparison, ComparisonSpec
from analysis.values.estimate import Estimate
from features.plotting.by_group import dots_by_group
from features.plotting.figure import Figure
from features.plotting.theme import Look, shorten
from features.results import cached, key_of, long_result, part
from features.study import Study
from findings.crowd_vs_lab.all_groups import ByGroup, candidates
from findings.crowd_vs_lab.comparisons import QUICK, comparison


def at_hand(study: Study, spec: ComparisonSpec) -> ByGroup | None:
    """Every group's comparisons with the reference, with their intervals where they are there already."""
    held: ByGroup | None = cached(_key(study, spec))
    return held or of_all(study, QUICK, "All groups")


def of_all(study: Study, spec: ComparisonSpec, label: str = "Intervals of all groups") -> ByGroup | None:
    """Every group's comparisons with the reference under a spec; None while stopped."""
    groups = candidates(study)

    def compute(on_progress: Callable[[float], object]) -> ByGroup:
        compared: dict[str, tuple[Comparison, ...]] = {}
        work = [(group, measure) for group in groups for measure in study.measures]
        for at, (group, measure) in enumerate(work):
            one = comparison(
                replace(study, candidate=group), measure, spec, on_progress=part(on_progress, at, len(work))
            )
            compared[group] = (*compared.get(group, ()), one)
            on_progress((at + 1) / len(work))
        return compared

    return long_result(_key(study, spec), label, compute)


def of_pairs(study: Study, measure: str, spec: ComparisonSpec) -> dict[tuple[str, str], Estimate] | None:
    """Spearman's rho of each two groups on a measure under a spec; None while stopped."""
    pairs = list(combinations(study.groups, 2))

    def compute(on_progress: Callable[[float], object]) -> dict[tuple[str, str], Estimate]:
        rho = {}
        for at, (one, other) in enumerate(pairs):
            pair = replace(study, candidate=one, reference=other, reference_column=None)
            told = part(on_progress, at, len(pairs))
            rho[one, other] = comparison(pair, measure, spec, on_progress=told).spearman
            on_progress((at + 1) / len(pairs))
        return rho

    label = "Intervals of each two groups" if spec.bootstrap.draws else "Each two groups"
    return long_result(key_of(study.dataset, "each two groups", measure, spec), label, compute)


def _key(study: Study, spec: ComparisonSpec) -> str:
    return key_of(study.dataset, "all groups", study.reference, study.reference_column, study.measures, spec)


def correlation_dots(study: Study, by_group: ByGroup, look: Look) -> Figure:
    """Each group's correlation with the reference per measure."""
    title = f"Spearman's ρ with {shorten(study.reference_name)}"
    return _dots(study, by_group, lambda c: c.spearman, title, look)


def level_dots(study: Study, by_group: ByGroup, look: Look) -> Figure | None:
    """Each group's difference from the reference, per measure that has both on one scale; None where none has."""
    if not any(c.same_scale for of in by_group.values() for c in of):
        return None
    title = f"Difference from {shorten(study.reference_name)}, scale points"
    there = [at for at in range(len(study.measures)) if any(of[at].same_scale for of in by_group.values())]
    of_there = replace(study, measures=tuple(study.measures[at] for at in there))
    compared = {group: [of[at] for at in there] for group, of in by_group.items()}
    return _dots(of_there, compared, _difference, title, look)


def _dots(
    study: Study, by_group: ByGroup, of: Callable[[Comparison], Estimate], title: str, look: Look
) -> Figure:
    cells = [
        (measure, group, of(c))
        for group, compared in by_group.items()
        for measure, c in zip(study.measures, compared, strict=True)
    ]
    return dots_by_group(cells, study.groups, title, look)


def _difference(c: Comparison) -> Estimate:
    return c.mean_difference if c.same_scale else replace(c.mean_difference, value=float("nan"))
