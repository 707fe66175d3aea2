"""Verdict on whether the order of presentation changes judgments, with the share of equal judgments."""

from collections.abc import Iterator, Sequence
from functools import partial

from analysis.relevance.tukey import OrderStudy
from features.blocks import Finding, NextStep, Note, Table, Text, Warning
from features.evidence import capitalized, confidence_interval
from features.plotting.numbers import count, share, share_with_interval
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear, not_enough_data, uncertain
from features.words import counted, listed, number_repeats

FEW_RATERS = 5
"""Raters below which it is said that others may differ."""


def no_order(lacking: Sequence[str]) -> Finding:
    """Return the finding of a study that does not know the order of presentation."""
    columns = listed(lacking) if lacking else "rows with both order_label and presentation"
    return not_enough_data(
        "Not enough data to study the order of presentation: it needs {columns}.",
        {"columns": columns},
        "for example the order D1S2D2 and its presentation S2",
        next_step=NextStep("Map columns on Data", "datasets.py"),
    )


def pair_title(pair: tuple[object, object, object]) -> str:
    """Return an order label and two of its presentations.

    >>> pair_title(("D1S2D2", "S2", "D2"))
    'D1S2D2: S2 and D2'
    """
    label, one, other = pair
    return f"{label}: {one} and {other}"


def order_finding(order: OrderStudy) -> Finding:
    """Return whether judgments stay the same less often between some presentations than between others."""
    known = [(pair, same) for pair, same in order.pairs.items() if same.share.defined]
    if not known:
        why = dict.fromkeys(same.share.reason for same in order.pairs.values())
        lacking = "; ".join(why) or "no document was judged in two presentations by the same rater"
        return not_enough_data("Not enough data to say whether the order matters.", {}, capitalized(lacking))
    (least, low), (most, high) = (pick(known, key=lambda each: each[1].share.value) for pick in (min, max))
    raters = counted(max(same.raters for _, same in known), "rater")
    if len(known) == 1:
        return uncertain(
            "{share} of the documents got the same judgment twice.",
            {"share": share(low.share.value)},
            confidence_interval(low.share, share),
            pair_title(least),
            counted(low.share.n, "document"),
            raters,
        )
    ends = f"{share_with_interval(low.share)} and {share_with_interval(high.share)} stay the same"
    if low.share.high < high.share.low:
        return clear(
            "Judgments change more between {least} than between {most}.",
            {"least": f"{least[1]} and {least[2]}", "most": f"{most[1]} and {most[2]}"},
            ends,
            raters,
            f"orders {least[0]} and {most[0]}" if least[0] != most[0] else f"order {least[0]}",
        )
    return uncertain(
        "The order of presentation has no clear effect on judgments.",
        {},
        f"{ends}, {pair_title(least)}, and {pair_title(most)}",
        raters,
    )


def order_notes(order: OrderStudy) -> Iterator[Note]:
    """Yield how intervals were made."""
    ways = dict.fromkeys(same.interval for same in order.pairs.values() if same.interval)
    if ways:
        yield Note(("Intervals: {how}.", {"how": "; ".join(ways)}))


def order_warnings(order: OrderStudy) -> Iterator[Warning]:
    """Yield what is undefined or set aside, and how few raters there are."""
    told: list[Text] = [
        ("{pair}: undefined, since {why}.", {"pair": pair_title(pair), "why": same.share.reason})
        for pair, same in order.pairs.items()
        if not same.share.defined
    ]
    if order.repeated:
        text = "{n} repeated judgments were set aside; the first counts."
        told.append((text, {"n": count(order.repeated)}))
    raters = max((same.raters for same in order.pairs.values()), default=0)
    if 0 < raters < FEW_RATERS:
        text = "Only {raters} took part; others may differ."
        told.append((text, {"raters": counted(raters, "rater")}))
    yield from map(Warning, number_repeats(told))


def order_table(order: OrderStudy) -> Table:
    """Return Table 11 of the paper."""
    same = list(order.pairs.values())
    return table_of(
        "order",
        "Share of equal judgments by order label and pair of presentations.",
        [
            Column("Order", [str(label) for label, _, _ in order.pairs]),
            Column("Presentations", [f"{one} and {other}" for _, one, other in order.pairs]),
            *estimate_columns("Equal", [one.share for one in same], partial(share, digits=1)),
            Column("Same", [one.same for one in same], count),
            Column("Changed", [one.changed for one in same], count),
            Column("Judged twice", [one.share.n for one in same], count, False),
            Column("Judged once", [one.lacking for one in same], count, False),
            Column("Raters", [one.raters for one in same], count),
        ],
    )
