"""The crowd's label against gold or an expert's: how often it is the same, and how far beyond chance."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from analysis.systems.crowd_labels import CrowdAgainst
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, share
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data, uncertain
from features.words import Sentence, counted, of_many

FEWEST_ITEMS = 10
"""Items with a known answer below which nothing is concluded."""
Parts = Sequence[tuple[str, CrowdAgainst]]
"""Name and figures of each design or comparison."""


def finding(whole: CrowdAgainst, parts: Parts, known: str) -> Finding:
    """How far the crowd's label may stand for the known answer."""
    answer = "gold" if known == "gold" else "the expert's"
    kappa = whole.kappa
    values: dict[str, object] = {
        "items": counted(whole.items, "item"),
        "share": share(whole.accuracy),
        "kappa": decimal(kappa.value),
        "between": "" if interval(kappa) == "–" else f", {interval(kappa)}",
        "reason": kappa.reason,
    }
    if whole.items < FEWEST_ITEMS:
        return not_enough_data(
            f"How far the crowd's answer is {answer} <b>cannot be told</b> from {{items}}: {{least}} or more would be "
            "needed.",
            values | {"least": FEWEST_ITEMS},
        )
    told = f"The answer that most of the crowd give is {answer} on <b>{{share}}</b> of {{items}}: "
    if not kappa.defined:
        return uncertain(told + "how far beyond chance is undefined ({reason}).", values)
    told += "kappa <b>{kappa}</b> (1 always, 0 as by chance{between})"
    known_parts = [
        (name, one.kappa) for name, one in parts if one.kappa.defined and one.items >= FEWEST_ITEMS
    ]
    if len(known_parts) > 1:
        low = min(known_parts, key=lambda part: part[1].value)
        high = max(known_parts, key=lambda part: part[1].value)
        values |= {
            "low": decimal_with_interval(low[1]),
            "lowest": low[0],
            "high": decimal_with_interval(high[1]),
            "highest": high[0],
        }
        told += "; from {low} ({lowest}) to {high} ({highest})"
    return clear_if(excludes(kappa), told + ".", values)


def parts_table(parts: Parts) -> Shown:
    """One row per design or comparison."""
    rows = pd.DataFrame(
        {
            "Comparison": [name for name, _ in parts],
            "Equal": [one.accuracy for _, one in parts],
            "Kappa": [one.kappa.value for _, one in parts],
            "Items": [one.items for _, one in parts],
            "Ties": [one.ties for _, one in parts],
        }
    )
    return rows, {
        "Equal": partial(share, digits=1),
        "Kappa": [decimal_with_interval(one.kappa, 3) for _, one in parts],
        "Items": count,
        "Ties": count,
    }


def notes(whole: CrowdAgainst) -> list[Sentence]:
    """What the figures rest on."""
    told: list[Sentence] = [("Intervals are over items, for these workers.", {})]
    if whole.ties:
        told.append(
            (
                "{items} tie: of labels that tie each counts its part, as breaking ties at random would.",
                {"items": of_many(whole.ties, "items")},
            )
        )
    return told


EXPLANATION = r"""
**The crowd's label** of an item is the one that most votes are for; of *t* labels that tie each counts $1 / t$, as
breaking ties at random would on average. **Kappa** (Cohen) takes the crowd as one rater and gold or the expert as the
other: $\kappa = (p_o - p_e) / (1 - p_e)$, with $p_o$ the share of items on which both say the same and $p_e$ that share
had each labelled at random with its own shares. Its interval leaves out each item in turn (jackknife), for these
workers. With a column `design` (or condition), or several pairs of systems, each has a row of its own.

Sources: Cohen 1960, "A coefficient of agreement for nominal scales"; Arvesen 1969 (jackknife).
"""
