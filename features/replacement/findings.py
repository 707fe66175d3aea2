"""Findings, notes and tables of "Replacing raters": which candidates can replace a rater, and their worth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor, inf, nan
from typing import Any

import numpy as np

from features.blocks import (
    Finding,
    NextStep,
    Table,
    Text,
    Warning,
    capitalized,
    clear_if,
    confidence_interval,
    for_raters,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.plotting.theme import (
    ONE_DIGIT,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    NumberFormat,
    count,
    decimal,
    estimate_with_interval,
    p_value,
    share,
)
from features.replacement.results import OTHER_SCALE
from features.replacement.specs import (
    FEWEST_RATERS,
    LITTLE_WORTH,
    CandidateResult,
    ReplacementSpec,
    Results,
    by_advantage,
    leading,
    with_article,
)
from features.words import (
    Column,
    counted,
    estimate_columns,
    extent_in_words,
    listed,
    part_of_whole,
    table_of,
    why_column,
    write_each,
)

FEWEST_ITEMS = 10
"""Items below which nobody is advised to lower the minimum."""
PAGE = "standing_in.py"


def no_candidates(spec: ReplacementSpec) -> Finding:
    """Return the finding that nothing has values of the measure but the reference."""
    step = NextStep("Add a file with a model's or a metric's column", "datasets.py")
    return not_enough_data(
        "Not enough data to replace {raters}{on}: you have no candidate, it needs one.",
        {"raters": spec.raters, "on": spec.on},
        "no other group rated these items",
        "no number of the items is known",
        next_step=step,
    )


def _parameters(spec: ReplacementSpec) -> dict[str, str]:
    """Return the parameters of the address that a next step keeps."""
    kept = {"stand_in_measure": spec.measure if spec.several_measures else "", "stand_in_rater": spec.rater}
    return {name: value for name, value in kept.items() if value}


def replacement_finding(spec: ReplacementSpec, results: Results) -> Finding:
    """Return how many candidates can replace a rater, with the highest advantage among them.

    Where the reference raters hardly agree with each other, nobody is said to pass.
    """
    ranked = by_advantage(results)
    if not ranked:
        return _untested(spec, results)
    first, number = ranked[0], len(ranked)
    passing = [one.name for one in ranked if one.passes]
    in_vain = [one.name for one in ranked if one.passes_test and not one.passes]
    values = {
        "name": capitalized(first.name),
        "plain": first.name,
        "rater": spec.a_rater,
        "on": spec.on,
        "some": capitalized(extent_in_words(len(passing), number, "candidates")),
        "raters": spec.raters,
    }
    if in_vain:
        return uncertain(
            "Passing the test says little{on}: {raters} hardly agree themselves.",
            values,
            f"alpha {decimal(first.agreement.value)}",
            confidence_interval(first.agreement),
            counted(first.agreement.n, "item"),
            for_raters(spec.scope if spec.score == "negative rmse" else "these raters"),
            f"{listed(in_vain)} would pass",
        )
    if number == 1:
        headline = "{name} can replace {rater}{on}."
        headline = headline if passing else "It is not shown that {plain} can replace {rater}{on}."
    elif passing:
        headline = "{some} can replace {rater}{on}."
    else:
        headline, values["some"] = "None of {some} candidates is shown to replace {rater}{on}.", str(number)
    advantage, test = first.advantage, first.test
    assert test is not None
    return clear_if(
        bool(passing),
        headline,
        values,
        listed(passing) if 0 < len(passing) < number else "",
        f"advantage of {first.name} {share(advantage.value)}",
        confidence_interval(advantage, share),
        counted(advantage.n, "item"),
        for_raters(spec.scope),
        f"replaces {int(test.replaced.sum())} of {counted(len(test.raters), 'rater')} tested",
        f"alpha of these raters {decimal(first.agreement.value)}" if first.agreement.defined else "",
    )


def _untested(spec: ReplacementSpec, results: Results) -> Finding:
    """Return why no candidate has a verdict, and what would help."""
    tested = [one for one in results if one.test is not None]
    names = [one.name for one in tested or results]
    who = names[0] if len(names) == 1 else "a candidate"
    values = {"who": who, "rater": spec.a_rater, "on": spec.on}
    kept = _parameters(spec)
    if not tested:
        reason, unranked = results[0].untested, results[0].worth.reason
        if reason == OTHER_SCALE and results[0].worth.defined:
            values["who"] = listed(names, 2)
            found = not_applicable("The test cannot compare {who} with ratings{on}.", values, reason)
            step = NextStep("Test on the scale of the ratings", PAGE, kept | {"rescaled": "true"})
            return replace(found, next_step=step)
        headline = "Not enough data to test whether {who} can replace {rater}{on}."
        return not_enough_data(headline, values, reason, "" if results[0].worth.defined else unranked)
    test = max((one.test for one in tested if one.test is not None), key=lambda one: len(one.raters))
    shared = sorted([*test.items.tolist(), *test.skipped.values()], reverse=True)
    third = shared[FEWEST_RATERS - 1] if len(shared) >= FEWEST_RATERS else 0
    can_lower = third >= FEWEST_ITEMS
    lower = NextStep(f"Lower the minimum to {third}", PAGE, kept | {"fewest_shared": str(third)})
    helps = "more ratings by the same raters would help" if third else "ratings by more raters would help"
    number = len(test.raters)
    shares = "shares" if number == 1 else "share"
    return not_enough_data(
        "Not enough overlap to test whether {who} can replace {rater}{on}.",
        values,
        f"{number} of {count(len(shared))} {spec.raters} {shares} {spec.fewest} items",
        f"the test needs {FEWEST_RATERS}",
        "" if can_lower else helps,
        next_step=lower if can_lower else None,
    )


def worth_finding(
    spec: ReplacementSpec, results: Results, write_score: NumberFormat = decimal
) -> Finding | None:
    """Return how many raters the first candidate is worth, with its order and level; None where none is known."""
    first = leading(results)
    if first is None or first.compared is None:
        return None
    worth, level = first.worth, first.level
    who = f"{with_article(first.name)} mean" if first.kind == "group" else first.name
    interval = confidence_interval(worth, ONE_DIGIT)
    if worth.high == inf and worth.low == worth.low:
        interval = f"95% CI from {ONE_DIGIT(worth.low)} without an upper end"
    once = ", where a rater's repeats count once" if spec.has_repeats else ""
    with_mean = "the mean" if spec.one_group else f"the {spec.reference} mean"
    number = decimal(worth.value, 0 if worth.value >= 3 else 1)
    is_none, is_clear = number == ONE_DIGIT(0), worth.excludes()
    headline = "{who} ranks items as well as about <b>{number}</b> {raters}{on}."
    if worth.value == inf:
        is_clear = 0.1 <= worth.low < inf
        headline = "It is unclear how many {raters} {who} is worth{on}."
        if is_clear:
            digits = 0 if worth.low >= 3 else 1
            number = decimal(floor(worth.low * 10**digits) / 10**digits, digits)
            headline = "{who} ranks items at least as well as <b>{number}</b> {raters}{on}."
    elif is_none:
        is_clear = worth.high < LITTLE_WORTH
        ranks = "ranks items no" if is_clear else "is not shown to rank items"
        headline = f"{{who}} {ranks} better than chance{{on}}."
    return clear_if(
        is_clear,
        headline,
        {
            "who": capitalized(who) if headline.startswith("{who}") else who,
            "number": number,
            "raters": spec.raters,
            "on": spec.on,
        },
        f"worth {number} {spec.raters}" if is_none else "",
        interval,
        counted(worth.n, "item"),
        for_raters(spec.scope),
        f"ρ with {with_mean} {estimate_with_interval(first.order)}" if first.order.defined else "",
        f"level difference {estimate_with_interval(level, write_score)} points{once}"
        if level.defined
        else "",
        name="worth",
    )


def replacement_warnings(spec: ReplacementSpec, results: Results) -> Iterator[Warning]:
    """Yield who passes without ranking items."""
    who = [one.name for one in results if one.hardly_ranks]
    if who:
        template = (
            "Worth less than half a rater{on}, yet passing: {who}. A candidate near the middle of the scale is seldom "
            "far from anybody, and does not rank items."
        )
        yield Warning((template, {"who": listed(who), "on": spec.on}))


def replacement_notes(spec: ReplacementSpec, results: Results) -> Iterator[Text]:
    """Yield how many raters were not tested, and intervals that are based on some items."""
    tests = [one.test for one in results if one.test is not None]
    test = max(tests, key=lambda each: len(each.raters), default=None)
    if test is not None and test.skipped:
        yield (
            "Not tested{on}, with fewer than {fewest} items shared with another rater and the candidate: {number}.",
            {
                "on": spec.on,
                "fewest": str(spec.fewest),
                "number": part_of_whole(len(test.skipped), len(test.skipped) + len(test.raters), "rater"),
            },
        )
    for one in results:
        if one.read_off:
            values = {"name": one.name, "some": count(one.read_off), "items": counted(one.worth.n, "item")}
            yield (
                "Raters' part in the interval of how many {name} is worth is estimated from {some} of {items}, drawn "
                "at random (seed 0).",
                values,
            )


def candidates_table(
    spec: ReplacementSpec, by_measure: dict[str, Results], formats: Mapping[str, NumberFormat] | None = None
) -> Table:
    """Return a row per candidate, for each of several measures; `formats` are those of differences, by measure."""
    every = [one for results in by_measure.values() for one in results]
    of_choices = all(one.compared is None for one in every)
    tests = [one.test for one in every]
    columns = [
        Column("Candidate", [one.name for one in every]),
        Column("Can replace a rater", [one.verdict for one in every]),
        Column(
            "Winning rate", [nan if test is None else test.winning_rate for test in tests], share, of_choices
        ),
        Column(
            "Raters tested", [nan if test is None else len(test.raters) for test in tests], count, of_choices
        ),
        *estimate_columns("Advantage", [one.advantage for one in every], PERCENT_ONE_DIGIT),
    ]
    if len(by_measure) > 1:
        measures = [measure for measure, results in by_measure.items() for _ in results]
        columns.insert(0, Column("Measure", measures))
    if of_choices:
        columns.append(Column("Items", [one.advantage.n for one in every], count))
    else:
        of_rows = [
            (formats or {}).get(measure, THREE_DIGITS)
            for measure, results in by_measure.items()
            for _ in results
        ]
        columns += _order_and_level(every, of_rows)
    reasons = [[one.advantage, one.of_verdict, *([] if of_choices else [one.worth])] for one in every]
    why = why_column(reasons)
    caption = ("Candidates for the place of {rater}, with 95% CIs.", {"rater": spec.a_rater})
    return table_of("standing-in", caption, [*columns, *([why] if any(why.values) else [])])


def _order_and_level(every: Sequence[CandidateResult], formats: Sequence[NumberFormat]) -> list[Column]:
    tests = [
        one.compared.equivalence if one.compared is not None and one.level.defined else None for one in every
    ]
    items = [one.advantage.n if one.compared is None else one.compared.items_shared for one in every]
    margins = [nan if test is None else test.margin for test in tests]
    return [
        *estimate_columns("Worth, raters", [one.worth for one in every], ONE_DIGIT),
        *estimate_columns("Spearman ρ", [one.order for one in every], THREE_DIGITS, None, False),
        *estimate_columns("Mean difference", [one.level for one in every], formats, None, False),
        Column("p (equivalence)", [nan if test is None else test.p for test in tests], p_value, False),
        Column("Margin", margins, write_each(margins, formats), False),
        Column("Items", items, count, False),
    ]


def raters_table(spec: ReplacementSpec, results: Results, names: Sequence[str]) -> Table | None:
    """Return each candidate against each reference rater, those not tested last; None where there was no test."""
    rows: list[tuple[Any, ...]] = []
    for one in results:
        if (test := one.test) is not None:
            order, replaced = np.argsort(test.p, kind="stable"), np.where(test.replaced, "yes", "no")
            tested = (test.raters, test.items, test.advantages, test.p, replaced)
            by_rater = zip(*(column[order].tolist() for column in tested), strict=True)
            rows += [(one.name, *row) for row in by_rater]
            skipped = sorted(test.skipped.items(), key=lambda item: -item[1])
            rows += [(one.name, rater, items, nan, nan, None) for rater, items in skipped]
    if not rows:
        return None
    candidate, rater, items, advantage, p, verdict = (list(column) for column in zip(*rows, strict=True))
    return table_of(
        "each-rater",
        ("Each candidate against each of the {raters}.", {"raters": spec.raters}),
        [
            Column("Candidate", candidate),
            Column("Rater", [str(names[code]) for code in rater]),
            Column("Items", items, count),
            Column("Advantage", advantage, PERCENT_ONE_DIGIT),
            Column("p", p, p_value),
            Column("Replaced", verdict),
        ],
        fold="Against each reference rater",
    )
