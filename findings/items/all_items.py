"""All items of a measure: on which raters disagree most, and which look broken."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.items.disagreement import FEWEST_RATINGS, Disagreement
from analysis.items.discrimination import FEWEST_RATERS, Discrimination
from analysis.values.estimate import Estimate
from analysis.values.whole_numbers import settle
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, p_value
from features.tables import Shown, WhenAsked
from features.verdicts import clear, not_enough_data, uncertain
from features.words import Sentence, of_many

LEVEL = 0.05
"""Adjusted p below which an item is named."""
SCOPE = for_raters("raters like these")
"""An item's raters are taken as drawn at random."""
SD, R = "SD of its ratings", "r with agreement"
EXPLANATION = """
**Disagreement.** An item's SD is of its ratings about their mean. Its interval and the test against the variance
within all other items (F, one-sided) count degrees of freedom as the kurtosis of the ratings allows (Box 1953); p is
adjusted by Holm for all items asked, so that among items that are all alike one is named in at most 5 of 100 studies.
Raters differ most in the middle of a scale, and severe or lenient raters add to every item's spread: a large SD says
that raters disagree, not that the item is bad.

**Broken items.** A rater's line over all other items foretells what the rater gives an item of which the others think
so much. What is given beyond that, in units of the rater's usual distance from the line and less a curve that all
items share, is correlated over the item's raters with how well each agrees with the others on all other items. Below
0: those who elsewhere agree best with the others rate this item lower than foretold, as a wrong file or a text that is
cut would have it. Interval by Fisher's z, p by Student's t, both wider by the error of the mean of the others;
adjusted by Holm. It takes 10 raters of an item who each rated 10 further items, and many more to find all that is
broken.

**Repeats.** In the list of items, a rater who rated an item more than once counts once; the MOS keeps every rating.

**MOS of one item.** The interval is Student's t over raters; several ratings by one rater count as one cluster.
"""


@dataclass(frozen=True, eq=False)
class AllItems:
    """What is known of the items of one measure rated by one group, both in the order of `codes`."""

    codes: NDArray[np.int64]
    spread: Disagreement
    broken: Discrimination

    @property
    def disputed(self) -> NDArray[np.bool_]:
        return disputed(self.spread)

    @property
    def looks_broken(self) -> NDArray[np.bool_]:
        return self.broken.p < LEVEL


def disputed(spread: Disagreement) -> NDArray[np.bool_]:
    """Whether raters disagree on an item more than on the others, beyond chance."""
    return spread.p < LEVEL


def between(spread: Disagreement, low: float | None, high: float | None) -> NDArray[np.bool_]:
    """Whether each item's MOS is at least `low` and less than `high`, where these are given."""
    mos = settle(spread.mean)
    return ~((mos < (-np.inf if low is None else low)) | (mos >= (np.inf if high is None else high)))


def disagreement_finding(found: Disagreement, names: NDArray[np.str_], measure: str) -> Finding:
    """On which items raters disagree most."""
    asked = int((~np.isnan(found.p)).sum())
    values: dict[str, object] = {"measure": measure, "items": of_many(asked, "items")}
    if asked < 2:
        return not_enough_data(
            "On which items of {measure} raters disagree cannot be told: it takes two items with "
            f"{FEWEST_RATINGS} ratings each.",
            values,
        )
    out = np.flatnonzero(disputed(found))
    if not len(out):
        return uncertain(
            "On no item of {measure} do raters disagree more than on the others beyond chance ({items} with "
            f"{FEWEST_RATINGS} ratings or more).",
            values,
            SCOPE,
        )
    first = int(out[np.lexsort((-found.sd[out], found.p[out]))[0]])
    return clear(
        "On <b>{out} of {items}</b> raters disagree about {measure} more than on the others; the surest is "
        "<b>{name}</b>: SD {sd} ({interval}; {ratings}) against {others}.",
        values
        | {
            "out": len(out),
            "name": names[first],
            "sd": decimal(found.sd[first]),
            "interval": interval(_sd(found, first)),
            "ratings": of_many(found.ratings[first], "ratings"),
            "others": decimal(found.others[first]),
        },
        SCOPE,
    )


def broken_finding(items: AllItems, names: NDArray[np.str_]) -> Finding:
    """Which items look broken."""
    found = items.broken
    asked = int((~np.isnan(found.p)).sum())
    if not asked:
        return not_enough_data(
            f"Which items look broken cannot be told: it takes {FEWEST_RATERS} raters of an item who each rated "
            f"{FEWEST_RATERS} further items."
        )
    out = np.flatnonzero(items.looks_broken)
    values: dict[str, object] = {"items": of_many(asked, "items")}
    if not len(out):
        return uncertain(
            "None of {items} looks broken: those who agree best with the others rate none otherwise, beyond chance.",
            values,
            SCOPE,
        )
    first = int(out[np.argmin(found.p[out])])
    return clear(
        "<b>{out} of {items}</b> may be broken; the surest is <b>{name}</b>: those who agree best with the others "
        "rate it {way} than their other ratings foretell (r = {r}, {interval}, {raters}).",
        values
        | {
            "out": len(out),
            "name": names[first],
            "way": "lower" if found.r[first] < 0 else "higher",
            "r": decimal(found.r[first]),
            "interval": interval(_r(found, first)),
            "raters": of_many(found.raters[first], "raters"),
        },
        SCOPE,
    )


def broken_if_asked(spread: Disagreement, asked: str) -> Sentence:
    """Where to ask which of very many items look broken."""
    return (
        "Which items look broken is worked out from each of {ratings}, which takes minutes: choose <i>{asked}</i> "
        "above.",
        {"ratings": of_many(int(spread.ratings.sum()), "ratings"), "asked": asked},
    )


def part_shown(shown: NDArray[np.bool_], low: float | None, high: float | None) -> Sentence:
    """That picture and table hold only items of some MOS."""
    ends = " and ".join(
        [*([] if low is None else ["of {low} or more"]), *([] if high is None else ["below {high}"])]
    )
    return (
        f"{{some}} of {{items}} have a MOS {ends}: picture and table show these, the sentences speak of all.",
        {"some": count(int(shown.sum())), "items": of_many(len(shown), "items"), "low": low, "high": high},
    )


def table(
    items: AllItems, names: NDArray[np.str_], broken_first: bool, shown: NDArray[np.bool_] | None = None
) -> Shown:
    """Every item (only those `shown` if given), those first that stand out most; its index is the item's place."""
    spread, broken = items.spread, items.broken
    rows = pd.DataFrame(
        {
            "Item": names,
            "Ratings": spread.ratings,
            "MOS": spread.mean,
            SD: spread.sd,
            "SD of the others": spread.others,
            "p of disagreement (Holm)": spread.p,
            R: broken.r,
            "Raters": broken.raters,
            "p of r (Holm)": broken.p,
        }
    )
    by = (broken.p, broken.r) if broken_first else (spread.p, -spread.low)
    by_size = np.nan_to_num(settle(by[1]), nan=9e9)
    order = np.lexsort((-rows["Ratings"], by_size, np.nan_to_num(by[0], nan=9e9)))
    if shown is not None:
        order = order[shown[order]]
    return rows.iloc[order], {
        "MOS": decimal,
        SD: WhenAsked(lambda at: decimal_with_interval(_sd(spread, at)), order.tolist()),
        "SD of the others": decimal,
        "p of disagreement (Holm)": p_value,
        R: WhenAsked(lambda at: decimal_with_interval(_r(broken, at), 3), order.tolist()),
        "p of r (Holm)": p_value,
    }


def few_columns(broken_first: bool) -> tuple[str, ...]:
    """The columns that answer the question."""
    return ("Item", "MOS", R, "Raters", "p of r (Holm)") if broken_first else ("Item", "MOS", SD, "Ratings")


RATERS_LIKEWISE: Sentence = (
    "Raters who stand out are on the page <b>Assessors</b>; all ratings by one of them, here.",
    {},
)


def _sd(found: Disagreement, at: int) -> Estimate:
    return Estimate(found.sd[at], found.low[at], found.high[at], int(found.ratings[at]))


def _r(found: Discrimination, at: int) -> Estimate:
    return Estimate(found.r[at], found.low[at], found.high[at], int(found.raters[at]))
