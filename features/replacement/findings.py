"""Findings, notes and tables of "Replacing raters": which candidates can replace a rater, and their worth."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan

import numpy as np

from analysis.values.estimate import Estimate
from features.blocks import Finding, NextStep, Note, Status, Table, Text, Warning
from features.plotting.numbers import (
    MINUS,
    count,
    decimal,
    decimal_with_interval,
    p_value,
    share,
    share_with_interval,
)
from features.replacement.results import OTHER_SCALE
from features.replacement.specs import (
    FEWEST_RATERS,
    CandidateResult,
    ReplacementSpec,
    Results,
    by_advantage,
    leading,
)
from features.tables import Column, estimate_columns, table_of
from features.verdicts import (
    capitalized,
    clear_if,
    confidence_interval,
    evidence,
    excludes,
    for_raters,
    not_applicable,
    not_enough_data,
)
from features.words import counted, listed, plain

FEWEST_ITEMS = 10
"""Items below which nobody is advised to lower the minimum."""
PAGE, WORTH = "standing_in.py", "worth"
_TOLERANCES = {0.1: "crowd workers", 0.15: "skilled raters", 0.2: "expert references"}
_ONE_DIGIT, _EXACT = partial(decimal, digits=1), partial(decimal, digits=3)
SLOTS: Text = (
    "Rater ids of this data set are only slots of a table: what counts here as one rater is several people.",
    {},
)


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
        "passing": str(len(passing)),
        "tested": str(number),
        "raters": spec.raters,
    }
    if in_vain:
        line = evidence(
            f"alpha {decimal(first.agreement.value)}",
            confidence_interval(first.agreement),
            counted(first.agreement.n, "item"),
            for_raters(spec.scope if spec.score == "negative rmse" else "these raters"),
            f"{listed(in_vain)} would pass",
        )
        headline = "Passing the test says little{on}: {raters} hardly agree themselves."
        return Finding((headline, values), line, Status.UNCERTAIN)
    line = _evidence(spec, first, passing if 0 < len(passing) < number else [])
    if number == 1:
        headline = "{name} can replace {rater}{on}."
        if not passing:
            headline = "It is not shown that {plain} can replace {rater}{on}."
    elif passing:
        every = "Both" if number == 2 else "All {tested}"
        some = every if len(passing) == number else "{passing} of {tested}"
        headline = f"{some} candidates can replace {{rater}}{{on}}."
    else:
        headline = "None of {tested} candidates is shown to replace {rater}{on}."
    return Finding((headline, values), line, Status.CLEAR if passing else Status.UNCERTAIN)


def _evidence(spec: ReplacementSpec, first: CandidateResult, passing: Sequence[str]) -> Text:
    """Return what the verdict on the first candidate is based on, and who passes where not all do."""
    assert first.test is not None
    advantage, tested = first.advantage, counted(len(first.test.raters), "rater")
    return evidence(
        listed(passing),
        f"advantage of {first.name} {share(advantage.value)}",
        confidence_interval(advantage, share),
        counted(advantage.n, "item"),
        for_raters(spec.scope),
        f"replaces {int(first.test.replaced.sum())} of {tested} tested",
        f"alpha of these raters {decimal(first.agreement.value)}" if first.agreement.defined else "",
    )


def _untested(spec: ReplacementSpec, results: Results) -> Finding:
    """Return why no candidate has a verdict, and what would help."""
    tests = [one.test for one in results if one.test is not None]
    values: dict[str, object] = {
        "who": _one_of([one.name for one in results]),
        "rater": spec.a_rater,
        "on": spec.on,
    }
    if not tests:
        reason = results[0].untested
        why = [reason, results[0].worth.reason if not results[0].worth.defined else ""]
        step = NextStep("Test on the scale of the ratings", PAGE, _parameters(spec) | {"rescaled": "true"})
        if reason == OTHER_SCALE and not why[1]:
            values["who"] = listed([one.name for one in results], 2)
            found = not_applicable("The test cannot compare {who} with ratings{on}.", values, reason)
            return replace(found, next_step=step)
        return not_enough_data("Not enough data to test whether {who} can replace {rater}{on}.", values, *why)
    values["who"] = _one_of([one.name for one in results if one.test is not None])
    test = max(tests, key=lambda one: len(one.raters))
    shared = np.sort([*test.items.tolist(), *test.skipped.values()])[::-1]
    tested = len(test.raters)
    third = int(shared[FEWEST_RATERS - 1]) if len(shared) >= FEWEST_RATERS else 0
    can_lower = third >= FEWEST_ITEMS
    helps = "more ratings by the same raters would do"
    if not third:
        helps = "ratings by more raters would do"
    shares = "shares" if tested == 1 else "share"
    of = "raters" if spec.one_group else f"{spec.reference} raters"
    return not_enough_data(
        "Not enough overlap to test whether {who} can replace {rater}{on}.",
        values,
        f"{tested} of {count(len(shared))} {of} {shares} {spec.fewest} items",
        f"the test needs {FEWEST_RATERS}",
        "" if can_lower else helps,
        next_step=NextStep(
            f"Lower the minimum to {third}", PAGE, _parameters(spec) | {"fewest_shared": str(third)}
        )
        if can_lower
        else None,
    )


def _one_of(names: Sequence[str]) -> str:
    """Return the name of a single candidate, else words for one of several."""
    return names[0] if len(names) == 1 else "a candidate"


def _parameters(spec: ReplacementSpec) -> dict[str, str]:
    """Return the parameters of the address that a next step keeps."""
    kept = {"stand_in_measure": spec.measure if spec.several_measures else "", "stand_in_rater": spec.rater}
    return {name: value for name, value in kept.items() if value}


def worth_finding(spec: ReplacementSpec, results: Results) -> Finding | None:
    """Return how many raters the first candidate is worth, with its order and level; None where none is known."""
    first = leading(results)
    if first is None or first.compared is None:
        return None
    worth, level = first.worth, first.level
    number = decimal(worth.value, 0 if worth.value >= 3 else 1)
    who = f"{_article(first.name)} {first.name} mean" if first.kind == "group" else capitalized(first.name)
    difference = ""
    if level.defined:
        points, ends = decimal(abs(level.value)), sorted(abs(end) for end in (level.low, level.high))
        difference = f"level difference {decimal_with_interval(level)} points"
        if excludes(level):
            side = "higher" if level.value > 0 else "lower"
            difference = f"{points} points {side} ({decimal(ends[0])} to {decimal(ends[1])})"
    with_mean = "the mean" if spec.one_group else f"the {spec.reference} mean"
    return clear_if(
        excludes(worth),
        "{who} ranks items as well as about <b>{number}</b> {raters}{on}.",
        {"who": who, "number": number, "raters": spec.raters, "on": spec.on},
        _interval_of_worth(worth),
        counted(worth.n, "item"),
        for_raters(spec.scope),
        f"ρ with {with_mean} {decimal_with_interval(first.order)}" if first.order.defined else "",
        difference,
        name=WORTH,
    )


def _article(name: str) -> str:
    return "An" if name[:1].casefold() in "aeiou" else "A"


def _interval_of_worth(worth: Estimate) -> str:
    """Return the interval of a worth, which may have no upper end."""
    if not isnan(worth.low) and worth.high == float("inf"):
        return f"95% CI from {_ONE_DIGIT(worth.low)} without an upper end"
    return confidence_interval(worth, _ONE_DIGIT)


def tolerance_note(epsilon: float) -> Note:
    """Return what the tolerance allows, and for which reference it is usual."""
    usual = _TOLERANCES.get(round(epsilon, 2))
    values = {
        "epsilon": f"{epsilon:.2f}".replace("-", MINUS),
        "points": f"{100 * epsilon:.0f}",
        "usual": f", usual for {usual}" if usual else "",
    }
    return Note(
        (
            "Tolerance ε = {epsilon}{usual}: the candidate may lose to a rater on {points} percentage points more "
            "items than it wins.",
            values,
        )
    )


def replacement_warnings(results: Results, raters_are_persons: bool) -> Iterator[Warning]:
    """Yield what to know before anybody is replaced."""
    if not raters_are_persons:
        yield Warning(SLOTS)
    who = [one.name for one in results if one.hardly_ranks]
    if who:
        one = len(who) == 1
        template = (
            f"{{who}} pass{'es' if one else ''}, yet {'is worth' if one else 'each is worth'} less than half a rater: "
            "a candidate near the middle of the scale is seldom far from anybody, and does not rank items."
        )
        yield Warning((template, {"who": listed(who)}))


def replacement_notes(spec: ReplacementSpec, results: Results, names: Sequence[str]) -> Iterator[Note]:
    """Yield which raters were not tested, and why figures of the table are dashes; `names` are by rater code."""
    tests = [one.test for one in results if one.test is not None]
    test = max(tests, key=lambda each: len(each.raters), default=None)
    if test is not None and test.skipped:
        least_first = sorted(test.skipped, key=lambda rater: -test.skipped[rater])
        some = f"{count(len(test.skipped))} of " if len(test.raters) else ""
        values: dict[str, object] = {
            "raters": f"{some}{counted(len(test.skipped) + len(test.raters), 'rater')}",
            "fewest": str(spec.fewest),
            "who": listed([f"{names[rater]} ({test.skipped[rater]})" for rater in least_first], 6),
        }
        template = (
            "Not tested, with fewer than {fewest} items shared with another rater and the candidate: {raters} "
            "({who})."
        )
        if len(test.raters):
            template += " They still count among the others."
        yield Note((template, values))
    yield from map(Note, _undefined(results))


def _undefined(results: Results) -> list[Text]:
    """Return each reason for a dash in the table, and the intervals that are based on some of the items."""
    told: dict[tuple[str, str], list[str]] = {}
    for one in results:
        if one.test is not None and not one.is_tested and not one.test.reason:
            tested = counted(len(one.test.raters), "rater")
            why = f"{tested} could be tested, and a verdict needs {FEWEST_RATERS}"
            told.setdefault(("verdict", why), []).append(one.name)
        worth = [("number of raters it is worth", one.worth)] if one.compared is not None else []
        for what, e in (("advantage", one.advantage), *worth):
            if e.reason and (not e.defined or isnan(e.low)):
                key = what if not e.defined else f"interval of the {what}", e.reason
                told.setdefault(key, []).append(one.name)
    found: list[Text] = [
        ("No {what} ({who}): {why}.", {"what": what, "who": listed(who), "why": why})
        for (what, why), who in told.items()
    ]
    partly = (
        "Raters' part in the interval of how many {name} is worth is estimated from {some} of {items}, drawn at random "
        "(seed 0)."
    )
    found += [
        (
            partly,
            {"name": one.name, "some": count(one.read_off), "items": counted(one.worth.n, "item")},
        )
        for one in results
        if one.read_off
    ]
    return found


def of_measures(told: dict[str, list[Text]]) -> list[Text]:
    """Return sentences on several measures under the names of those that they hold for, unless they hold for all."""
    alike: dict[str, tuple[Text, list[str]]] = {}
    for measure, sentences in told.items():
        for sentence in sentences:
            alike.setdefault(plain(sentence), (sentence, []))[1].append(measure)
    return [
        (template, values)
        if len(measures) == len(told)
        else (f"<b>{{measures}}</b>: {template}", {**values, "measures": listed(measures, 9)})
        for (template, values), measures in alike.values()
    ]


def candidates_table(spec: ReplacementSpec, by_measure: dict[str, Results]) -> Table:
    """Return a row per candidate, for each of several measures."""
    every = [one for results in by_measure.values() for one in results]
    tests = [one.test for one in every]
    columns = [
        Column("Candidate", [one.name for one in every]),
        Column("Can replace a rater", [one.verdict for one in every]),
    ]
    if len(by_measure) > 1:
        measures = [measure for measure, results in by_measure.items() for _ in results]
        columns.insert(0, Column("Measure", measures))
    rates = [
        Column("Winning rate", [nan if test is None else test.winning_rate for test in tests], share),
        Column("Raters tested", [nan if test is None else len(test.raters) for test in tests], count),
    ]
    advantage = estimate_columns(
        "Advantage",
        [one.advantage for one in every],
        partial(share, digits=1),
        [share_with_interval(one.advantage, 1) for one in every],
    )
    if all(one.compared is None for one in every):
        items = Column("Items", [one.advantage.n for one in every], count)
        columns += [*rates, *advantage, items]
    else:
        rates = [replace(rate, at_first_sight=False) for rate in rates]
        columns += [*rates, *advantage, *_order_and_level(every)]
    caption: Text = ("Candidates for the place of {rater}, with 95% CIs.", {"rater": spec.a_rater})
    return table_of("standing-in", caption, columns)


def _order_and_level(every: Sequence[CandidateResult]) -> list[Column]:
    tests = [
        one.compared.equivalence if one.compared is not None and one.level.defined else None for one in every
    ]
    items = [one.advantage.n if one.compared is None else one.compared.items_shared for one in every]
    return [
        *_estimates("Worth, raters", [one.worth for one in every], 1, True),
        *_estimates("Spearman ρ", [one.order for one in every], 3),
        *_estimates("Mean difference", [one.level for one in every], 2),
        Column("p (equivalence)", [nan if test is None else test.p for test in tests], p_value, False),
        Column("Margin", [nan if test is None else test.margin for test in tests], decimal, False),
        Column("Items", items, count, False),
    ]


def _estimates(
    heading: str, estimates: Sequence[Estimate], digits: int, at_first_sight: bool = False
) -> list[Column]:
    texts = [decimal_with_interval(each, digits) for each in estimates]
    return estimate_columns(heading, estimates, partial(decimal, digits=digits), texts, at_first_sight)


def raters_table(spec: ReplacementSpec, results: Results, names: Sequence[str]) -> Table | None:
    """Return each candidate against each reference rater, those not tested last; None where there was no test."""
    rows: list[tuple[object, ...]] = []
    for one in results:
        if (test := one.test) is not None:
            tested = zip(
                test.raters.tolist(), test.items, test.advantages, test.p, test.replaced, strict=True
            )
            rows += [
                (
                    one.name,
                    str(names[rater]),
                    int(items),
                    float(advantage),
                    float(p),
                    "yes" if replaced else "no",
                )
                for rater, items, advantage, p, replaced in sorted(tested, key=lambda row: row[3])
            ]
            skipped = sorted(test.skipped.items(), key=lambda item: -item[1])
            rows += [(one.name, str(names[rater]), items, nan, nan, None) for rater, items in skipped]
    if not rows:
        return None
    candidate, rater, items, advantage, p, replaced = (list(column) for column in zip(*rows, strict=True))
    return table_of(
        "each-rater",
        ("Each candidate against each of the {raters}.", {"raters": spec.raters}),
        [
            Column("Candidate", candidate),
            Column("Rater", rater),
            Column("Items", items, count),
            Column("Advantage", advantage, partial(share, digits=1)),
            Column("p", p, p_value),
            Column("Replaced", replaced),
        ],
        fold="Against each reference rater",
    )
