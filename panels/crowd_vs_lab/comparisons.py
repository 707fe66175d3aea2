"""Candidate against reference, measure by measure: from the store's reductions to results, shelved.

Up to `LARGEST_BOOTSTRAP` shared items the ratings themselves are read and intervals drawn; above, the store's
sums per item and per rater are enough and intervals are analytic.
"""

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from analysis.crowd_vs_lab.comparison import (
    Comparison,
    ComparisonSpec,
    compare,
    compare_sums,
    holm,
    verdict_flips,
)
from analysis.crowd_vs_lab.variance_components import ItemPairs, RaterPulls, pair_up
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.crowd_vs_lab.items import MOST_POINTS, Panel
from charts.parts.numbers import count, decimal, interval, p_phrase, p_value
from findings.study import Study
from findings.tables import Shown
from findings.words import Sentence, listed
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result, shelved
from panels.parts.store import LARGEST_BOOTSTRAP, query, ratings

Subset = tuple[str, str] | None
"""A rater attribute and the value to keep, or nothing."""

SIGNIFICANT = 0.05
TAILS = {
    "two-sided": "differs either way",
    "less": "candidate lower",
    "greater": "candidate higher",
}
"""The alternatives of a test in plain words."""

_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Spearman ρ", "Pearson r", "Kendall τ-b"), partial(decimal, digits=3)),
    **dict.fromkeys(("RMSE", "Mean difference", "Rank-biserial"), decimal),
    **dict.fromkeys(("p of ρ", "p (raters)", "p (raters, Holm)", "p (U)", "p (W)"), p_value),
    **dict.fromkeys(("Mann-Whitney U", "Wilcoxon W"), partial(decimal, digits=1)),
    "Items": count,
}

QUICK = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=0)
"""The closed figures alone: what a picture needs, at once."""


def pairs(study: Study, measure: str, subset: Subset = None) -> ItemPairs:
    """Sums per item of candidate and reference."""
    if study.reference_column is not None:
        return _against_column(study, measure, subset)[0]
    if study.reference is not None and _many_items(study, measure):
        return _both_sums(study, measure, subset)[0]
    return ItemPairs(**query(study.dataset, "item_pairs", **_asked(study, measure, subset)))


def candidate_sums(study: Study, measure: str) -> ItemPairs:
    """Sums per item of the candidate alone; the reference's columns are empty."""
    return ItemPairs(**query(study.dataset, "item_pairs", measure=measure, candidate=study.candidate))


def comparison(
    study: Study,
    measure: str,
    spec: ComparisonSpec = QUICK,
    subset: Subset = None,
    on_progress: Callable[[float], object] | None = None,
) -> Comparison:
    """Every figure of one measure under a spec."""

    def compute() -> Comparison:
        if _is_large(study, measure, subset):
            return compare_sums(pairs(study, measure, subset), _pulls(study, measure, subset), spec)
        candidate = ratings(study.dataset, measure, study.candidate, **_selection(subset))
        if study.reference_column is not None:
            return compare(candidate, column_values(study, study.reference_column), spec, on_progress)
        return compare(candidate, ratings(study.dataset, measure, study.reference), spec, on_progress)

    return result(_key(study, measure, spec, subset), compute)


def comparisons(study: Study, spec: ComparisonSpec) -> tuple[Comparison, ...] | None:
    """All chosen measures with intervals and tests, under a progress line; None while it is stopped."""

    def compute(on_progress: Callable[[float], object]) -> tuple[Comparison, ...]:
        total = len(study.measures)
        found = []
        for at, measure in enumerate(study.measures):
            found.append(
                comparison(
                    study, measure, spec, on_progress=lambda done, at=at: on_progress((at + done) / total)
                )
            )
            on_progress((at + 1) / total)
        return tuple(found)

    return long_result(_key(study, repr(study.measures), spec, None), "Intervals and tests", compute)


def by_subset(
    study: Study, measure: str, spec: ComparisonSpec, subsets: Sequence[tuple[str, str]]
) -> tuple[Comparison, ...] | None:
    """One measure for each value of a rater attribute of the candidate's raters."""

    def compute(on_progress: Callable[[float], object]) -> tuple[Comparison, ...]:
        found = []
        for at, subset in enumerate(subsets):
            found.append(comparison(study, measure, spec, subset))
            on_progress((at + 1) / len(subsets))
        return tuple(found)

    return long_result(_key(study, measure, spec, repr(subsets)), "Figures per kind of rater", compute)


def best_known(study: Study, measure: str, spec: ComparisonSpec) -> Comparison:
    """The comparison with its intervals if it is there already, else the closed figures."""
    return shelved(_key(study, measure, spec, None)) or comparison(study, measure)


def panel(study: Study, measure: str, found: Comparison) -> Panel:
    """What a picture of one measure shows."""
    shared = pairs(study, measure).shared()
    named = len(shared.item) <= MOST_POINTS
    names = query(study.dataset, "item_names")["name"][np.asarray(shared.item)] if named else np.empty(0, str)
    return Panel(
        measure=measure,
        candidate=shared.mos_candidate,
        reference=shared.mos_reference,
        names=names,
        spearman=found.spearman,
        mean_difference=found.mean_difference,
        limits=(found.limit_low, found.limit_high),
    )


def column_values(study: Study, column: str) -> dict[Any, float]:
    """A numeric column of the items as item -> value."""
    rows = query(study.dataset, "item_numbers", column=column)
    return dict(zip(rows["item"].tolist(), rows["value"].tolist(), strict=True))


def _against_column(study: Study, measure: str, subset: Subset) -> tuple[ItemPairs, RaterPulls]:
    assert study.reference_column is not None
    values = column_values(study, study.reference_column)
    candidate = ratings(study.dataset, measure, study.candidate, **_selection(subset))
    return result(
        key_of(study.dataset, "pairs with column", measure, study.candidate, study.reference_column, subset),
        lambda: pair_up(candidate, values),
    )


def _pulls(study: Study, measure: str, subset: Subset) -> RaterPulls:
    if study.reference_column is not None:
        return _against_column(study, measure, subset)[1]
    return _both_sums(study, measure, subset)[1]


def _both_sums(study: Study, measure: str, subset: Subset) -> tuple[ItemPairs, RaterPulls]:
    """Sums per item and per rater in one go: on millions of rows the second is quicker right after the first."""
    rows = query(study.dataset, "comparison", **_asked(study, measure, subset))
    pairs, pulls = (
        {name: rows[name] for name in table.__dataclass_fields__} for table in (ItemPairs, RaterPulls)
    )
    return ItemPairs(**pairs), RaterPulls(**pulls)


def _is_large(study: Study, measure: str, subset: Subset) -> bool:
    if not _many_items(study, measure):
        return False
    return len(pairs(study, measure, subset).shared().item) > LARGEST_BOOTSTRAP


def _many_items(study: Study, measure: str) -> bool:
    cells = query(study.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == study.candidate)
    return bool(cells["items"][here].sum() > LARGEST_BOOTSTRAP)


def _asked(study: Study, measure: str, subset: Subset) -> dict[str, Any]:
    asked = {"measure": measure, "candidate": study.candidate, **_selection(subset)}
    return asked | ({"reference": study.reference} if study.reference else {})


def _selection(subset: Subset) -> dict[str, str]:
    return {} if subset is None else {"attribute": subset[0], "value": subset[1]}


def _key(study: Study, measure: str, spec: ComparisonSpec, subset: Subset | str) -> str:
    return key_of(
        study.dataset,
        "comparison",
        measure,
        study.candidate,
        study.reference,
        study.reference_column,
        subset,
        spec,
    )


def table(study: Study, found: Sequence[Comparison], subset_names: Sequence[str] = ()) -> pd.DataFrame:
    """One row per measure (or per `subset_names`), unrounded; an undefined figure is NaN."""
    rows = []
    adjusted = holm([c.rater_p for c in found])
    for name, c, p_holm in zip(subset_names or study.measures, found, adjusted.tolist(), strict=True):
        row: dict[str, Any] = {"Measure": name, "Items": c.items_shared}
        for label, estimate in (
            ("Spearman ρ", c.spearman),
            ("Pearson r", c.pearson),
            ("Kendall τ-b", c.kendall),
            ("RMSE", c.rmse),
            ("Mean difference", c.mean_difference),
        ):
            row |= {label: estimate.value, f"{label} low": estimate.low, f"{label} high": estimate.high}
            if label == "Spearman ρ":
                row |= {"Strength": c.strength, "p of ρ": c.spearman_p}
        row |= {
            "p (raters)": c.rater_p,
            "p (raters, Holm)": p_holm,
            "Mann-Whitney U": c.u,
            "p (U)": c.u_p,
            "Rank-biserial": c.rank_biserial,
            "Wilcoxon W": c.wilcoxon,
            "p (W)": c.wilcoxon_p,
            "Only candidate": c.left_out_candidate,
            "Only reference": c.left_out_reference,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def agreement_table(full: pd.DataFrame) -> Shown:
    """How alike both sides order and space the items."""
    return _shown(
        full,
        ["Measure", "Items", "Spearman ρ", "Strength", "p of ρ", "Pearson r", "Kendall τ-b", "RMSE"],
    )


def level_table(full: pd.DataFrame) -> Shown:
    """Whether one side rates higher: the difference and the three tests."""
    return _shown(
        full,
        [
            "Measure",
            "Mean difference",
            "p (raters)",
            "p (raters, Holm)",
            "Mann-Whitney U",
            "p (U)",
            "Rank-biserial",
            "Wilcoxon W",
            "p (W)",
        ],
    )


def _shown(full: pd.DataFrame, columns: Sequence[str]) -> Shown:
    """Some columns; those with an interval get a column of text beside them."""
    shown: dict[str, Any] = {}
    for label in columns:
        shown[label] = full[label]
        if f"{label} low" in full:
            ends = zip(full[f"{label} low"], full[f"{label} high"], strict=True)
            shown[f"95 % of {label.split()[-1]}"] = [interval(Estimate(0.0, *low_high)) for low_high in ends]
    return pd.DataFrame(shown), {label: _WRITTEN[label] for label in columns if label in _WRITTEN}


def finding(study: Study, found: Sequence[Comparison]) -> Sentence:
    """How alike both sides order the items, from the weakest measure to the strongest."""
    names = {"candidate": study.candidate, "reference": study.reference_name}
    known = [
        (c.spearman.value, m, c) for m, c in zip(study.measures, found, strict=True) if c.spearman.defined
    ]
    if not known:
        return (
            "No correlation of {candidate} with {reference} is defined here; the reasons stand below.",
            names,
        )
    low, high = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    if len(known) == 1:
        return (
            "How alike {candidate} and {reference} order the items: <b>{strength}</b>, with Spearman's ρ "
            "<b>{rho}</b>{interval} over {items} items.",
            {
                **names,
                "strength": high[2].strength,
                "rho": decimal(high[0]),
                "interval": _in_brackets(high[2].spearman),
                "items": count(high[2].items_shared),
            },
        )
    return (
        "How alike {candidate} and {reference} order the items: Spearman's ρ runs from <b>{low}</b> "
        "({lowest}, {weak}) to <b>{high}</b> ({highest}, {strong}).",
        {
            **names,
            "low": decimal(low[0]),
            "lowest": low[1],
            "weak": low[2].strength,
            "high": decimal(high[0]),
            "highest": high[1],
            "strong": high[2].strength,
        },
    )


def difference_finding(study: Study, found: Sequence[Comparison]) -> Sentence | None:
    """On how many measures one side rates higher, by the test over raters, Holm-adjusted."""
    adjusted = holm([c.rater_p for c in found]).tolist()
    tested = [p for p in adjusted if p == p]
    if not tested:
        return None
    significant = [
        f"{measure} ({decimal(c.mean_difference.value)})"
        for measure, c, p in zip(study.measures, found, adjusted, strict=True)
        if p < SIGNIFICANT
    ]
    names = {"candidate": study.candidate, "reference": study.reference_name, "n": len(tested)}
    if not significant:
        return (
            "No difference in level between {candidate} and {reference} stands out from chance over raters "
            "(p ≥ .05 on {n}, Holm-adjusted).",
            names | {"n": f"all {len(tested)} measures" if len(tested) > 1 else "the one measure"},
        )
    return (
        "Levels differ on <b>{k} of {n}</b> measures ({candidate} minus {reference}): {where}; "
        "test over raters, Holm-adjusted p &lt; .05.",
        {**names, "k": len(significant), "where": listed(significant)},
    )


def flips(study: Study, found: Sequence[Comparison]) -> pd.DataFrame:
    """Where another tail or another test would turn the verdict; no rows where none would."""
    rows = [
        {
            "Measure": measure,
            "As asked": f"{_verdict(c.rater_p)}, {p_phrase(c.rater_p)}",
            "But with": "; ".join(f"{f.test}, {f.alternative}: {p_phrase(f.p)}" for f in turned),
        }
        for measure, c in zip(study.measures, found, strict=True)
        if (turned := verdict_flips(c, SIGNIFICANT))
    ]
    return pd.DataFrame(rows, columns=["Measure", "As asked", "But with"])


def remarks(study: Study, found: Sequence[Comparison]) -> list[Sentence]:
    """What was left out or is undefined, each reason once."""
    reasons: dict[str, list[str]] = {}
    for measure, c in zip(study.measures, found, strict=True):
        if c.left_out_candidate or c.left_out_reference:
            told = (
                f"{count(c.left_out_candidate)} items rated by {study.candidate} only and "
                f"{count(c.left_out_reference)} known to {study.reference_name} only are left out"
            )
            reasons.setdefault(told, []).append(measure)
        for reason in c.reasons:
            reasons.setdefault(reason, []).append(measure)
    return [
        ("{where}: {reason}.", {"where": listed(where), "reason": reason})
        for reason, where in reasons.items()
    ]


def _in_brackets(estimate: Estimate) -> str:
    return "" if estimate.low != estimate.low else f" (95 % interval {interval(estimate)})"


def _verdict(p: float) -> str:
    return "significant" if p < SIGNIFICANT else "not significant"
