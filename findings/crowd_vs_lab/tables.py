"""The tables of Crowd vs lab: every figure per measure, what of it is shown, and verdicts that hang on the test."""

from collections.abc import Callable, Sequence
from functools import partial
from math import nan

import pandas as pd

from analysis.crowd_vs_lab.comparison import Comparison, verdict_flips
from analysis.values.estimate import Estimate
from charts.parts.numbers import count, decimal, interval, p_phrase, p_value
from findings.crowd_vs_lab.agreement import SIGNIFICANT, equivalence_p, level_p
from findings.leaving_out import change_columns, written
from findings.study import Study
from findings.tables import Shown

_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("Spearman ρ", "Pearson r", "Kendall τ-b", "Concordance"), partial(decimal, digits=3)),
    **dict.fromkeys(("RMSE", "Mean difference", "Rank-biserial", "Margin"), decimal),
    **dict.fromkeys(
        ("p of ρ", "p (raters)", "p (raters, Holm)", "p (labels exchanged)", "p (U)", "p (W)"), p_value
    ),
    **dict.fromkeys(("p (equivalence)", "p (equivalence, Holm)"), p_value),
    **dict.fromkeys(("Mann-Whitney U", "Wilcoxon W"), partial(decimal, digits=1)),
    "Items": count,
}


_OF_LEVEL = (
    "Concordance",
    "RMSE",
    "Mean difference",
    "Lower limit",
    "Upper limit",
    "p (",
    "Margin",
    "90 %",
    "Mann-Whitney",
    "Rank-biserial",
    "Wilcoxon",
)
"""What says nothing where both sides are on scales of their own."""


def full_table(compared: Sequence[Comparison], names: Sequence[str], of: str = "Measure") -> pd.DataFrame:
    """One row per name of a measure (or of a kind of rater), unrounded; an undefined figure is NaN.

    Figures of level are undefined where the reference is a column on a scale of its own.
    """
    rows = []
    adjusted, equal = level_p(compared), equivalence_p(compared)
    for name, c, p_holm, p_equal in zip(names, compared, adjusted, equal, strict=True):
        row: dict[str, object] = {of: name, "Items": c.items_shared}
        for label, estimate in (
            ("Spearman ρ", c.spearman),
            ("Pearson r", c.pearson),
            ("Kendall τ-b", c.kendall),
            ("Concordance", c.concordance),
            ("RMSE", c.rmse),
            ("Mean difference", c.mean_difference),
            ("Lower limit", c.limit_low),
            ("Upper limit", c.limit_high),
        ):
            row |= {label: estimate.value, f"{label} low": estimate.low, f"{label} high": estimate.high}
            if label == "Spearman ρ":
                row |= {"Strength": c.strength, "p of ρ": c.spearman_p}
        row |= {
            "p (raters)": c.rater_p,
            "p (raters, Holm)": p_holm,
            "p (labels exchanged)": c.permuted_p,
            "Margin": c.equivalence.margin,
            "Margin is": c.equivalence.margin_is,
            "90 % low": c.equivalence.low,
            "90 % high": c.equivalence.high,
            "p (equivalence)": c.equivalence.p,
            "p (equivalence, Holm)": p_equal,
            "Mann-Whitney U": c.u,
            "p (U)": c.u_p,
            "Rank-biserial": c.rank_biserial,
            "Wilcoxon W": c.wilcoxon,
            "p (W)": c.wilcoxon_p,
            "Only candidate": c.left_out_candidate,
            "Only reference": c.left_out_reference,
        }
        if not c.same_scale:
            row |= dict.fromkeys((label for label in row if label.startswith(_OF_LEVEL)), nan)
        rows.append(row)
    return pd.DataFrame(rows)


def agreement_table(full: pd.DataFrame) -> Shown:
    """How alike both sides order and space the items."""
    of_scale = ["Concordance", "RMSE"] if full["RMSE"].notna().any() else []
    return _shown(full, ["Items", "Spearman ρ", "Strength", "p of ρ", "Pearson r", "Kendall τ-b", *of_scale])


def equality_table(full: pd.DataFrame) -> Shown | None:
    """Whether both sides are shown to be level: the equivalence test, and between what limits the items' differences
    lie; None where there is no level to compare."""
    if full["Mean difference"].isna().all():
        return None
    names = str(full.columns[0])
    table: dict[str, object] = {names: full[names]}
    ninety = zip(full["90 % low"], full["90 % high"], strict=True)
    table["90 % of difference"] = [interval(Estimate(0.0, *low_high)) for low_high in ninety]
    table |= {label: full[label] for label in ("Margin", "p (equivalence)", "p (equivalence, Holm)")}
    for limit in ("Lower limit", "Upper limit"):
        ends = zip(full[limit], full[f"{limit} low"], full[f"{limit} high"], strict=True)
        table[limit] = [
            f"{decimal(value)} ({interval(Estimate(value, low, high))})" for value, low, high in ends
        ]
    return pd.DataFrame(table), {label: _WRITTEN[label] for label in table if label in _WRITTEN}


def level_table(full: pd.DataFrame) -> Shown | None:
    """Whether one side rates higher: the difference and the tests; exchanged labels only where that can be done.

    None where there is no level to compare.
    """
    if full["Mean difference"].isna().all():
        return None
    exchanged = ["p (labels exchanged)"] if full["p (labels exchanged)"].notna().any() else []
    return _shown(
        full,
        [
            "Mean difference",
            "p (raters)",
            "p (raters, Holm)",
            *exchanged,
            "Mann-Whitney U",
            "p (U)",
            "Rank-biserial",
            "Wilcoxon W",
            "p (W)",
        ],
    )


def _shown(full: pd.DataFrame, columns: Sequence[str]) -> Shown:
    """The names and some columns; those with an interval get a column of text beside them."""
    names = str(full.columns[0])
    shown: dict[str, object] = {names: full[names]}
    for label in columns:
        shown[label] = full[label]
        if f"{label} low" in full:
            ends = zip(full[f"{label} low"], full[f"{label} high"], strict=True)
            shown[f"95 % of {label.split()[-1]}"] = [interval(Estimate(0.0, *low_high)) for low_high in ends]
    return pd.DataFrame(shown), {label: _WRITTEN[label] for label in columns if label in _WRITTEN}


def verdict_table(study: Study, compared: Sequence[Comparison]) -> Shown | None:
    """Where another tail or another test would turn the verdict; None where none would."""
    rows = [
        {
            "Measure": measure,
            "As asked": f"{_verdict(c.rater_p)}, {p_phrase(c.rater_p)}",
            "But with": "; ".join(f"{f.test}, {f.alternative}: {p_phrase(f.p)}" for f in turned),
        }
        for measure, c in zip(study.measures, compared, strict=True)
        if c.same_scale and (turned := verdict_flips(c, SIGNIFICANT))
    ]
    return (pd.DataFrame(rows), {}) if rows else None


def _verdict(p: float) -> str:
    return "significant" if p < SIGNIFICANT else "not significant"


def leaving_out_table(study: Study, everyone: Sequence[Comparison], without: Sequence[Comparison]) -> Shown:
    """Agreement and level per measure with everyone, without the raters left out, and the difference."""
    table = pd.DataFrame(
        [
            {
                "Measure": measure,
                **change_columns("Spearman ρ", before.spearman.value, after.spearman.value),
                **(_change_of_level(before, after) if before.same_scale and after.same_scale else {}),
                "Items, everyone": before.items_shared,
                "Items, without": after.items_shared,
            }
            for measure, before, after in zip(study.measures, everyone, without, strict=True)
        ]
    )
    return table, written(table)


def _change_of_level(before: Comparison, after: Comparison) -> dict[str, object]:
    return {
        **change_columns("Mean difference", before.mean_difference.value, after.mean_difference.value),
        **change_columns("RMSE", before.rmse.value, after.rmse.value),
    }
