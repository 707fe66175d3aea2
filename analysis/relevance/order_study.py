"""Does the order in which summaries and documents are shown change judgments: equal ones between presentations.

A label such as D1S2D2 tells what was shown: the document in week one, its summary and the document again in week two.
If a summary primed its reader, S2 and D2 would agree more often than they should, and D1 and D2 less often.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.relevance.judgments import Judgments, joint
from analysis.relevance.relevance_draws import Units, share, with_interval
from analysis.resampling.draws import multiplicities
from analysis.resampling.intervals import ANGLE, SHARE
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats, OnProgress

FEWEST_RATERS = 5
"""Raters below which draws of raters would say little."""
WILSON = "Wilson's over documents"
NO_PAIRS = "no rater judged the same document in both presentations"


@dataclass(frozen=True)
class SameJudgments:
    """Judgments of the same document by the same rater in two presentations under one order label.

    `share` of equal ones (its n counts documents of a rater), `same` how many; `lacking` those with only one of the
    two presentations; `raters` who saw both; `interval` how it was made.
    """

    share: Estimate
    same: int
    lacking: int
    raters: int
    interval: str

    @property
    def changed(self) -> int:
        """How many judgments differ."""
        return self.share.n - self.same


@dataclass(frozen=True)
class OrderStudy:
    """Equal judgments by (order label, presentation, presentation).

    Set aside: `repeated` judgments after the first of the same document in the same presentation, and `unlabelled`
    ones, without a label or a presentation.
    """

    pairs: dict[tuple[Any, Any, Any], SameJudgments]
    repeated: int
    unlabelled: int


def same_judgments(
    judgments: Judgments, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> OrderStudy:
    """The share of equal judgments for each order label and pair of its presentations.

    Parameters
    ----------
    judgments : (N,) with order labels and presentations
    bootstrap : of the intervals, over raters where there are at least five
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    OrderStudy
        presentations of a pair in the order in which the label names them, else in theirs.

    Notes
    -----
    Compare the same pair between labels; a high share by itself is no proof, since raters remember. With fewer than
    five raters the interval is Wilson's over documents, for these raters: draws of two or three say little.
    Source: Hobson, Dorr, Monz and Schwartz 2007, section 6, Table 11; methods, section 6.

    >>> study = same_judgments(Judgments([7] * 4, [1] * 4, [1, 1, 2, 2], ["h"] * 4, [1, 1, 1, 0],
    ...     order_label=["S1D1"] * 4, presentation=["S1", "D1"] * 2))
    >>> study.pairs["S1D1", "S1", "D1"].share.value
    0.5
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    who = judgments.codes.rater
    (labels, label), (presentations, shown) = (
        _named(each) for each in (judgments.order_label, judgments.presentation)
    )
    place = np.argsort(judgments.order, kind="stable")
    place = place[(label[place] >= 0) & (shown[place] >= 0)]
    text, texts = joint(label[place], who[place], judgments.codes.document[place])
    seen, first = np.unique(shown[place] * max(texts, 1) + text, return_index=True)
    flat = np.full(len(presentations) * texts, nan)
    flat[seen] = judgments.judgment[place[first]]
    judged = flat.reshape(len(presentations), texts)
    of_text = place[np.unique(text, return_index=True)[1]]

    wanted = [
        (code, one, other)
        for code, name in enumerate(labels.tolist())
        for one, other in combinations(_as_shown(name, presentations, judged[:, label[of_text] == code]), 2)
    ]
    pairs = {}
    for done, (code, one, other) in enumerate(wanted):
        own = label[of_text] == code
        first_time, again, by = judged[one, own], judged[other, own], who[of_text[own]]
        key = tuple(each.item() for each in (labels[code], presentations[one], presentations[other]))
        pairs[key] = _same(first_time, again, by, spec)
        if on_progress is not None:
            on_progress((done + 1) / len(wanted))
    return OrderStudy(pairs, len(place) - len(seen), len(who) - len(place))


def _same(one: Floats, other: Floats, rater: Codes, spec: BootstrapSpec) -> SameJudgments:
    """Judgments (n,) of the same texts, NaN where there is none."""
    both = ~np.isnan(one) & ~np.isnan(other)
    lacking = int((np.isnan(one) != np.isnan(other)).sum())
    equal, n = (one == other)[both], int(both.sum())
    raters, by = np.unique(rater[both], return_inverse=True)
    same = int(equal.sum())
    equal_share = share(same, n, spec.level)
    if n == 0:
        return SameJudgments(replace(equal_share, reason=NO_PAIRS), 0, lacking, 0, "")
    if len(raters) < FEWEST_RATERS or spec.draws == 0:
        return SameJudgments(equal_share, same, lacking, len(raters), WILSON)
    of = Units(by, np.zeros(n, dtype=np.int64), len(raters), 1, "raters")
    by_rater = np.bincount(by, equal.astype(np.float64)), np.bincount(by).astype(np.float64)
    weights = np.concatenate([w for w, _ in multiplicities(len(raters), 1, spec.draws, spec.seed)])
    drawn = ratio(weights @ by_rater[0], weights @ by_rater[1])
    plain = Estimate(equal_share.value, n=n)
    return SameJudgments(
        with_interval(plain, drawn, of, spec, n, ANGLE, SHARE),
        same,
        lacking,
        len(raters),
        "bootstrap over raters",
    )


def _as_shown(label: Any, presentations: NDArray[Any], judged: Floats) -> list[int]:
    """The presentations under a label that somebody judged, in the order in which it names them."""
    there = np.flatnonzero((~np.isnan(judged)).any(axis=1)).tolist()
    named = isinstance(label, str) and presentations.dtype.kind == "U"
    at = {place: label.find(presentations[place]) if named else -1 for place in there}
    return sorted(there, key=lambda place: (at[place] < 0, at[place], place))


def _named(given: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Names and the code of each judgment (N,), -1 where it has none."""
    if given.dtype.kind == "O":
        given = np.array(["" if each is None else str(each) for each in given])
    names, code = np.unique(given, return_inverse=True)
    known = names != "" if names.dtype.kind == "U" else names >= 0
    return names[known], np.where(known, np.cumsum(known) - 1, -1)[code]
