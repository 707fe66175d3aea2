"""Ratings by the levels that several facets have together: what the tables of two sources' levels hold, added up
without making the tables."""

import numpy as np

from analysis.values.codes import coded
from analysis.values.types import Codes, Floats

MOST_PLACES = 2
"""Places of facets' levels together, for each rating, up to which there is one for every combination."""
LOOKED_AT = 10_000
"""Ratings that are looked at first, to see that one facet does not hold another."""


class Together:
    """Levels that facets have together, from those of the ratings (N,); None where no two ratings share one.

    `counts` (levels,) is how many ratings each level has.
    """

    def __init__(self, level: Codes | None, levels: int) -> None:
        self.all_differ = level is None
        self.counts = np.ones(1)
        if level is not None:
            counts = np.bincount(level, minlength=levels)
            rating = np.zeros(levels, dtype=np.int64)
            rating[level] = np.arange(len(level))
            self._rating = rating[counts > 0]
            self.counts = counts[counts > 0].astype(np.float64)
        self._seen: dict[str, Floats] = {}

    def counts_of(self, name: str, level: Codes, counts: Floats) -> Floats:
        """Of a partition that these levels lie in, of this name, with levels (N,) and their counts: its count at each
        of these."""
        if self.all_differ:
            return counts[level]
        if name not in self._seen:
            self._seen[name] = counts[level[self._rating]]
        return self._seen[name]


class Partitions:
    """The ratings by any facets, each a column of levels (N,) with how many there are."""

    def __init__(self, facets: dict[str, tuple[Codes, int]]) -> None:
        self._facets = facets
        self._made: dict[tuple[str, ...], Together] = {}
        self._holds: dict[tuple[str, str], bool] = {}

    def by(self, names: frozenset[str]) -> Together:
        """The levels of these facets together; a facet that another of them holds changes nothing."""
        needed = [name for name in self._facets if name in names]
        for name in tuple(needed):
            if any(other != name and self._is_held(name, other) for other in needed):
                needed.remove(name)
        key = tuple(needed)
        if key not in self._made:
            self._made[key] = self._together(key)
        return self._made[key]

    def _is_held(self, coarse: str, fine: str) -> bool:
        """Whether all ratings of a level of one facet have the same level of another."""
        if (coarse, fine) not in self._holds:
            (a, few), (b, many) = self._facets[coarse], self._facets[fine]
            held = few <= many
            for some in (slice(LOOKED_AT), slice(None)):
                if held:
                    within = np.zeros(many, dtype=np.int64)
                    within[b[some]] = a[some]
                    held = bool(np.array_equal(within[b[some]], a[some]))
            self._holds[coarse, fine] = held
        return self._holds[coarse, fine]

    def _together(self, names: tuple[str, ...]) -> Together:
        place, places = self._facets[names[0]]
        for name in names[1:]:
            level, levels = self._facets[name]
            if places * levels > MOST_PLACES * len(place):
                place = place * levels + level
                if _all_differ(place):
                    return Together(None, len(place))
                ids, place = coded(place)
                places = len(ids)
            else:
                place, places = place * levels + level, places * levels
        return Together(place, places)


def _all_differ(places: Codes) -> bool:
    there = np.sort(places)
    return bool((there[1:] != there[:-1]).all())
