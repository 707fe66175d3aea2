"""Items that stand out, single items and single raters: verdicts, tables, figures and sections."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.items.disagreement import FEWEST_RATERS, FEWEST_RATINGS, Disagreement, Discrimination
from analysis.values.estimate import Estimate
from analysis.values.estimate import shorten as shorten_name
from features.blocks import (
    EXCLUSION,
    MAIN,
    Block,
    Figure,
    Finding,
    NextStep,
    Note,
    Status,
    Table,
    Text,
    clear,
    confidence_interval,
    for_raters,
    in_stages,
    method_of,
    name_of,
    not_applicable,
    not_enough_data,
    too_few,
    uncertain,
)
from features.exclusion import largest_change
from features.items.results import (
    LEVEL,
    ItemList,
    ItemRatings,
    ItemsSpec,
    describe_item,
    item_stages,
    list_items,
    ratings_by,
    spread_of_items,
)
from features.plotting.panels import at_top_right, remark
from features.plotting.series import dots_by_group
from features.plotting.theme import (
    GROUP_COLOURS,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    by_group,
    count,
    decimal,
    estimate_in_table,
    estimate_with_interval,
    group_colour,
    p_value,
    shorten,
)
from features.program import computed_by
from features.study import Scenario, Study, difference_writer, score_writer
from features.words import (
    UNNAMED,
    Column,
    LazyTexts,
    counted,
    listed,
    raters_named,
    stacked,
    table_of,
    write_each,
)

LIST, MEANS, RATINGS = "item list", "item means", "ratings"
"""Names of the tables."""
SCOPE = for_raters("raters like these")
"""An item's raters are taken as drawn at random."""
FEWEST_OF_MEAN = 5
"""Ratings below which no mean is stated in a headline."""
ABOUT = ("system", "topic", "condition", "split")
ALL_ITEMS = NextStep("List all items", "items.py")
SD, R = "SD of its ratings", "r with agreement"
P_SD, P_R = "p of disagreement (Holm)", "p of r (Holm)"


def exclusion_finding(study: Study, measure: str = "") -> Iterator[Finding]:
    """Yield what the exclusion changes for a measure's items, or that raters are excluded; nothing without any."""
    who = {"who": raters_named(study.dataset.without)}
    if not study.dataset.without:
        return
    found = not_applicable("Ratings by {who} are excluded.", who)
    both = (study, study.everyone) if measure else ()
    each = [spread_of_items(one, measure).p for one in both]
    if each and min(np.isfinite(p).sum() for p in each) > 1:
        after, before = ({"in disagreement": Estimate(float((p < LEVEL).sum()))} for p in each)
        excluded = Scenario(names=study.dataset.without)
        found = largest_change(excluded, "the number of items that stand out", before, after, count)
    yield replace(found, name=EXCLUSION)


def disagreement_finding(found: ItemList, name: str = MAIN) -> Finding:
    """Return how many items stand out for disagreement, and the clearest of them."""
    spread, values = found.spread, {"measure": found.spec.measure}
    tests = int((~np.isnan(spread.p)).sum())
    tested = f"{counted(tests, 'item')} with at least {FEWEST_RATINGS} ratings"
    adjusted = f"adjusted for {counted(tests, 'test')}"
    if tests < 2:
        rated = int((spread.ratings >= FEWEST_RATINGS).sum())
        if rated > 1 and not tests:
            return clear("No item has ratings that differ on {measure}.", values, name=name)
        there, least = f"1 item with {FEWEST_RATINGS} ratings", 2
        if not rated:
            most = int(spread.ratings.max(initial=0))
            there, least = f"at most {counted(most, 'rating')} per item", FEWEST_RATINGS
        step = NextStep("Plan more ratings", "planning.py")
        purpose = "compare disagreement on {measure}"
        return too_few(purpose, values, there, least, next_step=step, name=name)
    standing_out = np.flatnonzero(found.is_disputed)
    if not len(standing_out):
        headline = "No item clearly stands out for disagreement on {measure}."
        return uncertain(headline, values, tested, adjusted, SCOPE, name=name)
    first = int(standing_out[np.lexsort((-spread.sd[standing_out], spread.p[standing_out]))[0]])
    stand = "stands" if len(standing_out) == 1 else "stand"
    return clear(
        f"{{out}} of {{items}} items {stand} out for disagreement on {{measure}}.",
        {**values, "out": len(standing_out), "items": count(tests)},
        f"Most clearly {shorten_name(found.names[first])}: SD {found.write_score(spread.sd[first])}",
        confidence_interval(_sd(spread, first), found.write_score),
        counted(int(spread.ratings[first]), "rating"),
        f"SD of the other items {found.write_score(spread.others[first])}",
        adjusted,
        SCOPE,
        name=name,
    )


def faults_finding(found: ItemList, name: str = MAIN) -> Finding:
    """Return how many items are possibly faulty, and the clearest of them."""
    faults, ratings = found.faults, found.spread.ratings
    most = int((faults.raters if found.were_searched else ratings).max(initial=0))
    tests = int((~np.isnan(faults.p)).sum())
    adjusted = f"adjusted for {counted(tests, 'test')}"
    if not found.were_searched and most >= FEWEST_RATERS:
        pending = f"The search reads each of {counted(int(ratings.sum()), 'rating')}"
        step = "choose Possibly faulty to start it"
        return not_applicable("Faulty items were not searched for.", {}, pending, step, name=name)
    if not tests:
        return not_enough_data(
            "Not enough data to find faulty items: an item needs {least} qualified raters, has {most}.",
            {"least": FEWEST_RATERS, "most": f"at most {most}" if most else "none"},
            f"A qualified rater rated {FEWEST_RATERS} further items",
            name=name,
            next_step=NextStep("Plan more raters", "planning.py"),
        )
    standing_out = np.flatnonzero(found.is_faulty)
    if not len(standing_out):
        line = f"The most consistent raters rate none of the {count(tests)} unexpectedly"
        return uncertain("No item is clearly faulty.", {}, line, adjusted, SCOPE, name=name)
    first = int(standing_out[np.argmin(faults.p[standing_out])])
    return clear(
        f"{{out}} of {{items}} items {'is' if len(standing_out) == 1 else 'are'} possibly faulty.",
        {"out": len(standing_out), "items": count(tests)},
        f"Most clearly {shorten_name(found.names[first])}: r = {decimal(faults.r[first])}",
        confidence_interval(_r(faults, first)),
        counted(int(faults.raters[first]), "rater"),
        f"consistent raters rate it {'lower' if faults.r[first] < 0 else 'higher'} than predicted",
        adjusted,
        SCOPE,
        name=name,
    )


def shown_note(found: ItemList) -> Iterator[Note]:
    """Yield how many items have the MOS that was asked for, where the others are not shown."""
    shown = found.is_shown
    if not shown.all():
        values = {"some": count(int(shown.sum())), "items": counted(len(shown), "item")}
        yield Note(("{some} of {items} have the MOS asked for and are shown; findings are on all.", values))


def items_table(found: ItemList, places: NDArray[np.int64] | None = None) -> Table:
    """Return the table of the items shown, or of those at some places, those first that stand out most."""
    spread, at = found.spread, found.rows if places is None else places
    faults, write = found.faults, found.write_score
    by_faults = found.spec.order == "faults"
    order = at.tolist()
    return table_of(
        LIST,
        ("Items by {measure}, those first that stand out most.", {"measure": found.spec.measure}),
        [
            Column("Item", found.names[at]),
            Column("Ratings", spread.ratings[at], count, not by_faults),
            Column("MOS", spread.mean[at], write),
            Column(
                SD,
                spread.sd[at],
                LazyTexts(lambda place: estimate_in_table(_sd(spread, place), write), order),
                not by_faults,
            ),
            Column("SD of the others", spread.others[at], write, False),
            Column(P_SD, spread.p[at], p_value, not by_faults),
            Column(
                R,
                faults.r[at],
                LazyTexts(lambda place: estimate_in_table(_r(faults, place), THREE_DIGITS), order),
                by_faults,
            ),
            Column("Raters", faults.raters[at], count, by_faults),
            Column(P_R, faults.p[at], p_value, by_faults),
        ],
    )


def can_stand_out(found: ItemList) -> bool:
    return bool((~np.isnan([found.faults.p, found.spread.p])).any())


def _sd(found: Disagreement, at: int) -> Estimate:
    return Estimate(found.sd[at], found.low[at], found.high[at], int(found.ratings[at]))


def _r(found: Discrimination, at: int) -> Estimate:
    return Estimate(found.r[at], found.low[at], found.high[at], int(found.raters[at]))


def item_finding(found: ItemRatings, candidate: str, has_persons: bool = True) -> Finding:
    """Return an item's MOS where it has one measure, else how many ratings it has."""
    ratings, values = len(found.rows["score"]), {"item": name_of(found.name, "item")}
    if not ratings:
        values = {"item": found.name}
        line = "The name may differ, or its ratings are filtered out or excluded"
        return not_enough_data("No rating of an item {item} was found.", values, line, next_step=ALL_ITEMS)
    known = [
        f"{column} {shorten_name(found.about[column][0])}"
        for column in ABOUT
        if len(found.about[column]) and found.about[column][0]
    ]
    means = sorted(found.cells, key=lambda cell: cell[1] != candidate)
    raters = counted(len(np.unique(found.rows["rater"])), "rater") if has_persons else UNNAMED
    if len({measure for measure, _, _ in means}) == 1 and means[0][2].n >= FEWEST_OF_MEAN:
        (measure, group, mos), others = means[0], means[1:]
        write = found.write_score(measure, group)
        return clear(
            "{item} has a MOS of <b>{mos}</b> by {group}.",
            {**values, "mos": write(mos.value), "group": group},
            confidence_interval(mos, write),
            counted(mos.n, "rating"),
            *(
                f"{shorten_name(other)} {estimate_with_interval(one, found.write_score(measure, other))}"
                for _, other, one in others
            ),
            shorten_name(measure),
            *known,
            SCOPE,
        )
    return not_applicable(
        "{item} has {ratings}.", {**values, "ratings": counted(ratings, "rating")}, raters, *known
    )


def means_table(found: ItemRatings) -> Table:
    of, effective = [mos for _, _, mos in found.cells], list(found.effective.values())
    texts = [estimate_in_table(mos, found.write_score(measure, group)) for measure, group, mos in found.cells]
    return table_of(
        MEANS,
        "MOS of the item by measure and group.",
        [
            Column("Measure", [measure for measure, _, _ in found.cells]),
            Column("Group", [group for _, group, _ in found.cells]),
            Column("MOS", [mos.value for mos in of], texts),
            Column("Ratings", [mos.n for mos in of], count),
            *([Column("Effective n", effective, decimal)] if effective else []),
        ],
    )


def rater_finding(rater: str, rows: Mapping[str, Any]) -> Finding:
    if not len(rows["score"]):
        line = "The name may differ, or their ratings are filtered out or excluded"
        values = {"rater": rater}
        return not_enough_data("No rating by a rater {rater} was found.", values, line, next_step=ALL_ITEMS)
    return not_applicable(
        "{rater} gave {ratings}.",
        {"rater": name_of(rater, "rater"), "ratings": counted(len(rows["score"]), "rating")},
        counted(len(np.unique(rows["item"])), "item"),
        listed(list(dict.fromkeys(rows["group"].tolist()))),
        listed(list(dict.fromkeys(rows["measure"].tolist()))),
    )


def ratings_table(study: Study, rows: Mapping[str, Any], of: str) -> Table:
    """Return every rating of an item (`of` "rater") or by a rater (`of` "item"), in the file's order."""
    columns = [
        Column(of.capitalize(), rows[of]),
        Column("Group", rows["group"]),
        Column("Measure", rows["measure"]),
        Column("Score", rows["score"], "{:g}".format),
    ]
    if "weight" in rows and len({*rows["weight"].tolist()}) > 1:
        columns.append(Column("Weight", rows["weight"], "{:g}".format))
    if "others" in rows:
        cells = list(zip(rows["measure"].tolist(), rows["group"].tolist(), strict=True))
        means = {cell: score_writer(study, *cell) for cell in set(cells)}
        differences = {cell: difference_writer(study, *cell) for cell in set(cells)}
        for heading, values, formats in (
            ("Mean of the others", rows["others"], means),
            ("Difference", rows["score"] - rows["others"], differences),
        ):
            columns.append(Column(heading, values, write_each(values.tolist(), [formats[c] for c in cells])))
    if (rows["moment"] != "").any():
        columns.append(Column("When", rows["moment"], at_first_sight=False))
    return table_of(
        RATINGS, "Every rating of the item." if of == "rater" else "Every rating by the rater.", columns
    )


MOST_POINTS = 5000
"""Points that are drawn; of more, those that stand out and the first."""
MOST_NAMED = 6
"""Points that are named in the figure, where no more stand out."""
_STANDS_OUT = GROUP_COLOURS[5]


def item_points(found: ItemList, group: str, groups: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw a point per item shown, at its MOS by a group and what the items are sorted by."""
    if found.spec.order == "faults":
        stands_out, title = found.is_faulty, "r with agreement"
    else:
        stands_out, title = found.is_disputed, "SD of the item's ratings"
    x = np.where(found.is_shown, found.spread.mean, np.nan)
    out = int(stands_out.sum())
    remark_text = f"Diamonds: {count(out)} of {count(len(stands_out))} items" if out else ""
    titles, color = (by_group("MOS", group, groups), title), group_colour(group, groups)
    return points(x, found.height, found.names.tolist(), stands_out, titles, color, look, remark_text)


def points(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: Sequence[str],
    stands_out: NDArray[np.bool_],
    titles: tuple[str, str],
    color: str,
    look: Look,
    remark_text: str = "",
) -> PlotlyFigure:
    """Draw a point per name at (x, y), diamonds for what stands out; `customdata` is the place among the names."""
    made = look.layout(height=420, hovermode="closest", margin={"l": 56, "r": 14, "t": 24, "b": 54})
    made["xaxis"], made["yaxis"] = look.axis(titles[0]), look.axis(titles[1])
    drawn = ~(np.isnan(x) | np.isnan(y))
    traces = []
    for out, fill, symbol in ((False, color, "circle"), (True, _STANDS_OUT, "diamond")):
        at = np.flatnonzero(drawn & (stands_out == out))[:MOST_POINTS]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": x[at].tolist(),
                "y": y[at].tolist(),
                "customdata": at.tolist(),
                "marker": {"size": 11 if out else 8, "symbol": symbol, "color": fill, "opacity": 0.85},
                "text": [shorten(names[place], 60) for place in at],
                "hovertemplate": "%{text}<br>(%{x:.2f}, %{y:.2f})<extra></extra>",
            }
        )
    named = np.flatnonzero(drawn & stands_out)
    made["annotations"] = [
        *([at_top_right(remark_text, look)] if remark_text else []),
        *(
            remark(
                shorten(names[at], 24),
                look,
                12,
                x=float(x[at]),
                xref="x",
                y=float(y[at]),
                yref="y",
                yshift=13,
            )
            for at in named.tolist()
            if len(named) <= MOST_NAMED
        ),
    ]
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


NO_FAULTS: Text = (
    "Raters are not identified, so no item can be called faulty.",
    {},
)
ITEMS, RATINGS_OF_RATER = "items", "rater_points"
"""Names of the figures that can be clicked."""
HINT = "Click a point or check a row to see the item's ratings."
MOST_STANDING_OUT = 10
"""Items of a measure that a report prints."""


@computed_by(list_items)
def items_section(study: Study, spec: ItemsSpec) -> Iterator[Block]:
    """Yield the items of a measure that stand out: first those on which raters disagree, then with faulty items."""
    yield from exclusion_finding(study, spec.measure)
    yield from in_stages(item_stages(study, spec), partial(_list_blocks, study, spec))
    yield method_of("items", "items", ["holm1979", "box1953"])


def _list_blocks(study: Study, spec: ItemsSpec, found: ItemList) -> Iterator[Block]:
    if not len(found.names):
        yield not_enough_data("The chosen group has no ratings on {measure}.", {"measure": spec.measure})
        return
    by_faults = spec.order == "faults"
    both = [
        disagreement_finding(found, name="disagreement" if by_faults else MAIN),
        faults_finding(found, name=MAIN if by_faults else "faults"),
    ]
    if study.raters_are_persons:
        first, second = reversed(both) if by_faults else both
        yield first
        yield Note(second.headline) if second.status is Status.NOT_ENOUGH_DATA else second
    else:
        yield both[0]
        yield Note(NO_FAULTS)
    yield from shown_note(found)
    caption = "Items by MOS and {what}; diamonds stand out beyond chance."
    what = "r with agreement" if by_faults else "SD of their ratings"
    if np.isfinite(found.height[found.is_shown]).any():
        draw = partial(item_points, found, study.candidate, study.groups)
        yield Figure(ITEMS, (caption, {"what": what}), draw, hint=HINT)
    if found.is_shown.any():
        yield items_table(found)


@computed_by(describe_item, "results = found.means")
def item_section(study: Study, item: str) -> Iterator[Block]:
    """Yield one item's MOS by measure and group, and every rating of it."""
    yield from exclusion_finding(study)
    found = describe_item(study, item)
    yield item_finding(found, study.candidate, study.raters_are_persons)
    if not found.cells:
        return

    def draw(look: Look) -> dict[str, Any]:
        return dots_by_group(found.cells, study.groups, "MOS", look, None, found.write_score)

    yield Figure("item_means", ("MOS of the item by measure and group, with 95% CI.", {}), draw)
    yield means_table(found)
    yield ratings_table(study, found.rows, "rater")
    yield method_of("items", "item", [])


@computed_by(ratings_by, "results = dict(enumerate(zip(found['item'], found['score'], found['others'])))")
def rater_section(study: Study, rater: str) -> Iterator[Block]:
    """Yield every rating by one rater, compared with the mean of the other raters of the item."""
    yield from exclusion_finding(study)
    rows = ratings_by(study, rater)
    yield rater_finding(rater, rows)
    if not len(rows["score"]):
        return
    names = rows["item"].tolist()

    def draw(look: Look) -> dict[str, Any]:
        titles = "Mean of the item's other raters", "Score by the rater"
        color, none = group_colour(str(rows["group"][0]), study.groups), np.zeros(len(names), np.bool_)
        return points(rows["others"], rows["score"], names, none, titles, color, look)

    caption = "Each score by the rater and the mean of the item's other raters."
    yield Figure(RATINGS_OF_RATER, (caption, {}), draw, hint=HINT)
    yield ratings_table(study, rows, "item")
    yield method_of("items", "rater", [])


def standing_out_section(study: Study) -> Iterator[Block]:
    """Yield the items of all measures that stand out, for a report."""
    every = [list_items(study, ItemsSpec(measure)) for measure in study.measures]
    rated = [found for found in every if len(found.names)]
    if not rated:
        return
    clean, out = [], dict[str, Table]()
    for found in rated:
        measure = found.spec.measure
        if found.is_disputed.any():
            yield disagreement_finding(found, name=f"disagreement on {measure}")
        if found.is_faulty.any():
            yield faults_finding(found, name=f"faults on {measure}")
        standing_out = found.rows[(found.is_disputed | found.is_faulty)[found.rows]]
        if len(standing_out):
            out[measure] = items_table(found, standing_out[:MOST_STANDING_OUT])
        elif can_stand_out(found):
            clean.append(measure)
    if clean:
        values = {"measures": listed(clean, 12) if len(clean) < 12 else counted(len(clean), "measure")}
        yield uncertain("No item clearly stands out on {measures}.", values, SCOPE, name="clean")
    if not clean and not out:
        yield disagreement_finding(rated[0])
    if out:
        caption = "Items on which raters disagree more than on the others, or that are possibly faulty."
        yield stacked("items", caption, "Measure", out)
    whole = {found.spec.measure: items_table(found) for found in rated}
    yield replace(stacked("all-items", "Every item by measure.", "Measure", whole), fold="All items")
    yield method_of("items", "items", ["holm1979", "box1953"])
