"""Order of presentation: does having seen the summary change what people say of the document."""

from collections.abc import Sequence
from functools import partial
from math import isnan

import pandas as pd

from analysis.relevance.order_study import OrderStudy, SameJudgments
from features.blocks import Finding
from features.plotting.numbers import count, percent, share
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import Sentence, counted, listed

FEW_RATERS = 5
"""Raters below which it is said that others may differ."""


def no_order(lacking: Sequence[str]) -> Sentence:
    """The columns that would tell in which order things were shown."""
    columns = f"the column{'s' if len(lacking) > 1 else ''} {listed(lacking)}"
    return (
        "This study does not tell in which order summaries and documents were shown: {columns} (such as D1S2D2, "
        "and S2 for one of its presentations) would open this panel.",
        {"columns": columns if lacking else "rows with both order_label and presentation"},
    )


def title(pair: tuple[object, object, object]) -> str:
    """An order label and two of its presentations."""
    label, one, other = pair
    return f"{label}: {one} and {other}"


def finding_of(order: OrderStudy) -> Finding:
    """How many judgments stayed the same, from the pair with the most to that with the least."""
    known = [(pair, same) for pair, same in order.pairs.items() if same.share.defined]
    if not known:
        why = dict.fromkeys(same.share.reason for same in order.pairs.values())
        return not_enough_data(
            "Whether the order changes judgments cannot be told: {why}.",
            {"why": "; ".join(why) or "no document was judged in two presentations by the same rater"},
        )
    (least, low), (most, high) = (pick(known, key=lambda each: each[1].share.value) for pick in (min, max))
    values: dict[str, object] = {
        "most": title(most),
        "high": share(high.share.value),
        "high_between": _between(high),
        "least": title(least),
        "low": share(low.share.value),
        "low_between": _between(low),
    }
    if len(known) == 1:
        return uncertain(
            "<b>{high}</b> of the documents got the same judgment twice ({most}{high_between}).", values
        )
    return clear_if(
        low.share.high < high.share.low,
        "Of the documents that were judged twice, from <b>{low}</b> ({least}{low_between}) to <b>{high}</b> "
        "({most}{high_between}) got the same judgment.",
        values,
    )


def _between(same: SameJudgments) -> str:
    return "" if isnan(same.share.low) else f", {percent(same.share)}"


def notes(order: OrderStudy) -> list[Sentence]:
    """How intervals were made."""
    ways = dict.fromkeys(same.interval for same in order.pairs.values() if same.interval)
    return [("Intervals: {how}.", {"how": "; ".join(ways)})] if ways else []


def remarks(order: OrderStudy) -> list[Sentence]:
    """What is undefined or set aside, and how few took part."""
    made: list[Sentence] = [
        ("{pair}: undefined, since {why}.", {"pair": title(pair), "why": same.share.reason})
        for pair, same in order.pairs.items()
        if not same.share.defined
    ]
    if order.repeated:
        made.append(
            ("{n} repeated judgments were set aside; the first counts.", {"n": count(order.repeated)})
        )
    raters = max((same.raters for same in order.pairs.values()), default=0)
    if 0 < raters < FEW_RATERS:
        made.append(
            (
                "Only {raters} took part: what holds for them need not hold for others.",
                {"raters": counted(raters, "rater")},
            )
        )
    return made


def order_table(order: OrderStudy) -> Shown:
    """Table 11 of the paper."""
    rows = [
        {
            "Order": str(label),
            "Presentations": f"{one} and {other}",
            "Equal": same.share.value,
            "95 %": percent(same.share, 1),
            "Same": same.same,
            "Changed": same.changed,
            "Judged twice": same.share.n,
            "Judged once": same.lacking,
            "Raters": same.raters,
        }
        for (label, one, other), same in order.pairs.items()
    ]
    return pd.DataFrame(rows), {
        "Equal": partial(share, digits=1),
        **dict.fromkeys(("Same", "Changed", "Judged twice", "Judged once", "Raters"), count),
    }
