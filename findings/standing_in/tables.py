"""Candidates as rows: verdict, advantage, worth, order and level; and one of them against each reference rater."""

from collections.abc import Sequence
from functools import partial
from math import nan

import pandas as pd

from analysis.values.estimate import Estimate
from features.plotting.numbers import (
    count,
    decimal,
    decimal_with_interval,
    p_value,
    share,
    share_with_interval,
)
from features.tables import Shown, Written
from findings.standing_in.candidates import Standing

CANDIDATES = "Candidates"
"""What the table shows, in words."""
FIRST = ("Candidate", "May stand in", "Advantage", "Worth, raters")
OF_CHOICES = ("Candidate", "May stand in", "Winning rate", "Raters tested", "Advantage", "Items")


def full_table(standings: Sequence[Standing]) -> pd.DataFrame:
    """Every figure of every candidate, unrounded."""
    rows = []
    for one in standings:
        test = one.test
        equal = one.compared.equivalence if one.compared is not None and one.level.defined else None
        rows.append(
            {
                "Candidate": one.name,
                "May stand in": one.verdict,
                "Winning rate": nan if test is None else test.winning_rate,
                "Raters tested": nan if test is None else len(test.raters),
                **_with_ends("Advantage", one.advantage),
                **_with_ends("Worth, raters", one.worth),
                **_with_ends("Spearman ρ", one.order),
                **_with_ends("Mean difference", one.level),
                "p (equivalence)": nan if equal is None else equal.p,
                "Margin": nan if equal is None else equal.margin,
                "Items": one.advantage.n if one.compared is None else one.compared.items_shared,
            }
        )
    full = pd.DataFrame(rows)
    if all(one.compared is None for one in standings):
        return full[[label for label in full if str(label).startswith(OF_CHOICES)]]
    return full


def table(standings: Sequence[Standing]) -> Shown:
    """The same with each figure and its interval in one cell."""
    full = full_table(standings)
    shown = full[[label for label in full.columns.astype(str) if not label.endswith((" low", " high"))]]
    written: dict[str, Written] = {
        "Winning rate": partial(share, digits=0),
        "Raters tested": count,
        "Advantage": [share_with_interval(one.advantage, 1) for one in standings],
        "Worth, raters": [decimal_with_interval(one.worth, 1) for one in standings],
        "Spearman ρ": [decimal_with_interval(one.order, 3) for one in standings],
        "Mean difference": [decimal_with_interval(one.level, 2) for one in standings],
        "p (equivalence)": p_value,
        "Margin": decimal,
        "Items": count,
    }
    return shown, {label: how for label, how in written.items() if label in shown}


def by_rater(standing: Standing, names: Sequence[str]) -> Shown | None:
    """One candidate against each reference rater, those not tested last; None where there was no test."""
    test = standing.test
    if test is None:
        return None
    rows: list[dict[str, object]] = [
        {
            "Rater": str(names[int(rater)]),
            "Items": int(items),
            "Advantage": float(advantage),
            "p": float(p),
            "Replaced": "yes" if replaced else "no",
        }
        for rater, items, advantage, p, replaced in sorted(
            zip(test.raters.tolist(), test.items, test.advantages, test.p, test.replaced, strict=True),
            key=lambda one: one[3],
        )
    ]
    rows += [
        {"Rater": str(names[int(rater)]), "Items": items, "Advantage": nan, "p": nan, "Replaced": None}
        for rater, items in sorted(test.skipped.items(), key=lambda one: -one[1])
    ]
    return pd.DataFrame(rows), {"Items": count, "Advantage": partial(share, digits=1), "p": p_value}


def _with_ends(label: str, e: Estimate) -> dict[str, float]:
    return {label: e.value, f"{label} low": e.low, f"{label} high": e.high}
