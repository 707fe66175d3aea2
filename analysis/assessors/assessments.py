"""One measure's ratings with everything that assessors are judged by: systems, topics, identical texts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.values.ratings import Ratings
from analysis.values.types import Codes


@dataclass(frozen=True, eq=False)
class Assessments:
    """N ratings of one measure, everything but the numbers as codes.

    Parameters
    ----------
    measure : its name
    item, rater : (N,) codes from 0
    score, order, seconds : (N,) numbers; `order` is the place in time, `seconds` NaN where unknown
    system, topic, condition, split : (N,) codes, -1 where there is none
    text : (N,) code of the text within its topic and condition: equal codes are identical texts; -1 for none

    Notes
    -----
    Source: the judgments of Owczarzak et al. 2012, section 2; methods, section 3.
    """

    measure: str
    item: Codes
    rater: Codes
    score: NDArray[np.float64]
    order: NDArray[np.float64]
    seconds: NDArray[np.float64]
    system: Codes
    topic: Codes
    condition: Codes
    split: Codes
    text: Codes

    def __len__(self) -> int:
        return len(self.score)

    @property
    def has_systems(self) -> bool:
        """Whether there are systems to rank; without them items are ranked."""
        return bool((self.system >= 0).any())

    @property
    def has_topics(self) -> bool:
        """Whether systems met topics that scores can be averaged within."""
        return self.has_systems and bool((self.topic >= 0).any())

    @property
    def has_texts(self) -> bool:
        """Whether some assessor judged identical texts more than once."""
        known = self.text >= 0
        pairs = self.text[known] * (int(self.rater.max(initial=0)) + 1) + self.rater[known]
        return len(np.unique(pairs)) < len(pairs)

    @property
    def ranked(self) -> Codes:
        """What is ranked (N,): the system, or the item where there are no systems."""
        return self.system if self.has_systems else self.item

    @property
    def block(self) -> Codes:
        """What scores are averaged within before they are averaged over (N,): topic and condition, or the
        item where there are no topics, or one for all where items are ranked."""
        if not self.has_systems:
            return np.zeros(len(self), dtype=np.int64)
        if not self.has_topics:
            return self.item
        conditions = int(self.condition.max(initial=0)) + 2
        return self.topic * conditions + self.condition + 1

    @property
    def ranking(self) -> tuple[Codes, Codes, Codes, NDArray[np.float64]]:
        """What is ranked, block, rater and score (n,) of the ratings that belong to a ranking: with systems,
        those of items whose system is known."""
        known = self.ranked >= 0
        return self.ranked[known], self.block[known], self.rater[known], self.score[known]

    def ratings(self) -> Ratings:
        """The same as plain ratings of items."""
        return Ratings(self.item, self.rater, self.score, self.order)

    def sole_raters(self, items: int) -> Codes:
        """Who judged each item, by item code (items,); -1 where that is nobody or not one person."""
        rater = np.full(items, -1, dtype=np.int64)
        rater[self.item] = self.rater
        rater[self.item[rater[self.item] != self.rater]] = -1
        return rater
