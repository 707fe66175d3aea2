"""Order of presentation: does having seen the summary change what people say of the document."""

from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import streamlit as st

from analysis.relevance import order_study
from analysis.relevance.order_study import OrderStudy, SameJudgments
from analysis.values.estimate import BootstrapSpec
from charts.parts.numbers import count, percent, share
from charts.relevance.judgments import Series, dots
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, let_it_be_drawn, look
from panels.parts.progress import long_result
from panels.parts.shelf import key_of
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.relevance import judgments
from panels.relevance.rows import interval_controls

_TENTH = partial(share, digits=1)
WRITTEN = {
    "Equal": _TENTH,
    **dict.fromkeys(("Same", "Changed", "Judged twice", "Judged once", "Raters"), count),
}


def show(study: Study) -> None:
    """Finding, shares of equal judgments by order label and pair of presentations (Table 11), remarks."""
    of = judgments.judgments(study)
    judgments.full_text(study)
    if not ((of.order_label >= 0) & (of.presentation >= 0)).any():
        lacking = [
            name
            for name, codes in (("order_label", of.order_label), ("presentation", of.presentation))
            if not (codes >= 0).any()
        ]
        say(
            "This study does not tell in which order summaries and documents were shown: {columns} (such as D1S2D2, "
            "and S2 for one of its presentations) would open this panel.",
            columns=f"the column{'s' if len(lacking) > 1 else ''} {listed(lacking)}"
            if lacking
            else "rows with both order_label and presentation",
        )
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        spec = interval_controls()
    place = st.empty()
    closed = _computed(study, BootstrapSpec(draws=0))
    if closed is None:
        return
    _draw(closed, finding, place, "closed")
    let_it_be_drawn(f"order {study.key}")
    found = _computed(study, spec) or closed
    if found is not closed:
        _draw(found, finding, place, "with intervals")
    if not found.pairs:
        return
    ways = dict.fromkeys(same.interval for same in found.pairs.values() if same.interval)
    if ways:
        note("Intervals: {how}.", how="; ".join(ways))
    table = order_table(found)
    show_table(table, WRITTEN, alt="Share of equal judgments by order label and pair of presentations")
    for template, values in remarks(found):
        warn(template, **values)
    downloads("order", lambda: table, lambda: _figure(found))


def _computed(study: Study, spec: BootstrapSpec) -> OrderStudy | None:
    named = replace(
        judgments.judgments(study),
        order_label=judgments.named(study, "order_label"),
        presentation=judgments.named(study, "presentation"),
    )
    return long_result(
        key_of(study.dataset, "order of presentation", spec),
        "Intervals of the order study",
        lambda on_progress: order_study.same_judgments(named, spec, on_progress),
    )


def _title(key: tuple[Any, Any, Any]) -> str:
    label, one, other = key
    return f"{label}: {one} and {other}"


def _figure(found: OrderStudy) -> dict[str, Any]:
    return dots(
        [_title(key) for key in found.pairs],
        [Series("Equal judgments", [one.share for one in found.pairs.values()])],
        "Equal judgments",
        look(),
    )


def _draw(found: OrderStudy, finding: Any, place: Any, which: str) -> None:
    with finding:
        template, values = finding_of(found)
        say(template, **values)
    if found.pairs:
        draw(
            place,
            _figure(found),
            key=f"order {which}",
            alt="Share of equal judgments for each order label and pair of presentations",
        )


def finding_of(found: OrderStudy) -> Sentence:
    """How many judgments stayed the same, from the pair with the most to that with the least."""
    known = [(key, one) for key, one in found.pairs.items() if one.share.defined]
    if not known:
        reasons = dict.fromkeys(one.share.reason for one in found.pairs.values())
        return "Whether the order changes judgments cannot be told: {why}.", {
            "why": "; ".join(reasons) or "no document was judged in two presentations by the same rater"
        }
    least, most = (
        min(known, key=lambda each: each[1].share.value),
        max(known, key=lambda each: each[1].share.value),
    )
    values: dict[str, object] = {
        "most": _title(most[0]),
        "high": share(most[1].share.value),
        "high_between": _between(most[1]),
        "least": _title(least[0]),
        "low": share(least[1].share.value),
        "low_between": _between(least[1]),
    }
    if len(known) == 1:
        return "<b>{high}</b> of the documents got the same judgment twice ({most}{high_between}).", values
    return (
        "Of the documents that were judged twice, from <b>{low}</b> ({least}{low_between}) to <b>{high}</b> "
        "({most}{high_between}) got the same judgment.",
        values,
    )


def _between(one: SameJudgments) -> str:
    return "" if isnan(one.share.low) else f", {percent(one.share)}"


def order_table(found: OrderStudy) -> pd.DataFrame:
    """Table 11 of the paper."""
    return pd.DataFrame(
        [
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
            for (label, one, other), same in found.pairs.items()
        ]
    )


def remarks(found: OrderStudy) -> list[Sentence]:
    """What is undefined or set aside, and how intervals were made."""
    told: list[Sentence] = []
    for key, same in found.pairs.items():
        if not same.share.defined:
            told.append(("{pair}: undefined, since {why}.", {"pair": _title(key), "why": same.share.reason}))
    if found.repeated:
        told.append(
            ("{n} repeated judgments were set aside; the first counts.", {"n": count(found.repeated)})
        )
    raters = max((same.raters for same in found.pairs.values()), default=0)
    if 0 < raters < 5:
        told.append(
            (
                "Only {n} raters took part: what holds for them need not hold for others.",
                {"n": count(raters)},
            )
        )
    return told


EXPLANATION = r"""
**Order labels** such as *D1S2D2* tell what a rater saw: the document in week one, its summary and then the document
again in week two. For each label and pair of presentations: of the documents that a rater judged in both, the share
with the same judgment.

If seeing the summary primed the reader, *S2 and D2* (one right after the other) would agree more than the rater's
judgments otherwise do, and *D1 and D2*, the same document a week apart, less. A high share by itself is no proof:
readers remember what they said.

These judgments are not among the rows of the other panels where there are rows without an order label.

**Intervals** draw raters with replacement; with fewer than five raters they are Wilson's over the documents, for
these raters.

Sources: Hobson, Dorr, Monz and Schwartz 2007, section 6, Table 11.
"""
