"""The pictures of how far raters agree."""

from collections.abc import Sequence

from analysis.values.estimate import Estimate
from features.plotting.by_group import dots_by_group
from features.plotting.figure import Figure
from features.plotting.theme import Look
from features.study import Study
from findings.agreement.summary import Agreed


def both_figures(study: Study, agreed: Sequence[Agreed], look: Look) -> tuple[Figure, Figure]:
    """What one rating and the mean of an item's ratings are worth, per measure and group."""
    return (
        alpha_figure(study, agreed, look),
        _figure(study, agreed, [one.figures.mean for one in agreed], "Mean of an item's ratings (ICC)", look),
    )


def alpha_figure(study: Study, agreed: Sequence[Agreed], look: Look) -> Figure:
    """What one rating is worth."""
    alphas = [one.figures.alpha for one in agreed]
    return _figure(study, agreed, alphas, "One rating (Krippendorff's alpha)", look)


def _figure(
    study: Study, agreed: Sequence[Agreed], estimates: Sequence[Estimate], title: str, look: Look
) -> Figure:
    cells = [(one.measure, one.group, e) for one, e in zip(agreed, estimates, strict=True)]
    return dots_by_group(cells, study.groups, title, look)
