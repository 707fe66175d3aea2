"""Verdicts and tables beyond the curves: stopping rules, both models, other aggregations, unreliable raters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Literal, Protocol

import numpy as np

from analysis.repetitions.attenuation import ratings_needed
from analysis.repetitions.cost import CostSpec, Sensitivity, costs
from analysis.repetitions.knee import FittedCurves, median_knee
from analysis.repetitions.stopping import ON_THE_CURVE, Rule, Stop, interval_of, interval_of_components
from analysis.values.estimate import Estimate
from features.blocks import Block, Finding, Note, Table, Warning, not_applicable, not_enough_data, uncertain
from features.plotting.numbers import count, counts, decimal, money, share, share_saved
from features.repetitions.details_results import Enough, MeanCurves, MeasureRules
from features.repetitions.ratings_findings import EXACT, by_reason, count_or_open, whole
from features.study import Study
from features.words import Column, counted, estimate_columns, table_of

RULES: dict[Rule, str] = {
    "share of the limit": "{share} of the limit",
    "gain of one more": "Gain under {gain}",
    "reliability": "Reliability {reliability}",
    "width of the interval": "Interval under {width}",
    "systems told apart": "Systems {distance} apart",
}
RULES_NOTE = Note(
    (
        "The knee moves with how many ratings were collected, these rules do not. They follow from the limit of the "
        "attenuation curve and from how far ratings of an item differ. Their intervals are of whole numbers, and "
        "contain the true number in 95 to 99 of 100 simulated studies.",
        {},
    )
)
SENSITIVITY_NOTE = Note(
    (
        "Reliability of a rater: correlation of the rater's scores with the mean of the others on the same items; the "
        "reference is not looked at. The gain is a little too good, since the same ratings choose the raters.",
        {},
    )
)


def _name_of(rule: Rule, enough: Enough) -> str:
    return RULES[rule].format(
        share=share(enough.share),
        gain=f"{enough.gain:g}",
        reliability=decimal(enough.reliability),
        width=share(enough.width),
        distance=share(enough.distance),
    )


def _interval_of(stop: Stop, one: MeasureRules, enough: Enough) -> Estimate:
    if stop.rule == "reliability":
        return ratings_needed(one.agreement, enough.reliability)
    if stop.rule in ON_THE_CURVE:
        if one.interval is None:
            return Estimate(np.nan)
        return interval_of(stop, one.interval.rho_inf, one.interval.ratings_for_half, enough.spec(0))
    spec = enough.spec(one.scale)
    return interval_of_components(stop, one.of_components, spec, one.components.degrees)


def rules_table(measures: Sequence[MeasureRules], enough: Enough) -> Table:
    """Return the ratings per item that each rule asks for, with their intervals, next to the knee."""
    columns = [
        Column("Measure", [one.fitted.measure for one in measures]),
        Column("Knee", whole(one.fitted.knee for one in measures)),
    ]
    by_rule = [{stop.rule: stop for stop in one.stops} for one in measures]
    for rule in dict.fromkeys(rule for stops in by_rule for rule in stops):
        name, stops = _name_of(rule, enough), [of.get(rule, Stop(rule, None)) for of in by_rule]
        found = [_interval_of(stop, one, enough) for stop, one in zip(stops, measures, strict=True)]
        texts = [
            str(stop.ratings) + ("" if counts(each) == "–" else f" ({counts(each)})")
            for stop, each in zip(stops, found, strict=True)
        ]
        columns += [
            Column(name, whole(stop.ratings for stop in stops), texts),
            Column(f"{name}, from", [each.low for each in found], count_or_open, False),
            Column(f"{name}, to", [each.high for each in found], count_or_open, False),
        ]
    return table_of("enough", "Ratings per item that are enough by each rule.", columns)


def unanswered(measures: Sequence[MeasureRules]) -> Iterator[Warning]:
    """Yield why a rule has no answer, and for which measures."""
    told = dict[str, list[str]]()
    for one in measures:
        for stop in one.stops:
            if stop.ratings is None:
                told.setdefault(stop.reason, []).append(one.fitted.measure)
    yield from by_reason(told)


def models_table(measures: Sequence[MeasureRules]) -> Table:
    """Return the limit of the attenuation curve, and how well both models describe the measured order."""
    limits = [one.attenuation for one in measures]
    return table_of(
        "models",
        "Limit of the attenuation curve, and fit of both models to the measured order.",
        [
            Column("Measure", [one.fitted.measure for one in measures]),
            Column("Limit ρ∞", [one.rho_inf for one in limits], EXACT),
            Column("λ", [one.ratings_for_half for one in limits], decimal),
            Column("R² exponential", [one.fitted.saturation.r_squared_measured for one in measures], decimal),
            Column("R² attenuation", [one.r_squared_measured for one in limits], decimal),
            *estimate_columns(
                "Reliability of one (ICC)", [one.agreement.one for one in measures], EXACT, None, False
            ),
        ],
    )


def aggregations_table(means: MeanCurves, r: int) -> Table:
    """Return the correlation after r ratings under each aggregation, and which is highest."""
    kinds = list(dict.fromkeys(kind for curves in means.values() for kind in curves))
    values = {
        kind: [float(curves[kind][r - 1]) if r <= len(curves[kind]) else np.nan for curves in means.values()]
        for kind in kinds
    }
    highest = []
    for row in zip(*values.values(), strict=True):
        defined = [(value, kind) for value, kind in zip(row, kinds, strict=True) if value == value]
        highest.append(max(defined, key=itemgetter(0))[1] if defined else "")
    return table_of(
        "aggregations",
        ("Correlation after {r} per item under each aggregation.", {"r": counted(r, "rating")}),
        [
            Column("Measure", list(means)),
            *(Column(kind, of_kind, EXACT) for kind, of_kind in values.items()),
            Column("Highest", highest),
        ],
    )


def aggregations_note(study: Study, r: int, orders: int) -> Note:
    """Return how the table of aggregations is computed."""
    slots = "" if study.raters_are_persons else " Rater ids are slots, so nothing is corrected for raters."
    return Note(
        (
            "Correlation after {at} per item, mean over {orders} orders. A rater's severity, spread and reliability "
            f"are computed from the first ratings of the same order only.{slots}",
            {"at": counted(r, "rating"), "orders": orders},
        )
    )


def slots_finding() -> Finding:
    """Return the finding of a data set without persons as raters."""
    return not_applicable("Rater ids are slots in this data set, so no rater can be called unreliable.")


def gain_finding(measures: Sequence[str], found: Sequence[Sensitivity]) -> Finding | None:
    """Return the measure that gains most from excluding raters; None where no gain is known."""
    known = [
        (name, one)
        for name, one in zip(measures, found, strict=True)
        if np.isfinite(one.gain) and one.gone > 0
    ]
    if not known:
        return None
    measure, best = max(known, key=lambda pair: pair[1].gain)
    with_all, without = decimal(best.correlation), decimal(best.correlation_without)
    line = (
        f"Correlation {without} instead of {with_all} on {measure}",
        f"{best.gone} of {counted(best.raters, 'rater')} excluded",
        f"after {counted(best.without.repetitions, 'rating')} per item",
        "in these ratings",
    )
    if with_all == without or best.gain < 0:
        headline = "Excluding the least reliable quarter of raters raises no correlation."
        return uncertain(headline, {}, *line[2:], name="gain")
    headline = "Excluding the least reliable quarter of raters raises a correlation by <b>{gain}</b>."
    return uncertain(headline, {"gain": decimal(best.gain)}, *line, name="gain")


def sensitivity_table(measures: Sequence[str], found: Sequence[Sensitivity]) -> Table:
    """Return correlations with and without the least reliable raters, the largest gain first."""
    gains = np.array([one.gain for one in found])
    order = np.argsort(np.where(np.isnan(gains), np.inf, -gains), kind="stable").tolist()
    sorted_ = [found[at] for at in order]
    return table_of(
        "unreliable",
        "Correlation with everyone and without the least reliable quarter of raters, the largest gain first.",
        [
            Column("Measure", [measures[at] for at in order]),
            Column("Raters", [one.raters for one in sorted_]),
            Column("Excluded", [one.gone for one in sorted_]),
            Column("Ratings per item", [one.without.repetitions for one in sorted_]),
            Column("Everyone", [one.correlation for one in sorted_], EXACT),
            Column("Without them", [one.correlation_without for one in sorted_], EXACT),
            Column("Gain", gains[order], EXACT),
        ],
    )


def sensitivity_warnings(measures: Sequence[str], found: Sequence[Sensitivity]) -> Iterator[Warning]:
    """Yield why a gain is not known, and for which measures."""
    told = dict[str, list[str]]()
    for measure, one in zip(measures, found, strict=True):
        if one.reason:
            told.setdefault(one.reason, []).append(measure)
    yield from by_reason(told)


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
