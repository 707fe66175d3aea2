"""Variance components, and reliability with other numbers of raters and items."""

from analysis.variance.components import Components, components
from analysis.variance.generalisability import Averaged, Generalisability, d_study, generalisability
from analysis.variance.jackknives import ComponentIntervals, component_intervals

__all__ = [
    "Averaged",
    "ComponentIntervals",
    "Components",
    "Generalisability",
    "component_intervals",
    "components",
    "d_study",
    "generalisability",
]
