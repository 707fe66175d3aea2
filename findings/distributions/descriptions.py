"""Where each group's ratings lie, in sentences and tables: sizes, centre, spread and shape of its items' MOS."""

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.distributions.distribution import Description
from features.blocks import Finding
from features.plotting.numbers import count, decimal, p_value
from features.study import Study
from features.tables import Shown
from features.verdicts import clear, not_enough_data, uncertain
from features.words import Sentence, counted, listed
from findings.pages import Holding, comparison_title

Described = Sequence[tuple[str, str, Description]]
"""(measure, group, description)"""


FEWEST_ITEMS = 10
"""Items below which nothing is said of where they lie."""


NO_RATINGS: Sentence = (
    "Nobody who is left rated the chosen measures: choose others, or leave out and filter less.",
    {},
)


def shown_groups(study: Study) -> tuple[str, ...]:
    """Candidate and, where it is a group of its own, reference; in the data set's order."""
    return tuple(g for g in study.groups if g in (study.candidate, study.reference))


def finding(study: Study, described: Described) -> Finding:
    """Which group's items lie higher, and on how many measures."""
    by_group = {
        group: {measure: d for measure, of, d in described if of == group} for group in shown_groups(study)
    }
    if len(by_group) < 2:
        return _of_one_group(*described[0][::2])
    names = {"candidate": study.candidate, "reference": study.reference_name}
    ours, theirs = by_group[study.candidate], by_group[str(study.reference)]
    both = [measure for measure in ours if measure in theirs]
    if not both:
        return not_enough_data("No measure has ratings of both {candidate} and {reference}.", names)
    enough = [m for m in both if min(ours[m].items, theirs[m].items) >= FEWEST_ITEMS]
    if not enough:
        items = max(min(ours[m].items, theirs[m].items) for m in both)
        return not_enough_data(
            "Whether {candidate} or {reference} lies higher cannot be told from {items}: it takes at least {fewest}.",
            {**names, "items": counted(items, "item"), "fewest": FEWEST_ITEMS},
        )
    higher = [m for m in enough if decimal(ours[m].median) != decimal(theirs[m].median)]
    of = counted(len(enough), "measure")
    if not higher:
        return uncertain(
            "The median item MOS of {candidate} and {reference} is the same on {measures}.",
            {**names, "measures": f"all {of}" if len(enough) > 1 else enough[0]},
        )
    above = [m for m in higher if ours[m].median > theirs[m].median]
    apart = max(higher, key=lambda m: abs(ours[m].median - theirs[m].median))
    where = "on <b>{higher} of {measures}</b>; they are furthest apart on {widest}"
    if len(enough) == 1:
        where = "on {widest}"
    lies = "above" if above or len(enough) > 1 else "below"
    return uncertain(
        f"The median item MOS of {{candidate}} lies {lies} that of {{reference}} {where}: <b>{{ours}}</b> against "
        "<b>{theirs}</b> ({n} and {k}). Whether that is more than chance is for {page} to say.",
        {
            **names,
            "page": comparison_title(Holding("ratings", study.groups)),
            "higher": len(above),
            "measures": of,
            "widest": apart,
            "ours": decimal(ours[apart].median),
            "theirs": decimal(theirs[apart].median),
            "n": counted(ours[apart].items, "item"),
            "k": count(theirs[apart].items),
        },
    )


def _of_one_group(measure: str, d: Description) -> Finding:
    values = {
        "median": decimal(d.median),
        "measure": measure,
        "sd": decimal(d.sd),
        "items": counted(d.items, "item"),
        "ratings": counted(d.ratings, "rating"),
        "fewest": FEWEST_ITEMS,
    }
    if d.items < FEWEST_ITEMS:
        return not_enough_data(
            "Where the items of {measure} lie cannot be told from {items} with {ratings}: it takes at least {fewest}.",
            values,
        )
    if d.sd == 0:
        return clear("All {items} have the same MOS for {measure}, {median} ({ratings}).", values)
    if d.end:
        return uncertain(
            f"Half of the items or more have the {d.end} MOS of all for {{measure}}, <b>{{median}}</b>; the items' SD "
            "is {sd} ({items}, {ratings}).",
            values,
        )
    return uncertain(
        "Half of the items have a MOS above <b>{median}</b> for {measure}; the items' SD is {sd} ({items}, {ratings}).",
        values,
    )


def widest_apart(described: Described) -> str:
    """The measure on which the groups' median MOS are furthest apart; the first where there is one group."""
    medians: dict[str, list[float]] = {}
    for measure, _, d in described:
        medians.setdefault(measure, []).append(d.median)
    return max(medians, key=lambda measure: max(medians[measure]) - min(medians[measure]))


def remarks(described: Described) -> list[Sentence]:
    """What is undefined, and why; each reason once, with the measures and groups it holds for."""
    reasons: dict[str, list[str]] = {}
    for measure, group, d in described:
        for reason in dict.fromkeys((d.reason, d.normality.reason)):
            if reason:
                reasons.setdefault(reason, []).append(f"{measure} ({group})")
    return [
        ("Undefined for {where}: {reason}.", {"where": listed(where), "reason": reason})
        for reason, where in reasons.items()
    ]


def table(described: Described) -> Shown:
    """One row per measure and group."""
    rows = pd.DataFrame(
        [
            {
                "Measure": measure,
                "Group": group,
                "Items": d.items,
                "Ratings": d.ratings,
                "Raters": d.raters,
                "Ratings per item": _per_item(d),
                "Median": d.median,
                "Mean": d.mean,
                "SD": d.sd,
                "Skewness": d.skewness,
                "Normality A²": d.normality.statistic,
                "p": d.normality.p,
            }
            for measure, group, d in described
        ]
    )
    return rows, {
        **dict.fromkeys(("Items", "Ratings", "Raters"), count),
        **dict.fromkeys(("Median", "Mean", "SD", "Skewness", "Normality A²"), decimal),
        "p": p_value,
    }


def _per_item(d: Description) -> str:
    if d.per_item_min == d.per_item_max:
        return str(d.per_item_min)
    return f"{d.per_item_min} to {d.per_item_max} (median {d.per_item_median:g})"


def sizes_table(cells: Mapping[str, Sequence[object]]) -> Shown:
    """Sizes of each measure and group, from the rows of the query `cells`."""
    least_and_most = zip(cells["ratings_per_item_min"], cells["ratings_per_item_max"], strict=True)
    rows = pd.DataFrame(
        {
            "Measure": cells["measure"],
            "Group": cells["group"],
            "Ratings": cells["ratings"],
            "Items": cells["items"],
            "Raters": cells["raters"],
            "Per item": [
                str(least) if least == most else f"{least} to {most}" for least, most in least_and_most
            ],
        }
    )
    return rows, dict.fromkeys(("Ratings", "Items", "Raters"), count)


EXPLANATION = """
An item's **MOS** (mean opinion score) in a group is the mean of all its ratings there. Median, mean, SD
(with n − 1) and skewness (adjusted Fisher-Pearson G1: negative means a tail towards low values) describe the
items' MOS, not single ratings. Shares in the picture add up to 100 % within a group.

**Normality** is the Anderson-Darling test with estimated mean and SD; A² is its statistic and p the chance of
one at least as large if the MOS came from a normal curve. With fewer than 8 items it is undefined, and with
thousands of items every real distribution fails it.

Sources: Iskender, Polzehl and Möller 2020, section 4.1 and Figure 2; D'Agostino and Stephens 1986.
Rows with a `check` (trap and gold questions) never enter.
"""
