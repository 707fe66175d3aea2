"""What a number of ratings (or votes) costs, saves and gives up, in a sentence and a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, Protocol

import pandas as pd

from analysis.repetitions.cost import Costs, CostSpec
from analysis.repetitions.fitted_curves import FittedCurves
from features.blocks import Finding
from features.plotting.numbers import count, decimal, money, share_saved
from features.tables import Shown
from features.verdicts import not_enough_data, uncertain
from features.words import Sentence, counted

Priced = Literal["rating", "assignment"]
PRICED: Mapping[str, Priced] = {
    "assignment (all measures at once)": "assignment",
    "rating (one measure)": "rating",
}
_HOUR = 3600


class Written(Protocol):
    """How a number is written with so many digits."""

    def __call__(self, value: float, digits: int) -> str: ...


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
    told: str = "a correlation of <b>{first_r}</b> instead of {first_m} for {first} ({items})"
    priced: Mapping[str, Priced] = field(default_factory=lambda: PRICED)
    seconds_help: str = "Time for one rating of one measure. Left empty: the median of the data's seconds."
    written: Written = decimal
    digits: int = 2
    digits_in_table: int = 3


RATINGS = Wording()


def finding(
    fitted: Sequence[FittedCurves], r: int, m: int, spent: Costs, currency: str, words: Wording = RATINGS
) -> Finding:
    """'8 of 24 ratings: 66 % saved; here rho 0.91 instead of 0.93', and which of these measures gives up most."""
    known = [one for one in fitted if one.level(r) == one.level(r) and one.level(m) == one.level(m)]
    told = f"<b>{{r}} of {{m}}</b> {words.given} per item: <b>{{saved}}</b> of the per-{words.one} cost saved"
    values: dict[str, object] = {"r": r, "m": m, "saved": share_saved(spent.saved_of_ratings[r - 1])}
    if spent.money[m - 1] > 0:
        told += " ({whole} of the whole cost: {at_r} instead of {at_m})"
        values |= {
            "whole": share_saved(spent.saved[r - 1]),
            "at_r": money(spent.money[r - 1], currency),
            "at_m": money(spent.money[m - 1], currency),
        }
    if known:
        first, worst = known[0], max(known, key=lambda one: one.level(m) - one.level(r))
        told += f"; in these {words.given} {words.told}"
        values |= {
            "first": first.measure,
            "first_r": words.written(first.level(r), words.digits),
            "first_m": words.written(first.level(m), words.digits),
            "items": counted(int(first.curves.items.max(initial=0)), "item"),
        }
        if worst is not first:
            told += ", and {worst} gives up most: {worst_r} instead of {worst_m}"
            values |= {
                "worst": worst.measure,
                "worst_r": words.written(worst.level(r), words.digits),
                "worst_m": words.written(worst.level(m), words.digits),
            }
        told += ". What other items or raters would give up is not worked out here"
    return uncertain(told + ".", values)


def table(fitted: Sequence[FittedCurves], r: int, m: int, words: Wording = RATINGS) -> Shown:
    """One row per measure: the correlation at r, at m, and what is given up."""
    at_r, at_m = f"After {r}", f"After {m}"
    rows = [
        {
            words.of.capitalize(): one.measure,
            at_r: one.level(r),
            at_m: one.level(min(m, one.most)),
            "Given up": one.given_up(r, m),
        }
        for one in fitted
    ]
    write: Callable[[float], str] = partial(words.written, digits=words.digits_in_table)
    return pd.DataFrame(rows), dict.fromkeys((at_r, at_m, "Given up"), write)


def hours(spec: CostSpec, spent: Costs, r: int, m: int, words: Wording = RATINGS) -> Sentence | None:
    """How long all of it takes, where it is known how long one takes."""
    if spec.seconds != spec.seconds:
        return None
    return (
        "At {seconds} seconds per {one} that is {at} hours of work instead of {all_of_it}.",
        {
            "seconds": decimal(spec.seconds, 1),
            "one": words.one,
            "at": count(spent.seconds[r - 1] / _HOUR),
            "all_of_it": count(spent.seconds[m - 1] / _HOUR),
        },
    )


def no_knee(words: Wording) -> Finding:
    """What to type where no knee says what to weigh."""
    return not_enough_data(
        f"No {words.of} has a knee. Type the number of {words.given} per item whose cost you want to weigh."
    )
