"""Verdict and table of what fewer ratings or votes per item cost, save and give up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol

from analysis.repetitions.cost import CostSpec, costs
from analysis.repetitions.knee import FittedCurves, median_knee
from features.blocks import Block, Finding, Note, Table
from features.plotting.numbers import count, decimal, money, share_saved
from features.tables import Column, table_of
from features.verdicts import not_enough_data, uncertain
from features.words import counted

Priced = Literal["rating", "assignment"]
PRICED: Mapping[str, Priced] = {
    "assignment (all measures at once)": "assignment",
    "rating (one measure)": "rating",
}
_HOUR = 3600


class Write(Protocol):
    """Format of a number with so many digits."""

    def __call__(self, value: float, digits: int) -> str: ...


@dataclass(frozen=True)
class Wording:
    """Words and formats of costs: `one` of what is paid for, each `of` which has a curve, and the curve's `figure`.

    `priced` is what a price may be for; empty where it is for each one.
    """

    one: str = "rating"
    of: str = "measure"
    figure: str = "correlation"
    priced: Mapping[str, Priced] = field(default_factory=lambda: PRICED)
    write: Write = decimal
    digits: int = 2
    digits_in_table: int = 3

    @property
    def several(self) -> str:
        """Plural of `one`."""
        return f"{self.one}s"


RATINGS = Wording()


@dataclass(frozen=True)
class Weighed:
    """Number of ratings or votes per item whose cost is asked for, None for the median knee, and the prices."""

    number: int | None = None
    costs: CostSpec = field(default_factory=lambda: CostSpec(0.0, "rating"))
    currency: str = "€"


def cost_blocks(
    fitted: Sequence[FittedCurves], weighed: Weighed, words: Wording = RATINGS
) -> Iterator[Block]:
    """Yield what a number of ratings per item saves and gives up; without one, what to enter."""
    m, r = most_weighed(fitted), weighed.number or median_knee(fitted)
    if r is None:
        yield not_enough_data(
            f"No {words.of} has a knee.",
            {},
            f"Enter the {words.several} per item to weigh above",
            name="cost",
        )
        return
    each = [int(one.curves.items.max(initial=0)) for one in fitted]
    items, measures = (max(each), len(fitted)) if words.priced else (sum(each), 1)
    spent = costs(max(items, 1), measures, m, weighed.costs)
    yield _cost_finding(fitted, (r, m), float(spent.saved_of_ratings[r - 1]), weighed.number is None, words)
    yield _given_up_table(fitted, r, m, words)
    if spent.money[m - 1] > 0:
        yield Note(
            (
                "The whole study costs {at_r} instead of {at_m}: {saved} saved.",
                {
                    "at_r": money(spent.money[r - 1], weighed.currency),
                    "at_m": money(spent.money[m - 1], weighed.currency),
                    "saved": share_saved(spent.saved[r - 1]),
                },
            )
        )
    if weighed.costs.seconds == weighed.costs.seconds:
        yield Note(
            (
                "At {seconds} seconds per {one}, that is {at_r} hours of work instead of {at_m}.",
                {
                    "seconds": decimal(weighed.costs.seconds, 1),
                    "one": words.one,
                    "at_r": count(spent.seconds[r - 1] / _HOUR),
                    "at_m": count(spent.seconds[m - 1] / _HOUR),
                },
            )
        )


def most_weighed(fitted: Sequence[FittedCurves]) -> int:
    """Return the largest number of ratings per item that any curve has."""
    return max((one.most for one in fitted), default=1)


def _cost_finding(
    fitted: Sequence[FittedCurves], weighed: tuple[int, int], saved: float, is_knee: bool, words: Wording
) -> Finding:
    r, m = weighed
    known = [one for one in fitted if one.level(r) == one.level(r) and one.level(m) == one.level(m)]
    line = [f"{r} of {counted(m, words.one)} per item"]
    if known:
        worst = max(known, key=lambda one: one.level(m) - one.level(r))
        at_r, at_m = (words.write(worst.level(at), words.digits) for at in (r, m))
        most = "largest loss: " if len(known) > 1 else ""
        line += [
            f"{most}{words.figure} {at_r} instead of {at_m} on {worst.measure}",
            counted(int(worst.curves.items.max(initial=0)), "item"),
        ]
    at = "at the median knee" if is_knee and len(fitted) > 1 else "at the knee" if is_knee else "earlier"
    return uncertain(
        f"Stopping {at} saves <b>{{saved}}</b> of the cost per {words.one}.",
        {"saved": share_saved(saved)},
        *line,
        f"in these {words.several}",
        name="cost",
    )


def _given_up_table(fitted: Sequence[FittedCurves], r: int, m: int, words: Wording) -> Table:
    write = partial(words.write, digits=words.digits_in_table)
    return table_of(
        "given-up",
        (
            f"{words.figure.capitalize()} after {{r}} and after {{m}} {words.several} per item, and the difference.",
            {"r": r, "m": m},
        ),
        [
            Column(words.of.capitalize(), [one.measure for one in fitted]),
            *(
                Column(
                    f"After {at}", [one.level(at if at < m else min(m, one.most)) for one in fitted], write
                )
                for at in dict.fromkeys((r, m))
            ),
            Column("Given up", [one.given_up(r, m) for one in fitted], write),
        ],
    )
