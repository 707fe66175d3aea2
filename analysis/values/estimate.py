"""The one type for a number with its interval, and how its interval is drawn."""

from dataclasses import dataclass
from math import nan

from analysis.values.errors import InputError


@dataclass(frozen=True)
class Estimate:
    """A figure, its interval and what it rests on.

    `value`, `low` and `high` are NaN where they are not defined; `reason` then says why in a sentence
    that a page can show. `n` counts the units the figure rests on (items, unless its method says otherwise).
    """

    value: float
    low: float = nan
    high: float = nan
    n: int = 0
    reason: str = ""
    warning: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a number at all.

        >>> Estimate(0.5).defined, Estimate(nan, reason="all scores are equal").defined
        (True, False)
        """
        return self.value == self.value


@dataclass(frozen=True)
class BootstrapSpec:
    """How intervals are drawn: number of draws, seed, and the level they are to cover.

    Raises
    ------
    InputError
        where `draws` is below 0 or `level` not between 0 and 1.
    """

    draws: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.draws < 0:
            raise InputError(f"`draws` must be 0 (no interval) or more, got {self.draws}")
        if not 0 < self.level < 1:
            raise InputError(f"`level` must be between 0 and 1, got {self.level}")
