"""Each candidate's values, and what is known of it: from the store's ratings and numbers to results, cached."""

from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from analysis.agreement.alpha import krippendorff_alpha
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.comparison.equality import usual_margin
from analysis.replacing_raters.alternative_annotator import (
    MOST_PAIRS,
    AlternativeAnnotator,
    Score,
    alternative_annotator_of_sums,
    alternative_annotator_test,
)
from analysis.replacing_raters.candidates import group_values, on_the_scale_of
from analysis.replacing_raters.effective_number import effective_number_of_raters
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.scope import Scope, chosen_scope
from features.comparison.results import QUICK, belonging, comparison
from features.item_sums import column_values
from features.rater_agreement import fewest_raters, of_group
from features.results import OnProgress, key_of, long_result, part, query, result
from features.study import COLUMN_SUFFIX, Study
from findings.standing_in import sums
from findings.standing_in.answers import given, known_answers, known_columns
from findings.standing_in.candidates import (
    LABELS,
    NO_EQUAL,
    NO_LINE,
    OTHER_SCALE,
    Asked,
    Kind,
    Standing,
    leading,
    usual_epsilon,
)
from findings.standing_in.reference import other_groups, raters_of_others, reference_of

LEVEL = 0.95
QUICKLY, MOST_AT_A_GLANCE = 50_000, 5
"""Ratings up to which candidates are tested at a glance, and how many: 10 ms of 20,000 ratings each."""


@dataclass(frozen=True)
class Candidate:
    """Who might stand in: a group, a numeric column of the items, or one rater, under a name that tells them apart."""

    name: str
    kind: Kind
    source: str


def offered(study: Study, asked: Asked) -> tuple[Candidate, ...]:
    """Return every other group that rated the measure, every numeric column of the items, and the chosen rater.

    Gold is what raters are measured by, and no candidate.
    """
    groups = other_groups(study, asked.measure, asked.reference)
    columns = list(study.dataset.named("item number"))
    if study.holds_choices:
        columns = [column for column in known_columns(study) if column != "gold"]
    found = [Candidate(group, "group", group) for group in groups]
    found += [
        Candidate(column + COLUMN_SUFFIX * (column in study.groups), "column", column) for column in columns
    ]
    if asked.rater is not None:
        taken = asked.rater in {one.name for one in found}
        found.append(Candidate(asked.rater + " (rater)" * taken, "rater", asked.rater))
    return tuple(found)


def at_once(study: Study, asked: Asked, candidates: tuple[Candidate, ...]) -> tuple[Standing, ...] | None:
    """What is known without intervals, of a group in a large data set without order and level; None while stopped."""
    return _each(study, asked, candidates, None, "Candidates")


def as_usual(study: Study, scope: Scope | None = None) -> Asked:
    """Return the question where nobody has chosen: of the first measure, by distance, or equal answers of choices."""
    measure = "" if study.holds_choices else study.measures[0]
    score: Score = "accuracy" if study.holds_choices else "negative rmse"
    several, one_group = len(study.measures) > 1, len(study.groups) == 1
    reference = reference_of(study)
    chosen = chosen_scope(scope, count_raters(study, reference), study.raters_are_persons)
    asked = Asked(reference, measure, several, score, usual_epsilon(reference), one_group=one_group)
    return replace(asked, scope=chosen, spec=replace(asked.spec, scope=chosen))


def count_raters(study: Study, reference: str) -> int:
    """Return the number of the reference's raters, on the measure with the fewest."""
    if not study.holds_choices:
        return fewest_raters(study, reference)
    cells = query(study.dataset, "cells")
    return int(cells["raters"][cells["group"] == reference].max(initial=0))


def at_a_glance(study: Study, asked: Asked) -> tuple[Standing, ...]:
    """The verdicts alone, of those who answer as the reference does; none of so many ratings that it takes long."""
    if study.dataset.rows_kept > QUICKLY:
        return ()
    known = study.holds_choices
    candidates = [one for one in offered(study, asked) if known or one.kind == "group"]
    untold = Estimate(nan, reason="it is worked out on its page")
    agreement = reference_agreement(study, asked)
    return tuple(
        Standing(
            one.name,
            one.kind,
            _test(study, asked, one, values_of(study, asked, one), None, quiet),
            untold,
            None,
            agreement=agreement,
        )
        for one in candidates[:MOST_AT_A_GLANCE]
    )


def quiet(done: float) -> None:
    """Hears of progress that nobody waits for."""


def with_intervals(
    study: Study, asked: Asked, candidates: tuple[Candidate, ...]
) -> tuple[Standing, ...] | None:
    """The same with intervals of advantage and worth; None while stopped."""
    return _each(study, asked, candidates, LEVEL, "Intervals of the candidates")


def with_order_and_level(
    study: Study,
    asked: Asked,
    candidates: tuple[Candidate, ...],
    standings: tuple[Standing, ...],
    of_all: bool,
) -> tuple[Standing, ...] | None:
    """The same with intervals of order and level too, which take longest: of the one that sentences tell of, or of all;
    None while stopped."""
    first = leading(standings)
    wanted = [one for one in candidates if of_all or (first is not None and one.name == first.name)]
    if study.holds_choices or not wanted:
        return standings

    def compute(on_progress: OnProgress) -> tuple[Standing, ...]:
        found = {}
        for at, one in enumerate(wanted):
            values, tell = values_of(study, asked, one), part(on_progress, at, len(wanted))
            tell(0.0)
            found[one.name] = _compared(study, asked, one, values, asked.spec, tell)
        return tuple(replace(its, compared=found.get(its.name, its.compared)) for its in standings)

    parts = asked, candidates, tuple(wanted)
    return long_result(
        key_of(study.dataset, "standing in, order and level", *parts), "Order and level", compute
    )


def values_of(study: Study, asked: Asked, one: Candidate) -> dict[Any, float]:
    """The candidate's one value per item, as it is."""

    def read() -> dict[Any, float]:
        if one.kind == "group" and asked.score == "negative rmse" and study.dataset.has_sums:
            units = query(study.dataset, "cell_means", measure=asked.measure, group=one.source)
            return dict(zip(units["item"].tolist(), units["mean"].tolist(), strict=True))
        if one.kind == "column":
            return (known_answers if study.holds_choices else column_values)(study, one.source)
        group, code = one.source, None
        if one.kind == "rater":
            group, code = raters_of_others(study, asked.measure, asked.reference)[one.source]
        answers = given(study, asked.measure, group)
        its = slice(None) if code is None else answers.rater == code
        return group_values(answers.item[its], answers.score[its], asked.score)

    return result(key_of(study.dataset, "candidate's values", one, asked.measure, asked.score), read)


def reference_ratings(study: Study, asked: Asked) -> Ratings:
    """The ratings of those who might be replaced."""
    return given(study, asked.measure, asked.reference)


def reference_agreement(study: Study, asked: Asked) -> Estimate:
    """Return the alpha of the reference's raters with each other: of equal answers nominal, else interval."""
    if asked.score == "negative rmse":
        return of_group(study, asked.measure, asked.reference, asked.scope).alpha
    answers = reference_ratings(study, asked)
    return result(
        key_of(study.dataset, "alpha of equal answers", asked.reference, asked.measure),
        lambda: krippendorff_alpha(answers.item, answers.score, "nominal"),
    )


def _each(
    study: Study,
    asked: Asked,
    candidates: tuple[Candidate, ...],
    level: float | None,
    label: str,
) -> tuple[Standing, ...] | None:
    def compute(on_progress: OnProgress) -> tuple[Standing, ...]:
        agreement = reference_agreement(study, asked)
        return tuple(
            replace(
                _one(study, asked, one, level, part(on_progress, at, len(candidates))), agreement=agreement
            )
            for at, one in enumerate(candidates)
        )

    parts = asked, candidates, level
    return long_result(key_of(study.dataset, "standing in", *parts), label, compute)


def _one(
    study: Study,
    asked: Asked,
    one: Candidate,
    level: float | None,
    on_progress: OnProgress,
) -> Standing:
    on_progress(0.0)
    if level is None and _summed(study, asked, one):
        return Standing(
            one.name,
            one.kind,
            _test(study, asked, one, {}, None, on_progress),
            _worth(study, asked, one, {}, None, on_progress)[0],
            None,
        )
    values = values_of(study, asked, one)
    on_progress(0.1)
    if study.holds_choices:
        labels = _test(study, asked, one, values, level, on_progress)
        return Standing(one.name, one.kind, labels, Estimate(nan, reason=LABELS), None)
    compared = _compared(study, asked, one, values, QUICK, lambda done: on_progress(0.1 + 0.1 * done))
    on_progress(0.2)
    rescaled, why = False, ""
    tested = values
    if one.kind == "column" and asked.score == "accuracy":
        given_scores = reference_ratings(study, asked).score
        why = "" if np.isin(list(values.values()), given_scores).any() else NO_EQUAL
    elif one.kind == "column" and not compared.same_scale:
        rescaled = asked.rescaled
        tested = on_the_scale_of(reference_ratings(study, asked), values) if rescaled else {}
        why = "" if tested else NO_LINE if rescaled else OTHER_SCALE
    test = (
        None if why else _test(study, asked, one, tested, level, lambda done: on_progress(0.2 + 0.3 * done))
    )
    on_progress(0.5)
    worth, read_off = _worth(study, asked, one, values, level, lambda done: on_progress(0.5 + 0.5 * done))
    on_progress(1.0)
    return Standing(one.name, one.kind, test, worth, compared, rescaled, why, read_off)


def _test(
    study: Study,
    asked: Asked,
    one: Candidate,
    values: dict[Any, float],
    level: float | None,
    on_progress: OnProgress,
) -> AlternativeAnnotator:
    """The verdicts under the chosen ε; the interval of the advantage is the same under any."""
    if _summed(study, asked, one):
        of = sums.held(study, asked, one.source)
        if level is None or of.pairs > MOST_PAIRS:
            return alternative_annotator_of_sums(of, asked.epsilon, asked.q, asked.fewest, level)
    reference = reference_ratings(study, asked)
    answers = reference.rater, reference.item, reference.score, values, asked.score
    parts = one, asked.rescaled, asked.reference, asked.measure, asked.score, asked.fewest
    found = result(
        key_of(study.dataset, "alternative annotator", *parts, asked.epsilon, asked.q),
        lambda: alternative_annotator_test(*answers, asked.epsilon, asked.q, asked.fewest, level=None),
    )
    if level is None:
        return found
    advantage: Estimate = result(
        key_of(study.dataset, "advantage", *parts, asked.scope),
        lambda: (
            alternative_annotator_test(
                *answers, fewest=asked.fewest, level=level, on_progress=on_progress, scope=asked.scope
            ).advantage
        ),
    )
    return replace(found, advantage=advantage)


def _summed(study: Study, asked: Asked, one: Candidate) -> bool:
    """Whether sums tell of the candidate, so that what is told first reads no ratings."""
    return one.kind == "group" and sums.tell(study, asked)


def _worth(
    study: Study,
    asked: Asked,
    one: Candidate,
    values: dict[Any, float],
    level: float | None,
    on_progress: OnProgress,
) -> tuple[Estimate, int]:
    """How many raters it is worth, and off how many items the interval was read where not off all."""
    if _summed(study, asked, one):
        told = sums.worth(study, asked, one.source, level)
        if told is not None:
            return told
        values = values or values_of(study, asked, one)
    parts = one, asked.reference, asked.measure, asked.score, level, asked.scope
    worth = result(
        key_of(study.dataset, "worth of raters", *parts),
        lambda: effective_number_of_raters(
            reference_ratings(study, asked), values, level, on_progress, asked.scope
        ),
    )
    return worth, 0


def _compared(
    study: Study,
    asked: Asked,
    one: Candidate,
    values: dict[Any, float],
    spec: ComparisonSpec,
    on_progress: OnProgress,
) -> Comparison:
    """Order and level: of a group as the page that compares groups has them; else the reference against its values."""
    asked = asked
    if one.kind == "group":
        pair = replace(study, candidate=one.source, reference=asked.reference, reference_column=None)
        return comparison(pair, asked.measure, spec, on_progress=on_progress)
    reference = reference_ratings(study, asked)
    held = replace(spec, margin=usual_margin(reference.score))
    return result(
        key_of(study.dataset, "candidate compared", one, asked.reference, asked.measure, asked.score, held),
        lambda: compare(reference, values, held, on_progress, belonging(study)),
    )
