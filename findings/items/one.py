"""One item or one rater: who gave which rating, and what the groups say."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.items.means import item_mean
from analysis.items.rating_spread import RatingSpread, rating_spread
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import decimal, decimal_with_interval, interval
from features.results import key_of, ratings, result
from features.study import Study
from features.tables import Shown
from features.verdicts import clear
from features.words import Sentence, of_many

FEWEST = 5
"""Ratings below which no mean is told in a sentence."""
MOST_ITEMS = 20_000
"""Items that the spread of an item's ratings is pooled over."""
ABOUT = ("system", "topic", "condition", "split")
Cells = list[tuple[str, str, Estimate]]


def means(rows: Mapping[str, Any], study: Study) -> Cells:
    """Return an item's MOS by measure and group, in the study's order."""
    cells = []
    for measure in study.measures:
        for group in study.groups:
            own = (rows["measure"] == measure) & (rows["group"] == group)
            if own.any():
                spread = spread_of_group(study, measure, group)
                cells.append(
                    (measure, group, item_mean(rows["score"][own], rows["rater"][own], spread=spread))
                )
    return cells


def spread_of_group(study: Study, measure: str, group: str) -> RatingSpread:
    """Return the variance of an item's ratings by a group, pooled over all items or a sample of many."""
    once = study.between_raters.dataset
    return result(
        key_of(once, "rating spread", measure, group),
        lambda: rating_spread(ratings(once, measure, group, max_items=MOST_ITEMS, seed=0)),
    )


def item_finding(item: str, rows: Mapping[str, Any], about: Mapping[str, Any], cells: Cells) -> Finding:
    """Who rated it, what is known of it, and its MOS where there is one measure."""
    known = [
        f"{column} {shorten(about[column][0])}" for column in ABOUT if len(about[column]) and about[column][0]
    ]
    told = [
        f"{shorten(group)} {decimal(e.value)} ({interval(e)}, {of_many(e.n, 'ratings')})"
        for _, group, e in cells
        if e.n >= FEWEST and len({measure for measure, _, _ in cells}) == 1
    ]
    return clear(
        "<b>{item}</b>{known}: {ratings} by {raters}{told}.",
        {
            "item": item,
            "known": f" ({', '.join(known)})" if known else "",
            "ratings": of_many(len(rows["score"]), "ratings"),
            "raters": of_many(len(np.unique(rows["rater"])), "raters"),
            "told": f"; MOS of {', '.join(told)}" if told else "",
        },
        for_raters("raters like these") if told else "",
    )


def mean_table(cells: Cells) -> Shown:
    """The item's MOS per measure and group."""
    rows = pd.DataFrame(
        {
            "Measure": [measure for measure, _, _ in cells],
            "Group": [group for _, group, _ in cells],
            "MOS": [e.value for _, _, e in cells],
            "Ratings": [e.n for _, _, e in cells],
        }
    )
    return rows, {"MOS": [decimal_with_interval(e) for _, _, e in cells]}


def ratings_table(rows: Mapping[str, Any], of: str) -> Shown:
    """Every rating of an item (`of` "rater") or by a rater (`of` "item"), in the file's order."""
    columns = {
        of.capitalize(): rows[of],
        "Group": rows["group"],
        "Measure": rows["measure"],
        "Score": rows["score"],
    }
    if "others" in rows:
        columns["Mean of the others"] = rows["others"]
        columns["Difference"] = rows["score"] - rows["others"]
    if (rows["moment"] != "").any():
        columns["When"] = rows["moment"]
    return pd.DataFrame(columns), {
        "Score": "{:g}".format,
        "Mean of the others": decimal,
        "Difference": decimal,
    }


def what_rater_rated(rater: str, rows: Mapping[str, Any]) -> Sentence:
    """What a rater rated."""
    return "<b>{rater}</b>: {ratings} of {items}.", {
        "rater": rater,
        "ratings": of_many(len(rows["score"]), "ratings"),
        "items": of_many(len(np.unique(rows["item"])), "items"),
    }


def nothing_of(what: str, name: str) -> Sentence:
    """That a view holds no rating of an item or a rater."""
    return (
        "There is no rating {of} <b>{name}</b> here. The name may be another, or what it has is filtered or left out "
        "in the sidebar.",
        {"of": "of an item called" if what == "item" else "by a rater called", "name": name},
    )
