"""Row of a benchmark's table: the ratio of two medians of the same run, and its limit."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Ratio:
    """Comparison of `what` with `against`; `better` says on which side of `limit` the ratio should lie."""

    what: str
    against: str
    ratio: float
    limit: float
    better: Literal["at least", "at most"]

    @property
    def is_met(self) -> bool:
        return self.ratio >= self.limit if self.better == "at least" else self.ratio <= self.limit

    def as_markdown(self) -> str:
        verdict = "met" if self.is_met else "**missed**"
        return (
            f"| {self.what} | {self.against} | {self.ratio:.2f} | {self.better} {self.limit:g} | {verdict} |"
        )


def median_seconds(runs: int, *calls: Callable[[], object]) -> Sequence[float]:
    """Return the median seconds of each call; calls alternate, so that other load affects all of them."""
    seconds: list[list[float]] = [[] for _ in calls]
    for _ in range(runs):
        for call, call_seconds in zip(calls, seconds, strict=True):
            start = time.perf_counter()
            call()
            call_seconds.append(time.perf_counter() - start)
    return [statistics.median(call_seconds) for call_seconds in seconds]
