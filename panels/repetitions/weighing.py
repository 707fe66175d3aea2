"""What a number of ratings costs, saves and gives up: the cost panel of the Repetitions page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil, nan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.repetitions.cost import Costs, CostSpec, costs
from charts.parts.numbers import count, decimal, money, share_saved
from findings.study import Study
from findings.words import Sentence
from panels.parts.shelf import key_of, result
from panels.parts.store import store
from panels.parts.tables import show_table
from panels.parts.words import note, say
from panels.repetitions.curves import Fitted

PRICED = {"assignment (all measures at once)": "assignment", "rating (one measure)": "rating"}
_HOUR = 3600


@dataclass(frozen=True)
class Wording:
    """How the panel calls what is weighed: `one` and `given` (many) of it, each `of` which has a curve, and the curve's
    `figure`, `told` in a sentence, `written` with so many digits there and in the table. `priced` is what there may
    be a price for; nothing where each one has its own.
    """

    one: str = "rating"
    given: str = "ratings"
    of: str = "measure"
    figure: str = "correlation"
    told: str = "a correlation of <b>{first_r}</b> instead of {first_m} for {first}"
    priced: Mapping[str, str] = field(default_factory=lambda: PRICED)
    seconds_help: str = "Time for one rating of one measure. Left empty: the median of the data's seconds."
    written: Callable[[float, int], str] = decimal
    digits: int = 2
    digits_in_table: int = 3


RATINGS = Wording()


def usual(found: Sequence[Fitted]) -> int | None:
    """The ratings per item to weigh where nobody says: the median knee, rounded up."""
    knees = sorted(one.knee for one in found if one.knee is not None)
    return ceil(float(np.median(knees))) if knees else None


def most(found: Sequence[Fitted]) -> int:
    """The most ratings per item that any of the curves knows about."""
    return max((_most(one) for one in found), default=1)


def level(one: Fitted, r: int) -> float:
    """The correlation after r ratings: of the fitted curve, else the mean over orders; for split halves carried on.

    For choices the mean over orders: a share is exact at the last vote, and the curve need not be.
    """
    if one.beyond is not None:
        return float(one.beyond.curve[r - 1]) if r <= len(one.beyond.curve) else nan
    if r > one.curves.repetitions:
        return nan
    if one.saturation.defined and not one.curves.shares:
        return float(one.saturation.at(r))
    return one.curves.mean_at(r)


def _most(one: Fitted) -> int:
    return max(2 * one.curves.repetitions if one.beyond is not None else one.curves.repetitions, 1)


def show(study: Study, found: Sequence[Fitted]) -> int | None:
    """Draws the panel; returns the ratings per item that are weighed, None where there are none to weigh."""
    return weigh(found, _seconds(study), RATINGS)


def weigh(found: Sequence[Fitted], measured: float, words: Wording) -> int | None:
    """The same in other words; `measured` are the seconds that one takes by the data, NaN where unknown."""
    m = most(found)
    usually = usual(found)
    price_per = "rating"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.number_input(
            f"{words.given.capitalize()} per item to weigh",
            1,
            m,
            None,
            key="weigh",
            bind="query-params",
            width=190,
            placeholder="the median knee" if usually else "type a number",
            help="What would this many have cost, saved and given up? Left empty: the median knee.",
        )
        price = st.number_input(
            "Price" if words.priced else f"Price per {words.one}",
            0.0,
            None,
            0.0,
            0.1,
            key="price",
            bind="query-params",
            width=130,
        )
        if words.priced:
            price_per = words.priced[
                st.selectbox(
                    "for each",
                    list(words.priced),
                    key="per",
                    bind="query-params",
                    width=260,
                    help="In an assignment one person rates all measures of an item for one price.",
                )
            ]
        with st.popover("More costs"):
            currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
            fixed = st.number_input(
                "Fixed cost",
                0.0,
                None,
                0.0,
                10.0,
                key="fixed",
                bind="query-params",
                help=f"What does not grow with the number of {words.given}, such as paid qualifications.",
            )
            seconds = st.number_input(
                f"Seconds per {words.one}",
                0.0,
                None,
                None,
                1.0,
                key="seconds",
                bind="query-params",
                placeholder="unknown" if measured != measured else f"{measured:.1f} in the data",
                help=words.seconds_help,
            )
    r = int(typed) if typed is not None else usually
    if r is None:
        say(
            f"No {words.of} has a knee. Type the number of {words.given} per item whose cost you want to weigh."
        )
        return None
    spec = CostSpec(
        price=float(price),
        per="assignment" if price_per == "assignment" else "rating",
        fixed=float(fixed),
        seconds=measured if seconds is None else float(seconds),
    )
    each = [int(one.curves.items.max(initial=0)) for one in found]
    items, measures = (max(each), len(found)) if words.priced else (sum(each), 1)
    spent = costs(max(items, 1), measures, m, spec)
    template, values = sentence(found, r, m, spent, currency, words)
    say(template, **values)
    table, written = weighed(found, r, m, words)
    show_table(
        table,
        written,
        alt=f"{words.figure.capitalize()} after {r} and after {m} {words.given} per item, per {words.of}",
    )
    if spec.seconds == spec.seconds:
        at, all_of_it = (spent.seconds[x - 1] / _HOUR for x in (r, m))
        note(
            "At {seconds} seconds per {one} that is {at} hours of work instead of {all_of_it}.",
            seconds=decimal(spec.seconds, 1),
            one=words.one,
            at=count(at),
            all_of_it=count(all_of_it),
        )
    return r


def sentence(
    found: Sequence[Fitted], r: int, m: int, spent: Costs, currency: str, words: Wording = RATINGS
) -> Sentence:
    """'8 of 24 ratings: 66 % saved, rho 0.91 instead of 0.93', and the measure that gives up most."""
    known = [one for one in found if level(one, r) == level(one, r) and level(one, m) == level(one, m)]
    told = f"<b>{{r}} of {{m}}</b> {words.given} per item: <b>{{saved}}</b> of the {words.given} saved"
    values: dict[str, Any] = {"r": r, "m": m, "saved": share_saved(spent.saved_of_ratings[r - 1])}
    if spent.money[m - 1] > 0:
        told += " ({whole} of the whole cost: {at_r} instead of {at_m})"
        values |= {
            "whole": share_saved(spent.saved[r - 1]),
            "at_r": money(spent.money[r - 1], currency),
            "at_m": money(spent.money[m - 1], currency),
        }
    if known:
        first, worst = known[0], max(known, key=lambda one: level(one, m) - level(one, r))
        told += f", {words.told}"
        values |= {
            "first": first.measure,
            "first_r": words.written(level(first, r), words.digits),
            "first_m": words.written(level(first, m), words.digits),
        }
        if worst is not first:
            told += "; {worst} gives up most: {worst_r} instead of {worst_m}"
            values |= {
                "worst": worst.measure,
                "worst_r": words.written(level(worst, r), words.digits),
                "worst_m": words.written(level(worst, m), words.digits),
            }
    return told + ".", values


def weighed(
    found: Sequence[Fitted], r: int, m: int, words: Wording = RATINGS
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """One row per measure: the correlation at r, at m, and what is given up."""
    at_r, at_m = f"After {r}", f"After {m}"
    rows = [
        {
            words.of.capitalize(): one.measure,
            at_r: level(one, r),
            at_m: level(one, min(m, _most(one))),
            "Given up": level(one, min(m, _most(one))) - level(one, r),
        }
        for one in found
    ]
    write = partial(words.written, digits=words.digits_in_table)
    return pd.DataFrame(rows), dict.fromkeys((at_r, at_m, "Given up"), write)


def _seconds(study: Study) -> float:
    """The median of the data's seconds for the candidate's ratings, NaN where there are none."""
    if not study.dataset.has("seconds"):
        return nan
    measure = study.measures[0]

    def read() -> float:
        rows = store().query(study.dataset, "ratings", measure=measure, group=study.candidate)
        known = rows["seconds"][np.isfinite(rows["seconds"])]
        return float(np.median(known)) if len(known) else nan

    return result(key_of(study.dataset, "seconds", measure, study.candidate), read)
