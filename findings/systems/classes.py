"""Classes of labels: how common each is, and which are taken for one another."""

from functools import partial

import numpy as np
import pandas as pd

from analysis.systems.crowd_labels import ClassShares
from analysis.workers.polls import Poll
from features.blocks import Finding
from features.plotting.numbers import count, share, share_with_interval
from features.tables import Shown, Written
from features.verdicts import clear, clear_if, not_enough_data
from features.words import Sentence, counted

FEWEST_ITEMS = 10
"""Items below which nothing is said of how common classes are."""
_TENTH = partial(share, digits=1)


def order(shares: ClassShares) -> list[int]:
    """The classes that were given, from the most common down."""
    value = np.array([one.value for one in shares.share])
    return [int(at) for at in np.argsort(-value, kind="stable") if value[at] > 0]


def finding(poll: Poll, shares: ClassShares) -> Finding:
    """Which class is most common, and which two are confused most often."""
    items, given = poll.votes.items, order(shares)
    values: dict[str, object] = {
        "items": counted(items, "item"),
        "first": poll.options[given[0]],
        "share": share_with_interval(shares.share[given[0]]),
        "classes": counted(len(given), "class", "classes"),
    }
    if len(given) == 1:
        return clear("All labels of {items} are <b>{first}</b>: there is no other class.", values)
    if items < FEWEST_ITEMS:
        return not_enough_data(
            "How common each class is <b>cannot be told</b> from {items}: {least} or more would be needed. {first} has "
            "{share} of their votes.",
            values | {"least": FEWEST_ITEMS},
        )
    values |= {
        "second": poll.options[given[1]],
        "next": share_with_interval(shares.share[given[1]]),
    }
    is_clear = shares.share[given[0]].low > shares.share[given[1]].high
    told = (
        "Most common of {classes} is {first} with <b>{share}</b> of an item's votes, then {second} with {next}, over "
        "{items}"
    )
    confused = shares.most_confused
    if confused is None:
        return clear_if(is_clear, told + "; no two votes on one item differ.", values)
    one, other, part = confused
    values |= {"one": poll.options[one], "other": poll.options[other], "part": share(part)}
    return clear_if(
        is_clear,
        told + ". Confused most: where one says <b>{one}</b>, another says <b>{other}</b> in {part}.",
        values,
    )


def table(poll: Poll, shares: ClassShares) -> Shown:
    """One row per class, the most common first: its share, how often two agree on it, and what else is said."""
    given = order(shares)
    rows = shares.together.sum(axis=1)
    parts = np.divide(
        shares.together, rows[:, None], out=np.full_like(shares.together, np.nan), where=rows[:, None] > 0
    )
    others = parts - np.diag(np.diagonal(parts))
    votes = np.bincount(poll.votes.choice, minlength=len(poll.options))
    worst = [int(np.nan_to_num(others[at]).argmax()) for at in given]
    columns = {
        "Class": [poll.options[at] for at in given],
        "Share of an item's votes": [shares.share[at].value for at in given],
        "Another agrees": [parts[at, at] for at in given],
        "Most often taken for": [
            poll.options[other] if np.nan_to_num(others[at, other]) > 0 else ""
            for at, other in zip(given, worst, strict=True)
        ],
        "How often": [
            others[at, other] if np.nan_to_num(others[at, other]) > 0 else np.nan
            for at, other in zip(given, worst, strict=True)
        ],
        "Votes": votes[given],
    }
    written: dict[str, Written] = {
        "Share of an item's votes": [share_with_interval(shares.share[at], 1) for at in given],
        "Another agrees": _TENTH,
        "How often": _TENTH,
        "Votes": count,
    }
    return pd.DataFrame(columns), written


NO_PAIRS: Sentence = (
    "No item has two votes, so nobody can say which classes are confused.",
    {},
)
EXPLANATION = r"""
**Share of a class**: of each item's votes, averaged over items, so that an item with many votes counts no more than
one with few. The interval is over items, for these workers: the variance of the items' shares, worth so many
independent trials, in Wilson's formula.

**Confused.** Of two votes on one item, how often the other is for another class. Of an item of *n* votes each pair
counts $1 / (n - 1)$, so that each vote counts once (Krippendorff's coincidences). It needs no known answers, and cannot
say who is right: **Against known answers** does.

Sources: Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C; Wilson 1927; Dean and Pagano 2015
(clustered shares).
"""
