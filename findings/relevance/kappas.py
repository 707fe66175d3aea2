"""Kappa in each form: between raters, with gold, and with the own full text; and its picture."""

from functools import partial

from analysis.relevance.rater_pairs import between_raters
from analysis.values.estimate import BootstrapSpec
from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.plotting.theme import Look
from features.results import at_once, with_intervals
from features.study import Study
from findings.relevance.both import both_at_once, both_with_intervals
from findings.relevance.kappa import KAPPAS, Kappas
from findings.relevance.rows import Rows
from findings.relevance.surrogates import Surrogates

_PAIRS = "Intervals of pairs"


def kappas_at_once(study: Study, rows: Rows) -> Kappas:
    """Agreement of pairs of raters, and of each rater with gold and the own full text."""
    pairs = at_once(study, _PAIRS, partial(between_raters, rows.judged))
    return Kappas(pairs, both_at_once(study, rows))


def kappas_with_intervals(study: Study, rows: Rows, bootstrap: BootstrapSpec) -> Kappas | None:
    """The same with intervals; None while stopped."""
    pairs = with_intervals(study, _PAIRS, partial(between_raters, rows.judged), bootstrap)
    both = both_with_intervals(study, rows, bootstrap)
    return None if pairs is None or both is None else Kappas(pairs, both)


def kappa_dots(surrogates: Surrogates, kappas: Kappas, chance: float, look: Look) -> Figure:
    """Each form of kappa that is defined of any surrogate."""
    series = [Series(name, [kappas.of(name, at, chance) for at in surrogates.there]) for name in KAPPAS]
    known = [one for one in series if one.defined]
    names = [surrogates.names[at] for at in surrogates.there]
    return series_dots(names, known, "Kappa", look, shares=False, guide=0.0)
