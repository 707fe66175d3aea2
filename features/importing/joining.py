"""Sentences of the Data page on a second file: names that match those of the data set, and names that do not."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.comprehension.answer_levels import FIGURES, SUMMED
from analysis.resampling.influence import (
    InfluenceValues,
    average_influence,
    influence_from_leave_one_out,
    influence_of_mean,
    influence_of_ratio,
)
from analysis.systems.preference import MAJORITY, PCCH, PreferenceSpec, leave_one_out_shares
from analysis.values.estimate import Estimate, shorten, thousands
from analysis.workers import polls as polls_module
from analysis.workers.polls import Poll
from data.joining.matching import Matching
from data.joining.table import Joined
from data.kinds.definitions import KINDS, kind_named
from data.kinds.kind import Kind
from features.assessments import count_compared_systems, is_pairs, polls
from features.comprehension import results as comprehension
from features.comprehension.findings import FIGURE_NAMES
from features.plotting.theme import count
from features.relevance.agreement_results import names, sides_at_once
from features.study import Study, key_of, result
from features.systems.labels_results import ClassesSpec, KnownSpec, compare_methods, count_classes
from features.systems.pairs_results import preview_shares
from features.systems.scale_results import ScaleSpec, scale_of
from features.words import Sentence, counted, listed, of_many

SHOWN = 3
"""Examples of names in a sentence."""


def verdict(joined: Joined, added: Sequence[str]) -> Sentence:
    """Return what the data set gains; `told` are the columns that the file adds."""
    addition = kind_named(joined.added_as)
    if joined.added_as == joined.kind:
        return (
            "<b>{rows}</b> are added; the new version has {kept} that count.",
            {"rows": of_many(joined.addition.kept, addition.rows), "kept": count(joined.report.kept)},
        )
    found = joined.matching[0]
    values = {
        "told": listed(added, 6),
        "both": count(found.both),
        "own": of_many(found.own, addition.rows),
    }
    return "<b>{told}</b> for {both} of {own}.", values


def remarks(joined: Joined) -> list[Sentence]:
    """Return remarks on unmatched names with examples, nearly equal names, and values that are replaced."""
    addition = kind_named(joined.added_as)
    rows = joined.added_as == joined.kind
    sentences: list[Sentence] = []
    for found in joined.matching:
        many = _plural_of_names(found, addition)
        sentences += _of_rows(found, many) if rows else _of_names(found, addition)
        if found.alike:
            pairs = "; ".join(
                f"{shorten(theirs, 40)!r} and {shorten(ours, 40)!r}" for theirs, ours in found.pairs[:SHOWN]
            )
            text = (
                "{names} of the file would match but for case, white space or zeros: {pairs}. They are not taken for "
                "the same; where they are, correct the file."
            )
            sentences.append((text, {"names": of_many(found.alike, many), "pairs": pairs}))
    text = "{column} says something else than before in {rows}; the new version has what the file says."
    for column, number in joined.changed.items():
        if number:
            sentences.append((text, {"column": column, "rows": counted(number, "row")}))
    for column, reason, number in joined.addition.reasons:
        where = f"{column}: " if column else ""
        sentences.append(
            ("{rows} of the file set aside: {why}.", {"rows": counted(number, "row"), "why": where + reason})
        )
    return sentences


def _plural_of_names(found: Matching, addition: Kind) -> str:
    """Return what the names are of: items, raters."""
    if addition.name not in KINDS:
        return addition.rows
    (name,) = found.key
    if name == addition.rater:
        return addition.raters
    column = addition.column(name)
    return addition.items if addition.item == (name,) or column is None else f"{column.called}s"


def _of_names(found: Matching, addition: Kind) -> list[Sentence]:
    sentences: list[Sentence] = []
    unknown, without = found.new - found.both, found.own - found.both
    if unknown:
        values = {
            "rows": counted(unknown, "row"),
            "name": "names" if unknown == 1 else "name",
            "one": addition.row,
            "examples": _examples(found.new_only, unknown),
        }
        sentences.append(("{rows} of the file {name} no {one} of this data set: {examples}.", values))
    if without:
        values = {
            "names": of_many(without, addition.rows),
            "have": "has" if without == 1 else "have",
            "examples": _examples(found.own_only, without),
        }
        sentences.append(("{names} of the data set {have} no row in the file: {examples}.", values))
    return sentences


def _of_rows(found: Matching, many: str) -> list[Sentence]:
    new = found.new - found.both
    values = {
        "both": count(found.both),
        "names": of_many(found.new, many),
        "new": f"; new: {_examples(found.new_only, new)}" if new else "",
    }
    return [("{both} of the file's {names} are in the data set already{new}.", values)]


def _examples(names: Sequence[str], of: int) -> str:
    short = [shorten(name, 40) for name in names[:SHOWN]]
    return ", ".join(short) + (f" and {thousands(of - len(short))} more" if of > len(short) else "")


QUICK = PreferenceSpec(draws=0)
ON_SCALE = "all systems share one scale, so that no item moves one of them alone"


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure and what its units pull it by; without these, `why`."""

    estimate: Estimate
    pulls: InfluenceValues | None = None
    why: str = ""


Figures = Mapping[str, Figure]


def shares_in(study: Study) -> Figures:
    """Return the shares of a study of choices, answers or judgments by name; none for other kinds."""
    return _OF_KIND[study.whole.kind](study) if study.whole.kind in _OF_KIND else {}


def units_of(kind: str) -> str:
    """Return what the figures of a kind are based on, in the plural."""
    return {"comprehension": "stories", "relevance": "events"}.get(kind, "items")


def _of_choices(study: Study) -> Figures:
    if is_pairs(study):
        return _of_pairs(study, polls(study.between_raters))
    return _of_labels(study, polls(study))


def _of_pairs(study: Study, there: Sequence[Poll]) -> Figures:
    """Return each pair's share by two methods, and the chance of each of more than two systems on one scale."""
    found: dict[str, Figure] = {}
    for poll in there:
        shares = preview_shares(study, poll, QUICK).shares
        assert poll.lists is not None
        left = result(
            key_of(study.dataset, "shares without each item", study.candidate, poll.name),
            partial(leave_one_out_shares, poll.votes, poll.lists, QUICK, (PCCH, MAJORITY)),
        )
        found |= {
            f"{poll.first}: {poll.name}, by {method}": Figure(
                shares[method], influence_from_leave_one_out(poll.item_names, *left[method])
            )
            for method in (PCCH, MAJORITY)
        }
    if count_compared_systems(study) > 2:
        scale = scale_of(study, ScaleSpec())
        found |= {
            f"{system}: on one scale (Bradley-Terry)": Figure(Estimate(chance, reason=reason), why=ON_SCALE)
            for system, chance, reason in zip(
                scale.systems.tolist(), scale.chance.tolist(), scale.reasons, strict=True
            )
        }
    return found


def _of_labels(study: Study, there: Sequence[Poll]) -> Figures:
    """Return how common each class is, and where answers are known how often each method is right."""
    found: dict[str, Figure] = {}
    for poll in there:
        shares = count_classes(study, ClassesSpec()).shares
        of_items = polls_module.shares(poll.votes)
        found |= {
            f"{name}: of an item's votes": Figure(e, influence_of_mean(poll.item_names, of_items[:, at]))
            for at, (name, e) in enumerate(zip(poll.options, shares.share, strict=True))
        }
        if (poll.gold >= 0).any():
            right = compare_methods(study, KnownSpec())
            found |= {
                f"{method}: items labelled right": Figure(e, _known(poll, right.labels[method].right))
                for method, e in right.accuracy.items()
            }
    return found


def _known(poll: Poll, right: NDArray[np.float64]) -> InfluenceValues:
    known = ~np.isnan(right)
    return influence_of_mean(poll.item_names[known], right[known])


def _of_answers(study: Study) -> Figures:
    shared = comprehension.shares_at_once(study, comprehension.AnswersSpec())
    given = comprehension.read_answers(study).without_machines(shared.machines).to_others
    story = np.asarray(comprehension.names(study, "story"))[given.story]
    judges = [given.judge_index == judge for judge in np.unique(given.judge_index)]

    def pulls(of: NDArray[np.float64]) -> InfluenceValues:
        hits = of[given.answer]
        return average_influence(
            [influence_of_ratio(story[mine], hits[mine], np.ones(mine.sum())) for mine in judges]
        )

    return {
        f"answers {FIGURE_NAMES[figure]}": Figure(
            shared.shown.overall.of(0)[figure], pulls(SUMMED[at]) if judges else None
        )
        for at, figure in enumerate(FIGURES)
    }


def _of_judgments(study: Study) -> Figures:
    """Return how often judgments of each surrogate are right, by what they are compared with."""
    found = sides_at_once(study)
    main, event = found.main, names(study, "event")
    judged = main.judged

    def pulls(side: str, surrogate: int) -> InfluenceValues:
        truth = main.truth(side)
        here = (judged.surrogate == surrogate) & ~np.isnan(truth)
        right = judged.judgment[here] == truth[here]
        return influence_of_ratio(event[judged.event[here]], right, np.ones(here.sum()))

    return {
        f"{main.surrogates.names[at]}: accuracy, {side}": Figure(agreements[at].accuracy, pulls(side, at))
        for side, agreements in found.sides
        for at in main.surrogates.present
    }


_OF_KIND: Mapping[str, Callable[[Study], Figures]] = {
    "choices": _of_choices,
    "comprehension": _of_answers,
    "relevance": _of_judgments,
}
