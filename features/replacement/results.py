"""Results of "Replacing raters": values of each candidate, its test, worth, order and level, cached."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from analysis.agreement.alpha import krippendorff_alpha
from analysis.comparison.comparison import Comparison, ComparisonSpec, compare
from analysis.comparison.level_tests import default_margin
from analysis.replacement.alternative_annotator import (
    MOST_PAIRS,
    AlternativeAnnotator,
    Score,
    alternative_annotator_from_sums,
    alternative_annotator_test,
    group_values,
    on_the_scale_of,
)
from analysis.replacement.effective_number import effective_number_of_raters
from analysis.values.estimate import Estimate, Scope, chosen_scope
from analysis.values.ratings import Ratings
from data.kinds.kind import EXPECTED
from data.kinds.names import plain_name
from features.assessments import column_values, of_group
from features.blocks import Progress, last_stage
from features.comparison.results import QUICK, comparison, systems_and_topics
from features.replacement import answers as answers_module
from features.replacement.answers import (
    answers_of,
    count_raters,
    known_answers,
    known_columns,
    other_groups,
    raters_of_others,
    reference_of,
)
from features.replacement.specs import (
    LABELS,
    Candidate,
    CandidateResult,
    ReplacementSpec,
    Results,
    leading,
    usual_epsilon,
)
from features.study import COLUMN_SUFFIX, OnProgress, Study, cached, key_of, long_results, query, result

OTHER_SCALE = "its numbers are on another scale than the ratings, so how near they are cannot be measured"
NO_EQUAL = "it never gives an answer that a rater gave, so that none are equal"
NO_LINE = "a line onto the scale of the ratings needs 10 items and different values"
LEVEL = 0.95
RESULTS = "candidates for replacing raters"
GOLD = frozenset({"gold", *EXPECTED})
"""Names of columns that hold the right answers."""
QUICKLY, MOST_AT_ONCE = 50_000, 5
"""Ratings up to which the overview tests candidates, and how many: 10 ms of 20,000 ratings each."""


def list_candidates(study: Study, spec: ReplacementSpec) -> tuple[Candidate, ...]:
    """Return every other group that rated the measure, every numeric column of the items, and the chosen rater.

    Gold is what raters are measured by, and no candidate.
    """
    groups = other_groups(study, spec.measure, spec.reference)
    columns = known_columns(study) if study.holds_choices else study.dataset.named("item number")
    columns = [column for column in columns if plain_name(column) not in GOLD]
    found = [Candidate(group, "group", group) for group in groups]
    found += [
        Candidate(column + COLUMN_SUFFIX * (column in study.groups), "column", column) for column in columns
    ]
    if spec.rater is not None:
        taken = spec.rater in {one.name for one in found}
        found.append(Candidate(spec.rater + " (rater)" * taken, "rater", spec.rater))
    return tuple(found)


def default_spec(study: Study, measure: str, scope: Scope | None = None) -> ReplacementSpec:
    """Return the spec where nobody has chosen: by distance, or by equal answers of choices."""
    reference = reference_of(study)
    score: Score = "accuracy" if study.holds_choices else "negative rmse"
    chosen = chosen_scope(scope, count_raters(study, reference), study.raters_are_persons)
    return ReplacementSpec(
        reference,
        measure,
        score,
        usual_epsilon(reference),
        comparison=ComparisonSpec(raters_are_persons=study.raters_are_persons, scope=chosen),
        scope=chosen,
        several_measures=len(study.measures) > 1,
        one_group=len(study.groups) == 1,
        has_repeats=study.merge is not None,
    )


def compute_candidates(study: Study, spec: ReplacementSpec) -> Results:
    """Test every candidate for the place of a reference rater, without the intervals that were stopped."""
    study = study.between_raters
    return last_stage(candidate_stages(study, spec, list_candidates(study, spec)))


def candidate_stages(
    study: Study, spec: ReplacementSpec, candidates: tuple[Candidate, ...], with_order: bool = True
) -> Iterator[Results | Progress]:
    """Yield the results without intervals, unless these are there already; then with those of advantage and worth.

    Intervals of order and level come last, for they take longest; without `with_order` there are none.
    """
    label = "Intervals of the candidates"
    if cached(_key(study, RESULTS, spec, candidates, LEVEL)) is None:
        found = _each(study, spec, candidates, None, "Candidates")
        if found is None:
            return
        yield found
        yield Progress(label)
    tested = _each(study, spec, candidates, LEVEL, label)
    if tested is None:
        return
    yield tested
    if with_order and not study.holds_choices:
        yield Progress("Order and level")
        if (compared := _with_order_and_level(study, spec, candidates, tested)) is not None:
            yield compared


def _with_order_and_level(
    study: Study, spec: ReplacementSpec, candidates: tuple[Candidate, ...], tested: Results
) -> Results | None:
    """Return the results with intervals of order and level, of the leading candidate or of all; None while stopped."""
    first = leading(tested)
    wanted = tuple(
        one for one in candidates if spec.order_of_all or (first is not None and one.name == first.name)
    )

    def compare_one(one: Candidate, on_progress: OnProgress) -> Comparison:
        values = values_of(study, spec, one)
        return _compared(_Case(study, spec, one), values, spec.comparison, on_progress)

    key = _key(study, "order and level of candidates", spec, candidates, wanted)
    made = long_results(key, "Order and level", wanted, compare_one)
    if made is None:
        return None
    found = {one.name: compared for one, compared in zip(wanted, made, strict=True)}
    return tuple(replace(each, compared=found.get(each.name, each.compared)) for each in tested)


def compute_verdicts(study: Study, spec: ReplacementSpec) -> Results:
    """Return the results without intervals of candidates that answer as raters do; none where that is slow."""
    if study.dataset.rows_kept > QUICKLY:
        return ()
    candidates = [one for one in list_candidates(study, spec) if study.holds_choices or one.kind == "group"]
    return _each(study, spec, tuple(candidates[:MOST_AT_ONCE]), None, "Candidates") or ()


def values_of(study: Study, spec: ReplacementSpec, one: Candidate) -> dict[Any, float]:
    """Return the candidate's value of each item, as it is."""

    def read() -> dict[Any, float]:
        if one.kind == "group" and spec.score == "negative rmse":
            units = query(study.dataset, "cell_means", measure=spec.measure, group=one.source)
            return dict(zip(units["item"].tolist(), units["mean"].tolist(), strict=True))
        if one.kind == "column":
            return (known_answers if study.holds_choices else column_values)(study, one.source)
        group, code = one.source, None
        if one.kind == "rater":
            group, code = raters_of_others(study, spec.measure, spec.reference)[one.source]
        answers = answers_of(study, spec.measure, group)
        its = slice(None) if code is None else answers.rater == code
        return group_values(answers.item[its], answers.score[its], spec.score)

    return result(key_of(study.dataset, "candidate's values", one, spec.measure, spec.score), read)


def reference_agreement(study: Study, spec: ReplacementSpec) -> Estimate:
    """Return the alpha of the reference's raters with each other: of equal answers nominal, else interval."""
    if spec.score == "negative rmse":
        return of_group(study, spec.measure, spec.reference, spec.scope).alpha
    answers = answers_of(study, spec.measure, spec.reference)
    return result(
        key_of(study.dataset, "alpha of equal answers", spec.reference, spec.measure),
        lambda: krippendorff_alpha(answers.item, answers.score, "nominal"),
    )


def _each(
    study: Study,
    spec: ReplacementSpec,
    candidates: tuple[Candidate, ...],
    level: float | None,
    label: str,
) -> Results | None:
    def test_one(one: Candidate, on_progress: OnProgress) -> CandidateResult:
        agreement = reference_agreement(study, spec)
        return replace(_one(_Case(study, spec, one), level, on_progress), agreement=agreement)

    return long_results(_key(study, RESULTS, spec, candidates, level), label, candidates, test_one)


def _key(study: Study, what: str, spec: ReplacementSpec, *parts: object) -> str:
    return key_of(study.dataset, what, replace(spec, order_of_all=False), *parts)


@dataclass(frozen=True)
class _Case:
    study: Study
    spec: ReplacementSpec
    one: Candidate

    @property
    def reference(self) -> Ratings:
        """Ratings by those who may be replaced."""
        return answers_of(self.study, self.spec.measure, self.spec.reference)

    @property
    def is_summed(self) -> bool:
        """True where sums suffice, so that what is shown first reads no ratings."""
        return self.one.kind == "group" and answers_module.suffice(self.study, self.spec)

    def key(self, what: str, *parts: object) -> str:
        of = self.one, self.spec.reference, self.spec.measure, self.spec.score
        return key_of(self.study.dataset, what, *of, *parts)


def _one(case: _Case, level: float | None, on_progress: OnProgress) -> CandidateResult:
    study, spec, one = case.study, case.spec, case.one
    on_progress(0.0)
    if level is None and case.is_summed:
        quick, (worth, _) = _test(case, {}, None, on_progress), _worth(case, {}, None, on_progress)
        return CandidateResult(one.name, one.kind, quick, worth, None)
    values = values_of(study, spec, one)
    on_progress(0.1)
    if study.holds_choices:
        labels = _test(case, values, level, on_progress)
        return CandidateResult(one.name, one.kind, labels, Estimate(nan, reason=LABELS), None)
    compared = _compared(case, values, QUICK, lambda done: on_progress(0.1 + 0.1 * done))
    on_progress(0.2)
    rescaled, why = False, ""
    tested = values
    if one.kind == "column" and spec.score == "accuracy":
        why = "" if np.isin(list(values.values()), case.reference.score).any() else NO_EQUAL
    elif one.kind == "column" and not compared.same_scale:
        rescaled = spec.rescaled
        tested = on_the_scale_of(case.reference, values) if rescaled else {}
        why = "" if tested else NO_LINE if rescaled else OTHER_SCALE
    test = None if why else _test(case, tested, level, lambda done: on_progress(0.2 + 0.3 * done))
    on_progress(0.5)
    worth, read_off = _worth(case, values, level, lambda done: on_progress(0.5 + 0.5 * done))
    on_progress(1.0)
    return CandidateResult(one.name, one.kind, test, worth, compared, rescaled, why, read_off)


def _test(
    case: _Case, values: dict[Any, float], level: float | None, on_progress: OnProgress
) -> AlternativeAnnotator:
    """Return the verdicts under the chosen ε; the interval of the advantage is the same under any."""
    spec, thresholds = case.spec, (case.spec.epsilon, case.spec.q, case.spec.fewest)
    if case.is_summed:
        of = answers_module.sums_of_test(case.study, spec, case.one.source)
        if level is None or of.pairs > MOST_PAIRS:
            return alternative_annotator_from_sums(of, *thresholds, level)
    reference = case.reference
    answers = reference.rater, reference.item, reference.score, values, spec.score
    found = result(
        case.key("alternative annotator", spec.rescaled, thresholds),
        lambda: alternative_annotator_test(*answers, *thresholds, level=None),
    )
    if level is None:
        return found
    how: dict[str, Any] = {
        "fewest": spec.fewest,
        "level": level,
        "on_progress": on_progress,
        "scope": spec.scope,
    }
    advantage: Estimate = result(
        case.key("advantage", spec.rescaled, spec.fewest, spec.scope),
        lambda: alternative_annotator_test(*answers, **how).advantage,
    )
    return replace(found, advantage=advantage)


def _worth(
    case: _Case, values: dict[Any, float], level: float | None, on_progress: OnProgress
) -> tuple[Estimate, int]:
    """Return how many raters it is worth, and the items that its interval is based on where not all."""
    study, spec = case.study, case.spec
    if case.is_summed:
        number = answers_module.worth(study, spec, case.one.source, level)
        if number is not None:
            return number
        values = values or values_of(study, spec, case.one)
    worth = result(
        case.key("worth of raters", level, spec.scope),
        lambda: effective_number_of_raters(case.reference, values, level, on_progress, spec.scope),
    )
    return worth, 0


def _compared(
    case: _Case, values: dict[Any, float], comparison_spec: ComparisonSpec, on_progress: OnProgress
) -> Comparison:
    """Return order and level: of a group against the reference, of anything else the reference against its values."""
    study = case.study
    if case.one.kind == "group":
        pair = replace(study, candidate=case.one.source, reference=case.spec.reference, reference_column=None)
        return comparison(pair, case.spec.measure, comparison_spec, on_progress=on_progress)
    reference = case.reference
    with_margin = replace(comparison_spec, margin=default_margin(reference.score))
    return result(
        case.key("candidate compared", with_margin),
        lambda: compare(reference, values, with_margin, on_progress, systems_and_topics(study)),
    )
