"""Where the variance comes from, and what other numbers of raters and items would make of it."""

from analysis.variance.components import Components, components
from analysis.variance.generalisability import Averaged, Generalisability, d_study, generalisability

__all__ = ["Averaged", "Components", "Generalisability", "components", "d_study", "generalisability"]
