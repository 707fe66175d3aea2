"""Ratings, votes, label sets and sums of the open study by codes and names, and the contributors of its pyramid."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.agreement_summary import (
    AgreementSummary,
    alpha_over_raters,
    summary_for_others,
    summary_for_these_raters,
    transfer_interval,
)
from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters
from analysis.agreement.label_sets import LabelSets
from analysis.agreement.reliability import THESE, is_crossed
from analysis.assessors.consistency import Assessments
from analysis.assessors.pyramid import (
    AssessorDifferences,
    Contributors,
    PyramidScores,
    difference_by_assessor,
    pyramid_scores,
)
from analysis.comparison.variance_components import (
    MOST_SAMPLED_ITEMS,
    ItemPairs,
    RaterInfluence,
    summarize_pairs,
)
from analysis.systems.ranked_options import RankedOptions
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Scope, chosen_scope
from analysis.values.ratings import Ratings
from analysis.workers import polls as polls_module
from analysis.workers.polls import Choices, Names, Poll
from data.dataset import Dataset, Filter
from data.kinds.label_sets import labels_in
from data.kinds.likely_names import control_of, is_low_pass, is_mid_range
from data.kinds.studies import ENDS
from features.study import (
    ALL_GROUPS,
    LARGEST_BOOTSTRAP,
    Study,
    key_of,
    long_result,
    query,
    ratings,
    read,
    result,
    unordered_ratings,
)

MOST_CELLS = 50_000_000
"""Different sets times different labels up to which sets are compared."""
TOO_MANY = "More than {most} different labels and sets: merge labels before sets are compared."
SHOWN = 20
"""Labels that a figure shows; tables have all."""


@dataclass(frozen=True, eq=False)
class Labeled:
    """Sets that raters gave for a question, "" for the only one.

    `known` (n, L) are the sets known to be right of `known_items` (n,), codes in ascending order. Nothing is read where
    there are `too_many` labels and sets.
    """

    question: str
    sets: LabelSets
    known: Flags
    known_items: Codes
    too_many: bool = False

    @property
    def items(self) -> int:
        return len(np.unique(self.sets.item))


def assessments(study: Study, measure: str) -> Assessments:
    """Return one measure's ratings by the candidate group, of everyone."""

    def compute() -> Assessments:
        rows = read(study.whole, "assessments", measure=measure, group=study.candidate)
        return Assessments(measure, **rows)

    return result(key_of(study.whole, "assessments", measure, study.candidate), compute)


def names(study: Study, column: str) -> NDArray[np.str_]:
    """Return the names of the codes of "item", "rater", "system", "topic", "condition" or "split"."""
    if column not in ("item", "rater") and not study.whole.has(column):
        return np.empty(0, dtype=np.str_)
    rows = (
        query(study.whole, f"{column}_names")
        if column in ("item", "rater")
        else query(study.whole, "labels", column=column)
    )
    found_names: NDArray[np.str_] = rows["name"]
    return found_names


def item_numbers(study: Study, column: str) -> NDArray[np.float64]:
    """Return a further numeric column by item code, NaN where an item has none."""
    rows = query(study.whole, "item_numbers", column=column)
    values = np.full(len(names(study, "item")), np.nan)
    values[rows["item"]] = rows["value"]
    return values


def item_texts(study: Study) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """Return the items' texts and reference texts by item code, "" where there is none."""
    rows = query(study.whole, "item_texts")
    return rows["text"], rows["reference_text"]


def system_kinds(study: Study) -> NDArray[np.str_]:
    """Machine or person, reference, anchor or system, by system code; "" where it is not known.

    Where no kind is known, names tell the controls of a listening test: hidden references and anchors. A system that is
    only called "reference" is one beside an anchor, and one that is called after a low-pass filter is an anchor beside
    a reference.
    """
    if not study.whole.has("system"):
        return np.empty(0, dtype=np.str_)
    return np.asarray(_kinds_by_name(query(study.whole, "system_kinds")), dtype=np.str_)


def _kinds_by_name(rows: Mapping[str, NDArray[np.str_]]) -> list[str]:
    """Return kinds of the systems of the query `system_kinds`, completed by their names."""
    systems: list[str] = rows["system"].tolist()
    kinds: list[str] = rows["kind"].tolist()
    known = {control_of(kind) for kind in kinds}
    by_name = [
        control_of(name) if kind in ("", SYSTEM) else "" for name, kind in zip(systems, kinds, strict=True)
    ]
    if "reference" in known | {*by_name}:
        by_name = [
            control or ("anchor" if kind in ("", SYSTEM) and is_low_pass(name) else "")
            for name, kind, control in zip(systems, kinds, by_name, strict=True)
        ]
    has_hidden = any("hidden" in name.casefold() for name in systems)
    if "anchor" not in known | {*by_name} and not has_hidden:
        return kinds
    return [control or kind or SYSTEM for kind, control in zip(kinds, by_name, strict=True)]


def controls_of(dataset: Dataset, control: str = "") -> list[str]:
    """Return the names of the hidden references and anchors among all saved systems, or of one of these kinds."""
    if dataset.kind != "ratings" or not dataset.has("system"):
        return []
    rows = query(dataset.as_saved, "system_kinds")
    found = zip(rows["system"].tolist(), _kinds_by_name(rows), strict=True)
    return [name for name, kind in found if (control_of(kind) == control if control else control_of(kind))]


def mid_range_anchors(dataset: Dataset) -> list[str]:
    """Return the names of the anchors whose name or kind says middle or 7 kHz, among all saved systems."""
    anchors = controls_of(dataset, "anchor")
    if not anchors:
        return []
    rows = query(dataset.as_saved, "system_kinds")
    kinds = dict(zip(rows["system"].tolist(), rows["kind"].tolist(), strict=True))
    return [name for name in anchors if is_mid_range(name) or is_mid_range(kinds[name])]


def without_controls(dataset: Dataset) -> Dataset:
    """Return a view without the items of hidden references and anchors, where two other systems are left.

    Their scores are known beforehand: the spread between them and the systems under test would raise reliabilities and
    correlations. A view of chosen systems stays as it is.
    """
    controls = controls_of(dataset)
    chosen = any(one.column == "system" for one in dataset.only)
    if chosen or not controls or len(query(dataset.as_saved, "system_kinds")["system"]) - len(controls) < 2:
        return dataset
    return dataset.keeping((*dataset.only, Filter("system", tuple(controls), excludes=True)))


def with_controls(study: Study) -> Study:
    """Return the study with the hidden references and anchors that `without_controls` leaves out."""
    whole, dataset = (
        each.keeping(tuple(one for one in each.only if not one.excludes))
        for each in (study.whole, study.dataset)
    )
    return replace(study, whole=whole, dataset=dataset)


SYSTEM = "system"
"""Kind of a system that is no control."""
SAMPLE_PYRAMIDS = {"sample-assessors": "sample-assessors-pyramid"}
"""Contributors of a built-in study, by its key."""
_CLOSED = BootstrapSpec(draws=0)


def shares_items(study: Dataset, dataset: Dataset) -> bool:
    """Return True where a data set has any of the items of another."""

    def shares() -> bool:
        return bool(np.isin(*(query(one, "item_names")["name"] for one in (dataset, study))).any())

    return result(key_of(study, "shares items", dataset.sha256), shares)


def shares_systems(study: Dataset, dataset: Dataset) -> bool:
    """Return True where a data set compares at least two of the systems that rated items are of."""
    if not study.has("system") or not dataset.has("option_a"):
        return False

    def shares() -> bool:
        systems = query(study, "labels", column="system")["name"]
        return int(np.isin(query(dataset, "options")["name"], systems).sum()) > 1

    return result(key_of(study, "shares systems", dataset.sha256), shares)


def _pyramid_key(study: Study, contributors: Dataset, *parts: object) -> str:
    return key_of(study.whole, "pyramid", contributors.sha256, study.candidate, *parts)


def score_pyramid(study: Study, contributors: Dataset) -> PyramidScores | None:
    """Return both scores of every summary, None while stopped; raise `InputError` for unreadable contributors."""
    return long_result(
        _pyramid_key(study, contributors),
        "Looking for contributors in the texts",
        lambda on_progress: _score(study, contributors, on_progress),
    )


def _score(study: Study, contributors: Dataset, on_progress: Callable[[float], object]) -> PyramidScores:
    rows = query(contributors, "contributors")
    marked = Contributors(
        **{name: rows[name] for name in ("topic", "item", "scu", "text", "weight", "condition", "is_model")},
        rater=rows["rater"] if contributors.has("rater_id") else _sole_raters(study, rows["item"]),
    )
    texts = dict(zip(names(study, "item").tolist(), item_texts(study)[0].tolist(), strict=True))
    return pyramid_scores(marked, texts, _places(study, contributors.has("condition")), on_progress)


def pyramid_differences(
    study: Study, contributors: Dataset, scores: PyramidScores, bootstrap: BootstrapSpec
) -> AssessorDifferences:
    """Return mP - aP of each rater."""
    return result(
        _pyramid_key(study, contributors, bootstrap), lambda: difference_by_assessor(scores, bootstrap)
    )


def difference_values(study: Study, contributors: Dataset) -> NDArray[np.float64]:
    """Return mP - aP by rater code, NaN where it is not known."""
    found = result(_pyramid_key(study, contributors), lambda: _score(study, contributors, lambda _: None))
    of_each = pyramid_differences(study, contributors, found, _CLOSED)
    value = {
        name: estimate.value
        for name, estimate in zip(of_each.raters.tolist(), of_each.difference, strict=True)
    }
    return np.array([value.get(name, np.nan) for name in names(study, "rater").tolist()])


def _places(study: Study, by_condition: bool) -> dict[str, tuple[str, str]]:
    """Return topic and condition ("" for none) of each item whose topic is known, by names."""
    judged = assessments(study, study.all_measures[0])
    items = names(study, "item").tolist()
    topics = [*names(study, "topic").tolist(), ""]
    conditions = [*names(study, "condition").tolist(), ""]
    return {
        items[item]: (topics[topic], conditions[condition] if by_condition else "")
        for item, topic, condition in zip(
            judged.item.tolist(), judged.topic.tolist(), judged.condition.tolist(), strict=True
        )
        if topic >= 0
    }


def _sole_raters(study: Study, marked: NDArray[np.str_]) -> NDArray[np.str_]:
    """Return the only rater of each of these items, "" where there is none or several."""
    items, raters = names(study, "item").tolist(), [*names(study, "rater").tolist(), ""]
    sole = assessments(study, study.all_measures[0]).sole_raters(len(items)).tolist()
    rater_of = {item: raters[rater] for item, rater in zip(items, sole, strict=True)}
    return np.array([rater_of.get(item, "") for item in marked.tolist()], dtype=np.str_)


HARDLY_ANY = 0.2
"""Upper end of an interval that holds 0 up to which it shows that raters hardly agree."""
Known = dict[int, int] | None


def of_group(study: Study, measure: str, group: str, scope: Scope | None = None) -> AgreementSummary:
    """Return the agreement of one group on one measure."""
    study = study.between_raters
    return result(
        key_of(study.dataset, "agreement summary", measure, group, scope),
        lambda: _summarize_group(study, measure, group, scope),
    )


def fewest_raters(study: Study, *groups: str | None) -> int:
    """Return the number of raters of the chosen measure and the group with the fewest; 0 without a rating."""
    cells = query(study.between_raters.dataset, "cells")
    here = np.isin(cells["group"], [group for group in groups if group is not None])
    here &= np.isin(cells["measure"], study.measures)
    return int(cells["raters"][here].min(initial=np.iinfo(np.int64).max)) if here.any() else 0


def clusters_of_items(study: Study) -> tuple[Known, Known]:
    """Return the system and the topic of each item that has one, by the item's code; None without such a column."""
    rows = query(study.dataset, "belonging")
    found: list[Known] = []
    for column in ("system", "topic"):
        has = rows[column] >= 0
        pairs = zip(rows["item"][has].tolist(), rows[column][has].tolist(), strict=True)
        found.append(dict(pairs) if study.dataset.has(column) else None)
    return found[0], found[1]


def _summarize_group(study: Study, measure: str, group: str, scope: Scope | None) -> AgreementSummary:
    parameters = {"measure": measure, "group": group}
    items = query(study.dataset, "unit_sums", **parameters)
    count, total, squares = items["count"], items["total"], items["squares"]
    scores = query(study.dataset, "score_counts", measure=measure)
    if int((scores["group"] == group).sum()) == 1:  # what is left of their distances is rounding
        total, squares = np.zeros(len(total)), np.zeros(len(squares))
    raters = len(read(study.dataset, "cell_raters", **parameters)["rater"])
    clusters = NO_CLUSTERS
    if study.dataset.has("system") or study.dataset.has("topic"):
        rows = query(study.dataset, "belonging")
        of = (rows[column] if study.dataset.has(column) else None for column in ("system", "topic"))
        clusters = Clusters.from_codes(items["item"], rows["item"], *of)
    centered = None
    if study.raters_are_persons and is_crossed(count, raters):
        rows = read(study.dataset, "centered_sums", **parameters)
        centered = rows["count"], rows["total"], rows["squares"]
    found = summary_for_these_raters(count, total, squares, raters, clusters, centered)
    if chosen_scope(scope, raters, study.raters_are_persons) == THESE or not raters:
        return found
    if len(count) < 2 * MOST_SAMPLED_ITEMS:
        rated = unordered_ratings(study.dataset, measure, group)
        alpha = _alpha_for_others(rated, items["item"], clusters, found.alpha)
        return summary_for_others(found, alpha, rated, clusters)
    some = ratings(study.dataset, measure, group, max_items=MOST_SAMPLED_ITEMS)
    taken = np.isin(items["item"], some.item)
    of_some = clusters.select(taken)
    alpha = _alpha_for_others(some, items["item"][taken], of_some)
    return summary_for_others(found, transfer_interval(found.alpha, alpha), some, of_some)


def _alpha_for_others(
    rated: Ratings, items: NDArray[np.int64], clusters: Clusters, these: Estimate | None = None
) -> Estimate:
    item = np.searchsorted(items, rated.item)
    here = np.bincount(rated.rater) > 0
    rater = (np.cumsum(here) - 1)[rated.rater]
    return alpha_over_raters(item, rater, rated.score, clusters, alpha=these)


Subset = tuple[str, str] | None
"""A rater attribute and the value to keep, or nothing."""


def item_pairs(study: Study, measure: str, subset: Subset = None) -> ItemPairs:
    """Return the sums per item of candidate and reference."""
    if study.reference_column is not None:
        return _against_column(study, measure, subset)[0]
    return ItemPairs(**query(study.dataset, "item_pairs", **_query_parameters(study, measure, subset)))


def candidate_pairs(study: Study, measure: str) -> ItemPairs:
    """Return the sums per item of the candidate alone; the reference's columns are empty."""
    return ItemPairs(**query(study.dataset, "item_pairs", measure=measure, candidate=study.candidate))


def column_values(study: Study, column: str) -> dict[Any, float]:
    """Return a numeric column of the items, value by item."""
    rows = query(study.dataset, "item_numbers", column=column)
    return dict(zip(rows["item"].tolist(), rows["value"].tolist(), strict=True))


def _against_column(study: Study, measure: str, subset: Subset) -> tuple[ItemPairs, RaterInfluence]:
    assert study.reference_column is not None
    values = column_values(study, study.reference_column)
    candidate = ratings(study.dataset, measure, study.candidate, **subset_parameters(subset))
    return result(
        key_of(study.dataset, "pairs with column", measure, study.candidate, study.reference_column, subset),
        lambda: summarize_pairs(candidate, values),
    )


def rater_pulls(study: Study, measure: str, subset: Subset) -> RaterInfluence:
    """Return the sums per rater that the variance of a difference of levels needs."""
    if study.reference_column is not None:
        return _against_column(study, measure, subset)[1]
    parameters = _query_parameters(study, measure, subset)

    def compute() -> RaterInfluence:
        rows = read(study.dataset, "comparison", **parameters)
        return RaterInfluence(**{name: rows[name] for name in RaterInfluence.__dataclass_fields__})

    return result(key_of(study.dataset, "pulls", sorted(parameters.items())), compute)


def is_large(study: Study, measure: str, subset: Subset) -> bool:
    """Return True where more items are shared than single ratings are read for."""
    if not has_many_items(study, measure, study.candidate):
        return False
    return len(item_pairs(study, measure, subset).shared().item) > LARGEST_BOOTSTRAP


def has_many_items(study: Study, measure: str, group: str) -> bool:
    """Return True where a group rated more items than single ratings are read for."""
    cells = query(study.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == group)
    return bool(cells["items"][here].sum() > LARGEST_BOOTSTRAP)


def _query_parameters(study: Study, measure: str, subset: Subset) -> dict[str, Any]:
    parameters = {"measure": measure, "candidate": study.candidate, **subset_parameters(subset)}
    return parameters | ({"reference": study.reference} if study.reference else {})


def subset_parameters(subset: Subset) -> dict[str, str]:
    return {} if subset is None else {"attribute": subset[0], "value": subset[1]}


def is_pairs(study: Study) -> bool:
    """True where systems were compared in pairs; otherwise labels were given."""
    return study.whole.has("option_a", "option_b")


def polls(study: Study) -> tuple[Poll, ...]:
    """Return every pair of systems under every design, or all labels as one."""
    return result(key_of(study.dataset, "polls", study.candidate), lambda: _polls(study))


def pooled(study: Study) -> tuple[Poll, Codes]:
    """Return all polls as one, and each item's poll."""
    return result(
        key_of(study.dataset, "pooled", study.candidate),
        lambda: polls_module.pool_polls(polls(study), query(study.dataset, "rater_names")["name"]),
    )


def ranked(study: Study) -> RankedOptions:
    return result(key_of(study.dataset, "ranked options", study.candidate), lambda: _ranked(study))


def _ranked(study: Study) -> RankedOptions:
    chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
    rows = query(study.dataset, "rankings", **chosen)
    options = query(study.dataset, "ranked_options")["name"]
    there, code = np.unique(rows["option"], return_inverse=True)
    of_tuples = study.whole.mapping.get("@form") == ENDS
    columns = (rows[name] for name in ("item", "rater", "rank", "position"))
    task, rater, rank, position = columns
    return RankedOptions(task, rater, code, rank, position, options[there], of_tuples)


def count_compared_systems(study: Study) -> int:
    return len({system for poll in polls(study) for system in (poll.first, poll.second)})


def by_design(study: Study) -> tuple[Poll, ...]:
    """Return the polls, labels too by the design that they were given under."""
    if is_pairs(study) or not study.whole.has("design"):
        return polls(study)
    return result(
        key_of(study.dataset, "labels by design", study.candidate), lambda: _labels_by_design(study)
    )


def _merged(study: Study, found: tuple[Poll, ...]) -> tuple[Poll, ...]:
    """Return the polls with one vote per rater and item where the view merges repeats."""
    merge = study.dataset.merged
    return found if merge is None else tuple(poll.merge_repeated_votes(merge) for poll in found)


def _labels_by_design(study: Study) -> tuple[Poll, ...]:
    choices, labels, items, raters = _choices(study)
    made = []
    for code, name in enumerate(query(study.dataset, "designs")["name"].tolist()):
        part = {column: values[choices["design"] == code] for column, values in choices.items()}
        made += [
            replace(poll, name=name, design=name)
            for poll in polls_module.polls_from_labels(part, labels, items, raters)
        ]
    return _merged(study, tuple(made))


def _polls(study: Study) -> tuple[Poll, ...]:
    choices, labels, items, raters = _choices(study)
    if not is_pairs(study):
        return _merged(study, polls_module.polls_from_labels(choices, labels, items, raters))
    systems = query(study.dataset, "options")["name"].tolist()
    designs = query(study.dataset, "designs")["name"].tolist()
    return _merged(study, polls_module.polls_from_pairs(choices, systems, designs, items, raters))


def _choices(study: Study) -> tuple[Choices, list[str], Names, Names]:
    """Return the rows, and the names of labels, items and raters by code."""
    chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
    labels = [] if is_pairs(study) else query(study.dataset, "answers")["name"].tolist()
    return (
        query(study.dataset, "choices", **chosen),
        labels,
        query(study.dataset, "item_names")["name"],
        query(study.dataset, "rater_names")["name"],
    )


def questions_of(study: Study) -> tuple[str, ...]:
    """Return the questions that were answered by sets of labels; one without a name where there is no such column."""
    return tuple(query(study.whole, "questions")["name"].tolist()) or ("",)


def labeled(study: Study, question: str = "") -> Labeled:
    """Return the sets of a question, by default the first one, of the candidate group or of all."""
    question = question or questions_of(study)[0]
    key = key_of(study.dataset, "sets of labels", study.candidate, question)
    return result(key, lambda: _labeled(study, question))


def _labeled(study: Study, question: str) -> Labeled:
    chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
    rows = query(study.dataset, "label_sets", **chosen)
    is_of_question = np.ones(len(rows["item"]), dtype=np.bool_)
    if question:
        is_of_question = rows["design"] == query(study.dataset, "questions")["name"].tolist().index(question)
    item, rater, answered, gold = (rows[name][is_of_question] for name in ("item", "rater", "labels", "gold"))
    codes = np.unique(np.concatenate([answered, gold[gold >= 0]]))
    names = query(study.dataset, "different_sets")["name"]
    sets = [labels_in(name) for name in names[codes].tolist()]
    labels = tuple(sorted({label for one in sets for label in one}))
    if len(sets) * len(labels) > MOST_CELLS:
        none = np.zeros(0, dtype=np.int64)
        nothing = LabelSets(none, none, none, np.zeros((0, 0), dtype=np.bool_), ())
        return Labeled(question, nothing, np.zeros((0, 0), dtype=np.bool_), none, True)
    at = {label: place for place, label in enumerate(labels)}
    member = np.zeros((len(sets), len(labels)), np.bool_)
    for row, one in enumerate(sets):
        member[row, [at[label] for label in one]] = True
    order = np.lexsort((np.arange(len(item)), item))
    items, first = np.unique(item[order][gold[order] >= 0], return_index=True)
    known = member[np.searchsorted(codes, gold[order][gold[order] >= 0][first])]
    return Labeled(
        question, LabelSets(item, rater, np.searchsorted(codes, answered), member, labels), known, items
    )
