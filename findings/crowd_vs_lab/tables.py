"""The tables of Crowd vs lab: every figure per measure, what of it is shown, and verdicts that hang on the test."""

from collections.abc import Callable, Sequence
from functools import partial
from math import nan

import pandas as pd

from analysis.comparison.clusters import NO_SYSTEMS
from analysis.comparison.comparison import Comparison, verdict_flips
from analysis.values.estimate import Estimate
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, p_phrase, p_value
from features.study import Study
from features.tables import WHY, Shown, Written
from features.words import Sentence, listed
from findings.crowd_vs_lab.agreement import SIGNIFICANT, equivalence_p, level_p, raters_p
from findings.crowd_vs_lab.without_chance import spread_p
from findings.leaving_out import change_columns, written

CORRELATIONS = (
    "Spearman ρ",
    "Pearson r",
    "Kendall τ-b",
    "Concordance",
    "ρ over systems",
    "r over systems",
    "Reliability, candidate",
    "Reliability, reference",
    "Ceiling",
    "Corrected r",
)
_WRITTEN: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(CORRELATIONS, partial(decimal, digits=3)),
    **dict.fromkeys(("RMSE", "Mean difference", "Lower limit", "Upper limit", "Spread", "Slope"), decimal),
    **dict.fromkeys(("Rank-biserial", "Margin"), decimal),
    **dict.fromkeys(
        (
            "p of ρ",
            "p (raters)",
            "p (raters, Holm)",
            "p (items)",
            "p (items, Holm)",
            "p (labels exchanged)",
            "p (U)",
            "p (W)",
        ),
        p_value,
    ),
    **dict.fromkeys(("p (equivalence)", "p (equivalence, Holm)", "p (spread)", "p (spread, Holm)"), p_value),
    **dict.fromkeys(("Mann-Whitney U", "Wilcoxon W"), partial(decimal, digits=1)),
    **dict.fromkeys(("Items", "Systems"), count),
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
    "Spread",
    "Slope",
)
"""What says nothing where both sides are on scales of their own."""


def full_table(compared: Sequence[Comparison], names: Sequence[str], of: str = "Measure") -> pd.DataFrame:
    """One row per name of a measure (or of a kind of rater), unrounded; an undefined figure is NaN.

    Figures of level are undefined where the reference is a column on a scale of its own.
    """
    rows = []
    adjusted = zip(
        level_p(compared), raters_p(compared), equivalence_p(compared), spread_p(compared), strict=True
    )
    for name, c, (p_holm, p_raters, p_equal, p_spread) in zip(names, compared, adjusted, strict=True):
        row: dict[str, object] = {of: name, "Items": c.items_shared}
        for label, estimate in _estimates(c).items():
            row |= {label: estimate.value, f"{label} low": estimate.low, f"{label} high": estimate.high}
            if label == "Spearman ρ":
                row |= {"Strength": c.strength, "p of ρ": c.spearman_p}
            if label == "r over systems":
                row["Systems"] = c.systems.systems
        row |= {
            "p (raters)": c.rater_p,
            "p (raters, Holm)": p_raters,
            "p (items)": c.item_tails.of(c.spec.alternative) if c.scope == "these raters" else nan,
            "p (items, Holm)": p_holm if c.scope == "these raters" else nan,
            "p (labels exchanged)": c.permuted_p,
            "Margin": c.equivalence.margin,
            "Margin is": c.equivalence.margin_is,
            "90 % low": c.equivalence.low,
            "90 % high": c.equivalence.high,
            "p (equivalence)": c.equivalence.p,
            "p (equivalence, Holm)": p_equal,
            "p (spread)": c.true_scores.spread_p,
            "p (spread, Holm)": p_spread,
            "Slope": c.slope,
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


def _estimates(c: Comparison) -> dict[str, Estimate]:
    """Every figure with an interval by the head of its column."""
    return {
        "Spearman ρ": c.spearman,
        "ρ over systems": c.systems.spearman,
        "r over systems": c.systems.pearson,
        "Pearson r": c.pearson,
        "Kendall τ-b": c.kendall,
        "Reliability, candidate": c.true_scores.reliability_candidate,
        "Reliability, reference": c.true_scores.reliability_reference,
        "Ceiling": c.true_scores.ceiling,
        "Corrected r": c.true_scores.corrected,
        "Concordance": c.concordance,
        "RMSE": c.rmse,
        "Mean difference": c.mean_difference,
        "Lower limit": c.limit_low,
        "Upper limit": c.limit_high,
        "Spread": c.true_scores.spread,
    }


def short_table(full: pd.DataFrame) -> Shown:
    """The columns that answer the page's question: order, difference of level, distance, and how many items say so."""
    of_level = [label for label in ("Mean difference", "RMSE") if full[label].notna().any()]
    return _shown(full, ["Spearman ρ", *of_level, "Items"])


def kinds_table(compared: Sequence[Comparison], kinds: Sequence[str], attribute: str) -> Shown:
    """The same for each kind of rater, with what each lacks."""
    rows, written = short_table(full_table(compared, kinds, of=attribute))
    reasons = [
        dict.fromkeys(e.reason for label, e in _estimates(c).items() if label in SHORT and not e.defined)
        for c in compared
    ]
    return rows.assign(**{WHY: ["; ".join(why) for why in reasons]}), written


def all_tables(full: pd.DataFrame) -> list[tuple[Shown, str]]:
    """Every column in tables by what is asked, each with what it shows in words; none that holds nothing."""
    asked = (
        (
            "Items, order and distance per measure",
            ("Items", "Spearman ρ", "Strength", "p of ρ", "Pearson r", "Kendall τ-b", "Concordance", "RMSE"),
        ),
        ("Correlations over systems per measure", ("Systems", "ρ over systems", "r over systems")),
        (
            "Reliability, ceiling and corrected correlation per measure",
            ("Reliability, candidate", "Reliability, reference", "Ceiling", "Corrected r"),
        ),
        (
            "Difference of level and tests per measure",
            (
                "Mean difference",
                "p (raters)",
                "p (raters, Holm)",
                "p (items)",
                "p (items, Holm)",
                "p (labels exchanged)",
                "Mann-Whitney U",
                "p (U)",
                "Rank-biserial",
                "Wilcoxon W",
                "p (W)",
            ),
        ),
        (
            "Equivalence and limits of agreement per measure",
            (
                "90 % of difference",
                "Margin",
                "p (equivalence)",
                "p (equivalence, Holm)",
                "Lower limit",
                "Upper limit",
            ),
        ),
        ("Spread of the items per measure", ("Spread", "p (spread)", "p (spread, Holm)", "Slope")),
    )
    ninety = full.assign(
        **{"90 % of difference": [interval(Estimate(0.0, *ends)) for ends in _ends(full, "90 %")]}
    )
    empty = {label for label in ninety if ninety[label].isna().all()}
    empty |= {"90 % of difference"} if full["90 % low"].isna().all() else set()
    kept = [([label for label in labels if label not in empty], what) for what, labels in asked]
    return [(_shown(ninety, labels), what) for labels, what in kept if set(labels) - {"Systems"}]


def dashes(study: Study, compared: Sequence[Comparison], all_columns: bool = False) -> list[Sentence]:
    """Why a figure that is shown, or its interval, is not there, each reason once."""
    looked_at = REASONED if all_columns else SHORT
    told: dict[tuple[str, str], list[str]] = {}
    for measure, c in zip(study.measures, compared, strict=True):
        for label, estimate in _estimates(c).items():
            missing = not estimate.defined or estimate.low != estimate.low
            if not missing or label not in looked_at or estimate.reason in ("", NO_SYSTEMS):
                continue
            what = label if not estimate.defined else f"interval of {label}"
            told.setdefault((what, estimate.reason), []).append(measure)
    return [
        ("No {what} ({where}): {why}.", {"what": what, "where": listed(where), "why": why})
        for (what, why), where in told.items()
    ]


SHORT = ("Spearman ρ", "Mean difference", "RMSE")
REASONED = (*SHORT, "ρ over systems", "Ceiling", "Corrected r", "Spread")


def _ends(full: pd.DataFrame, label: str) -> list[tuple[float, float]]:
    return list(zip(full[f"{label} low"], full[f"{label} high"], strict=True))


def _shown(full: pd.DataFrame, columns: Sequence[str]) -> Shown:
    """The names and some columns, each figure with its interval in one cell."""
    names = str(full.columns[0])
    written: dict[str, Written] = {}
    for label in columns:
        write = _WRITTEN.get(label)
        if write is None:
            continue
        written[label] = write
        if f"{label} low" in full:
            digits = 3 if label in CORRELATIONS else 2
            written[label] = [
                decimal_with_interval(Estimate(value, *ends), digits)
                for value, ends in zip(full[label], _ends(full, label), strict=True)
            ]
    return full[[names, *columns]], written


def verdict_table(study: Study, compared: Sequence[Comparison]) -> Shown | None:
    """Where another tail or another test would turn the verdict; None where none would."""
    rows = [
        {
            "Measure": measure,
            "As asked": f"{_verdict(c.level_p)}, {p_phrase(c.level_p)}",
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
