"""How many ratings per item are enough, and what fewer would save."""

from collections.abc import Mapping, Sequence

from analysis.repetitions.cost import CostSpec, costs
from analysis.repetitions.fitted_curves import FittedCurves, median_knee
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.names import shorten
from charts.repetitions.curves import repetitions
from features.blocks import Finding
from features.plotting.panels import MOST
from features.plotting.theme import group_colour
from features.results import LARGEST_BOOTSTRAP
from features.study import Study
from features.verdicts import uncertain
from findings.repetitions import cost, knee_intervals
from findings.repetitions.curves import finding, no_other_reference, remarks
from findings.repetitions.knee_table import (
    OF_EACH_ORDER,
    PRINTED_SHUFFLES,
    SHUFFLES,
    fits_table,
    full_table,
    how_drawn,
    shown_table,
    varies_raters,
)
from findings.repetitions.measure_rules import measure_rules, reliabilities
from findings.repetitions.rating_curves import (
    DEFAULT_SHUFFLES,
    fitted_curves,
    range_of_repetitions,
    sampled_measures,
)
from findings.repetitions.settings import SYMBOLS, Settings
from findings.repetitions.stopping_rules import Enough, rules_table, unanswered
from findings.repetitions.times import times_of_ratings
from report.parts.asked import Asked
from report.parts.by_group import of_all
from report.parts.model import Picture, Section, Table
from report.parts.opening import of_each_group

DRAWS = 100
"""Of a knee's interval, as on the page: each repeats the whole simulation."""


def sections(study: Study, asked: Asked) -> list[Section]:
    """The curves of each group, with knees, rules for when to stop, and what fewer ratings would save."""
    studies = [each for each in of_each_group(study, asked) if no_other_reference(each) is None]
    parts = {each.candidate: _section(each, asked) for each in studies}
    return of_all(parts, [_of_all(parts)])


def _of_all(parts: Mapping[str, Section]) -> Finding:
    """At how many ratings the curves of each group bend."""
    told = []
    for group, part in parts.items():
        table = next((one.numbers for one in part.tables if one.name == "knees"), None)
        knees = [] if table is None else sorted({int(knee) for knee in table["Knee"].dropna()})
        at = f"{knees[0]} to {knees[-1]}" if len(knees) > 1 else f"{knees[0]}" if knees else "none"
        most = 0 if table is None else int(table["Ratings per item"].max())
        told.append(f"{shorten(group)} {at}" + (f" of {most}" if most else ""))
    return uncertain(
        "The curves bend (their knee) at these numbers of ratings per item: <b>{told}</b>. The table has the rules "
        "that do not move with how many were collected.",
        {"told": "; ".join(told)},
    )


def _section(study: Study, asked: Asked) -> Section:
    here = range_of_repetitions(study)
    bootstrap = asked.bootstrap(DRAWS)
    spec = RepetitionSpec(DEFAULT_SHUFFLES, here.repetitions, seed=asked.seed)
    chosen = Settings(spec, 1.0, bootstrap, Enough(), asked.generalize)
    fitted = fitted_curves(study, spec, chosen.sensitivity)
    intervals = knee_intervals.intervals(study, chosen, fitted) if bootstrap.draws else None
    rules = measure_rules(study, chosen, fitted, intervals)
    single = max((one.most for one in fitted), default=1) < 2  # nothing to draw or to list
    tables = [
        Table(
            "knees",
            ("Knee with its 95 % interval per measure.", {}),
            shown_table(fitted, intervals),
            ("Measure", "Knee", "Knee, 95 %", "Without a knee", "Ratings per item", "Items"),
            full=full_table(fitted, intervals),
            notes=[how_drawn(study, bootstrap, chosen.scope)] if intervals else (),
        ),
        Table(
            "fits",
            (
                "Coefficients of the fitted curve, knee, and R² of that curve for the measured order and for the first "
                "{few} of {shuffles} shuffles; their median is of all.",
                {"few": PRINTED_SHUFFLES, "shuffles": spec.shuffles},
            ),
            fits_table(fitted),
            notes=[OF_EACH_ORDER],
        ),
        Table(
            "enough",
            ("Ratings per item that are enough by rules that do not move with the number collected.", {}),
            (asked_for := rules_table(rules, chosen.enough)),
            [column for column in map(str, asked_for[0]) if not column.endswith(", from – to")],
            notes=unanswered(rules),
        ),
    ]
    told = [finding(study, fitted, reliabilities(study, chosen.scope), chosen.enough.reliability, intervals)]
    if (saved := _saved(study, fitted)) is not None:
        of_cost, table = saved
        told.append(of_cost)
        tables.append(table)
    return Section(
        "repetitions",
        "How many ratings are enough",
        findings=told,
        pictures=[
            Picture(
                "curves",
                (
                    "Correlation of {group} with {reference} against the number of ratings per item: measured order, "
                    "shuffles, fitted curve and knee.",
                    {"group": study.candidate, "reference": study.reference_name},
                ),
                lambda look: repetitions(
                    fitted[:MOST],
                    SYMBOLS[spec.correlation],
                    group_colour(study.candidate, study.groups),
                    look,
                ),
            )
        ]
        if not single
        else [],
        tables=[] if single else tables,
        warnings=remarks(fitted, sampled_measures(study), LARGEST_BOOTSTRAP),
        methods=[
            (
                "The value of an item after r ratings is the mean of its first r; the curve is Spearman's ρ of these "
                "values with the reference, in the order of the ratings and in {shuffles} random orders (seed {seed}). "
                "An exponential curve is fitted to all of them; its knee is found by Kneedle with S = 1 (Satopää et "
                "al. 2011), after Iskender, Polzehl and Möller (2020). Intervals of knees: {draws} draws of {what}, "
                "each with {inner} shuffles and everything fitted again. The limit of a curve with endless "
                "ratings is the attenuation curve's (Spearman 1904).",
                {
                    "shuffles": spec.shuffles,
                    "seed": spec.seed,
                    "draws": bootstrap.draws,
                    "inner": SHUFFLES,
                    "what": "items and raters" if varies_raters(study, chosen.scope) else "items",
                },
            )
        ],
        cited=["iskender2020", "satopaa2011", "spearman1904"],
    )


def _saved(study: Study, fitted: Sequence[FittedCurves]) -> tuple[Finding, Table] | None:
    """What stopping at the median knee would save and give up; None where there is no knee."""
    r, m = median_knee(fitted), max((one.most for one in fitted), default=1)
    if r is None:
        return None
    times = times_of_ratings(study)
    items = max(max((int(one.curves.items.max(initial=0)) for one in fitted), default=1), 1)
    spent = costs(items, len(fitted), m, CostSpec(0.0, "rating", 0.0, times.median))
    return (
        cost.finding(fitted, r, m, spent, ""),
        Table(
            "given-up",
            ("Correlation after {r} and after {m} ratings per item, and what is given up.", {"r": r, "m": m}),
            cost.table(fitted, r, m),
        ),
    )
