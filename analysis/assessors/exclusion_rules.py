"""Rules by which raters are left out, such that a draw of raters and topics can apply them anew."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.reliability import rater_reliability
from analysis.assessors.assessments import Assessments
from analysis.assessors.consistency import identical_texts
from analysis.assessors.exclusion_intervals import Stays
from analysis.pairs.system_table import Cells
from analysis.screening.bt500_rejection import Divisor, bt500
from analysis.screening.p913_rejection import p913
from analysis.screening.rater_selection import below, lowest
from analysis.values.estimate import BootstrapSpec
from analysis.values.types import Codes, Flags

Kind = Literal[
    "lowest on texts", "below on texts", "lowest with others", "below with others", "BT.500", "P.913"
]
MOST_WORK = 30_000_000
"""Ratings x draws up to which a rule is applied anew in each draw: some half a minute."""
_WORK_OF_P913 = 5
NONE = BootstrapSpec(0)


@dataclass(frozen=True)
class ExclusionRule:
    """Whom to leave out by one measure's ratings.

    "on texts" is alpha on identical texts, "with others" the correlation with the others' mean: the `how_many` lowest,
    or those below `limit`; `divisor` is that of BT.500.
    """

    kind: Kind
    how_many: int = 1
    limit: float = 0.5
    divisor: Divisor = "n - 1"

    @property
    def looks_at_repeats(self) -> bool:
        """True where a rater's judgments are compared with each other; otherwise raters are compared."""
        return self.kind.endswith("on texts")

    def chosen(self, of: Assessments) -> Codes:
        """Codes of the raters that the rule finds."""
        if self.kind == "BT.500":
            screened = bt500(of.ratings(), self.divisor)
            return np.asarray(screened.raters[screened.rejected], dtype=np.int64)
        if self.kind == "P.913":
            judged = p913(of.ratings(), of.system if of.has_systems else None)
            return np.asarray(judged.raters[judged.rejected], dtype=np.int64)
        if self.looks_at_repeats:
            own = identical_texts(of.rater, of.text, of.score, None, NONE)
            raters, values = own.raters, np.array([estimate.value for estimate in own.alpha])
        else:
            others = rater_reliability(of.ratings())
            raters, values = others.raters, others.correlation
        lowest_first = self.kind.startswith("lowest")
        found = lowest(values, self.how_many) if lowest_first else below(values, self.limit)
        return np.asarray(raters[found], dtype=np.int64)

    def too_much_work(self, ratings: int, draws: int) -> bool:
        """Whether so many draws would take too long."""
        return ratings * draws * (_WORK_OF_P913 if self.kind == "P.913" else 1) > MOST_WORK

    def in_draws(self, of: Assessments, table: Cells, by_hand: tuple[int, ...] = ()) -> Stays:
        """Who stays in a draw of the raters and topics of a table; those picked by hand never do.

        A topic drawn twice is two topics with other items; a rater drawn twice counts twice among the others, but is
        not held against himself (for texts, where nobody else matters, once).
        """
        rater = _places(table.raters, of.rater)
        topic = _places(table.topics, of.block)
        known = np.flatnonzero((rater >= 0) & (topic >= 0))
        kept = _rows(of, known)
        rater, topic = rater[known], topic[known]
        hand = np.isin(table.raters, by_hand)

        def stays(raters: Codes, topics: Codes) -> Flags:
            times = np.minimum(raters, 1) if self.looks_at_repeats else raters
            return ~hand & ~np.isin(table.raters, self.chosen(_drawn(kept, times[rater], topics[topic])))

        return stays


def _places(ids: NDArray[np.int64], given: Codes) -> Codes:
    """Where each is among the ascending ids, -1 where it is not."""
    at = np.clip(np.searchsorted(ids, given), 0, max(len(ids) - 1, 0))
    return np.where(ids[at] == given, at, -1) if len(ids) else np.full(len(given), -1)


def _drawn(of: Assessments, times: Codes, copies: Codes) -> Assessments:
    """The ratings, each as often as its rater was drawn, in as many copies of its topic."""
    rows = np.repeat(np.arange(len(of)), times * copies)
    copy = (np.arange(len(rows)) - np.searchsorted(rows, rows)) % np.maximum(copies[rows], 1)
    drawn = _rows(of, rows)
    items, texts = int(of.item.max(initial=0)) + 1, int(of.text.max(initial=0)) + 1
    return replace(
        drawn, item=drawn.item + copy * items, text=np.where(drawn.text >= 0, drawn.text + copy * texts, -1)
    )


def _rows(of: Assessments, rows: Codes) -> Assessments:
    return Assessments(
        of.measure,
        of.item[rows],
        of.rater[rows],
        of.score[rows],
        of.order[rows],
        of.seconds[rows],
        of.system[rows],
        of.topic[rows],
        of.condition[rows],
        of.split[rows],
        of.text[rows],
    )
