"""Do raters agree: with each other, and with gold or themselves beyond chance, for every surrogate."""

from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from analysis.relevance import rater_pairs
from analysis.relevance.kappa import paper_kappa
from analysis.relevance.rater_pairs import RaterAgreement
from analysis.relevance.side_by_side import SideBySide
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.parts.numbers import count, decimal, interval, percent, share
from charts.relevance.judgments import Series, dots
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.relevance import agreement
from panels.relevance.rows import Rows, interval_controls, main_rows

BETWEEN, BEYOND, WITHIN = "Between raters", "With gold", "With own full text"
_EXACT = partial(decimal, digits=3)
WRITTEN = {
    **dict.fromkeys((BETWEEN, BEYOND, WITHIN), _EXACT),
    "Pairs of judgments alike": partial(share, digits=1),
    **dict.fromkeys(("Pairs of raters", "Pairs of judgments", "Repeated"), count),
}

CHANCE = 0.5
"""The agreement that the paper expects by chance between two answers."""


def show(study: Study) -> None:
    """Finding, chance as a control, kappas and shares side by side, the table (Table 2), remarks."""
    rows = main_rows(study)
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chance = st.number_input(
            "Agreement by chance (P_E)",
            0.0,
            0.99,
            CHANCE,
            0.05,
            key="chance",
            bind="query-params",
            width=220,
            help="For the paper's kappa, (P_A − P_E) / (1 − P_E), with P_A the accuracy against gold. With two answers "
            "the paper takes 0.5.",
        )
        spec = interval_controls()
    pictures = st.columns(2, gap="medium")
    places = tuple(column.empty() for column in pictures)
    closed = computed(study, rows, BootstrapSpec(draws=0))
    if closed is None:
        return
    _draw(rows, *closed, chance, finding, places, "closed")
    let_it_be_drawn(f"relevance kappa {study.key} {rows.full_text} {chance}")
    found = computed(study, rows, spec) or closed
    if found is not closed:
        _draw(rows, *found, chance, finding, places, "with intervals")
    pairs, both = found
    if pairs.resampled not in ("", "nothing"):
        note("Intervals draw {what}.", what=pairs.resampled)
    table = kappa_table(rows, pairs, both, chance)
    show_table(table, WRITTEN, alt="Kappa in each form and agreement between raters, by surrogate")
    for template, values in remarks(rows, pairs, both):
        warn(template, **values)
    downloads("kappa", lambda: table, lambda: kappas(rows, pairs, both, chance))


def computed(study: Study, rows: Rows, spec: BootstrapSpec) -> tuple[RaterAgreement, SideBySide] | None:
    """Agreement of pairs of raters, and of each rater with gold and the own full text; None while stopped."""

    def between(on_progress: Any) -> RaterAgreement:
        return rater_pairs.between_raters(rows.judged, spec, on_progress)

    pairs = long_result(
        key_of(study.dataset, "pairs of raters", spec),
        "Intervals of pairs" if spec.draws else "Pairs",
        between,
    )
    if not spec.draws:
        both = result(
            agreement.key(study, rows, "closed"),
            lambda: agreement.computed(rows, spec),
        )
    else:
        both = long_result(
            agreement.key(study, rows, spec),
            "Intervals",
            lambda on_progress: agreement.computed(rows, spec, on_progress),
        )
    return None if pairs is None or both is None else (pairs, both)


def _order(rows: Rows) -> list[int]:
    return [*rows.summaries, *([rows.full_text] if rows.has_full_text else [])]


def _draw(
    rows: Rows,
    pairs: RaterAgreement,
    both: SideBySide,
    chance: float,
    finding: Any,
    places: tuple[Any, ...],
    which: str,
) -> None:
    with finding:
        template, values = finding_of(rows, pairs)
        say(template, **values)
    figure = kappas(rows, pairs, both, chance)
    draw(places[0], figure, key=f"kappa {which}", alt="Kappa of each surrogate")
    draw(
        places[1],
        dots(
            [str(rows.surrogates[at]) for at in _order(rows)],
            [Series("alike", [pairs.surrogates[at].agreement for at in _order(rows)])],
            "Pairs of judgments that are alike",
            look(),
            height=figure["layout"]["height"],
        ),
        key=f"alike {which}",
        alt="Share of pairs of judgments of the same document that are alike, by surrogate",
    )


def kappas(rows: Rows, pairs: RaterAgreement, both: SideBySide, chance: float) -> dict[str, Any]:
    order = _order(rows)
    series = [
        Series(name, [_kappa(name, at, pairs, both, chance) for at in order])
        for name in (BETWEEN, BEYOND, WITHIN)
    ]
    known = [one for one in series if any(e.defined for e in one.estimates)]
    return dots([str(rows.surrogates[at]) for at in order], known, "Kappa", look(), shares=False, guide=0.0)


def _kappa(name: str, at: int, pairs: RaterAgreement, both: SideBySide, chance: float) -> Estimate:
    if name == BETWEEN:
        return pairs.surrogates[at].kappa
    return paper_kappa(both.ldc[at].accuracy, chance) if name == BEYOND else both.prediction[at].kappa


def finding_of(rows: Rows, pairs: RaterAgreement) -> Sentence:
    """How far raters decide alike, from the surrogate with the most agreement to that with the least."""
    known = sorted(
        ((at, pairs.surrogates[at]) for at in _order(rows) if pairs.surrogates[at].agreement.defined),
        key=lambda each: -each[1].agreement.value,
    )
    if not known:
        reasons = sorted({pairs.surrogates[at].agreement.reason for at in _order(rows)} - {""})
        return "Whether raters agree cannot be told: {why}.", {"why": "; ".join(reasons) or "nobody judged"}
    (first, best), (last, least) = known[0], known[-1]
    template = (
        "Two raters decide alike on <b>{high}</b> of the documents{between} with <b>{first}</b>{beyond}"
    )
    values: dict[str, object] = {
        "first": str(rows.surrogates[first]),
        "high": share(best.agreement.value),
        "between": "" if isnan(best.agreement.low) else f" ({percent(best.agreement)})",
        "beyond": _beyond(best.kappa),
    }
    if len(known) > 1:
        template += ", on <b>{low}</b> with <b>{last}</b>{least}"
        values |= {
            "last": str(rows.surrogates[last]),
            "low": share(least.agreement.value),
            "least": _beyond(least.kappa),
        }
    return template + ".", values


def _beyond(kappa: Estimate) -> str:
    return f", kappa {decimal(kappa.value)}" if kappa.defined else ""


def kappa_table(rows: Rows, pairs: RaterAgreement, both: SideBySide, chance: float) -> pd.DataFrame:
    """The paper's Table 2, with Cohen's kappa in two forms beside the paper's."""
    told = []
    for at in _order(rows):
        one = pairs.surrogates[at]
        row: dict[str, Any] = {"Surrogate": str(rows.surrogates[at])}
        for name in (BETWEEN, BEYOND, WITHIN):
            kappa = _kappa(name, at, pairs, both, chance)
            row |= {name: kappa.value, f"{name}, 95 %": interval(kappa)}
        row |= {
            "Pairs of judgments alike": one.agreement.value,
            "95 %": percent(one.agreement, 1),
            "Pairs of raters": one.pairs,
            "Pairs of judgments": one.agreement.n,
            "Repeated": one.repeated,
        }
        told.append(row)
    table = pd.DataFrame(told)
    unknown = [name for name in (BEYOND, WITHIN) if table[name].isna().all()]
    unknown += [f"{name}, 95 %" for name in unknown]
    if not table["Repeated"].any():
        unknown.append("Repeated")
    return table.drop(columns=unknown)


def remarks(rows: Rows, pairs: RaterAgreement, both: SideBySide) -> list[Sentence]:
    """What is undefined and why, and what was set aside."""
    told: list[Sentence] = []
    if not rows.has_gold:
        told.append(("A column gold would open the paper's kappa, agreement with gold beyond chance.", {}))
    if not rows.has_full_text:
        told.append(("Judgments of the full text would open kappa with the rater's own full text.", {}))
    reasons: dict[str, list[str]] = {}
    for at in _order(rows):
        name, one = str(rows.surrogates[at]), pairs.surrogates[at]
        if not one.kappa.defined:
            reasons.setdefault(one.kappa.reason, []).append(name)
        elif one.undefined_pairs:
            told.append(
                (
                    "{n} of {of} pairs of raters have no kappa on {name}: both gave one answer throughout.",
                    {"n": count(one.undefined_pairs), "of": count(one.pairs), "name": name},
                )
            )
        within = both.prediction[at].kappa
        if at != rows.full_text and rows.has_full_text and not within.defined:
            told.append(
                (
                    "Kappa with the own full text is undefined for {name}: {why}.",
                    {"name": name, "why": within.reason},
                )
            )
        if one.repeated:
            told.append(
                (
                    "{n} repeated judgments of a rater on {name} were set aside; the first counts.",
                    {"n": count(one.repeated), "name": name},
                )
            )
    told += [
        (
            "Kappa between raters is undefined for {names}: {why}.",
            {"names": listed(names), "why": why},
        )
        for why, names in reasons.items()
    ]
    return told


EXPLANATION = r"""
**Between raters.** Cohen's kappa of every pair of raters on the documents that both judged from a surrogate,
$\kappa = (P_A - P_E) / (1 - P_E)$, with $P_E$ from how often each of the two says *relevant*; the mean over pairs.
**Pairs of judgments alike** (the paper's between-participant agreement): the share of pairs of judgments of the same
document by two raters that are equal.

**With gold.** The paper's kappa: the same formula with $P_A$ the accuracy against gold and a chosen
$P_E$, .5 in the paper. It is a stretched accuracy and knows nothing of how often raters say *relevant*.

**With own full text.** Cohen's kappa of a rater's judgments of the surrogate with the same rater's judgments of the
full text, averaged over raters. It stands beside Relevance Prediction, which is 100 % for a rater who always says *no*.

1 is full agreement, 0 what chance gives. A pair, or a rater, with one answer throughout has no kappa and is counted.

**Intervals** draw raters and events; copies of a rater in a draw are no pair.

Sources: Cohen 1960; Hobson, Dorr, Monz and Schwartz 2007, section 4.3.1, Table 2; Owen 2007.
"""
