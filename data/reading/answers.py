"""Columns of ratings or labels in a table with a row for each item and rater."""

from collections.abc import Mapping, Sequence

from data.kinds.choices import CHOICES
from data.kinds.foreign_names import FOREIGN
from data.kinds.kind import Kind
from data.kinds.likely_names import ITEM_PARTS, STRICT, is_abbreviation, look_like_measures
from data.kinds.ratings import RATINGS
from data.mapping.values import SAID
from data.reading.columns import MOST_LABELS, Column
from data.reading.item_key import UNIQUE
from data.reading.profile import TableProfile, is_constant_within, reserved_places, share_told_apart
from data.reading.scales import SHORT_NAME, may_be_answer, share_scale

_LABELS = frozenset(("choice", "label", "answer", "preference", *FOREIGN["choice"]))
"""Names of columns that hold labels, in which numbers may be classes and no scale."""


def find_answers(table: TableProfile, kind: Kind, roles: Mapping[str, Column], rater: Column) -> list[Column]:
    """Return the columns of ratings, or of labels, that differ within raters."""
    named = roles.get(kind.cells)
    reserved = reserved_places(roles) | {rater.at, *([roles["item_id"].at] if "item_id" in roles else [])}
    if kind is CHOICES:
        are_rated = any(one.may_be_scale and look_like_measures([one.name]) > 0 for one in table.columns)
        return [] if are_rated and named is None else _labels(table, named, reserved, rater)
    able = [
        one
        for one in table.columns
        if one.may_be_scale
        and one.at not in reserved
        and (one is named or may_be_answer(one))
        and (one is named or one.is_constant or not is_constant_within(one, (rater,)))
    ]
    if named is not None and named not in able and named.holds in ("numbers", "words"):
        able = [named, *able]
    able = _with_abbreviations(able, table, reserved, rater)
    varying = [one for one in able if one is named or not one.is_constant]
    able = [one for one in able if one in varying or _is_constant_measure(one, varying)]
    if named is not None:
        sisters = [one for one in able if one is not named and _is_sister(one, named)]
        if 2 * sum(look_like_measures([one.name]) > 0 for one in sisters) < len(sisters):
            sisters = []
        return [one for one in able if one is named or one in sisters]
    judged = [one for one in able if look_like_measures([one.name]) > 0]
    if len(judged) > 1 and len({one.name[:SHORT_NAME] for one in judged}) == 1:
        return judged
    if judged:
        return [one for one in able if one in judged or is_on_scale_of(one, judged)]
    stepped = [one for one in able if one.holds == "words" or one.in_steps] or able
    best: list[Column] = []
    for first in stepped:
        alike = [one for one in stepped if one is first or share_scale(one, first)]
        best = alike if len(alike) > len(best) else best
    return best if len(best) == len(stepped) else []


def _labels(table: TableProfile, named: Column | None, reserved: set[int], rater: Column) -> list[Column]:
    """Return the columns of labels that differ within raters: the one that is called so, else all."""
    if named is not None and named.plain in SAID:
        return []  # ratings in words that are not all known
    if named is not None:
        is_label = named.holds in ("labels", "words") or (
            named.holds == "numbers" and len(named.values) <= MOST_LABELS
        )
        return [named] if is_label and not is_constant_within(named, (rater,)) else []
    reserved = reserved | reserved_places(table.roles(RATINGS))
    able = [
        one
        for one in table.columns
        if (one.holds == "labels" or of_same_classes(table, one))
        and one.at not in reserved
        and one.plain not in ITEM_PARTS
        and share_told_apart((one, rater, *table.parts)) < UNIQUE
        and (one.is_constant or not is_constant_within(one, (rater,)))
    ]
    return [
        one
        for one in able
        if (one.is_full and not one.is_constant)
        or any(one.values & other.values and not other.is_constant for other in able if other is not one)
    ]


def of_same_classes(table: TableProfile, answer: Column) -> list[Column]:
    """Return the columns of the same whole numbers as the answers in a table without a header, where they may be true
    classes."""
    if table.sniffed.header or answer.holds != "numbers" or len(answer.values) > MOST_LABELS:
        return []
    return [
        one
        for one in table.columns
        if one is not answer and one.is_full and one.values <= answer.values and len(one.values) > 1
    ]


def are_classes(table: TableProfile, answer: Column) -> bool:
    """Return True where numbers are called a label and count from 0, or are the two values of a gold answer."""
    if answer.holds != "numbers" or answer.plain not in _LABELS:
        return False
    gold = table.roles(CHOICES).get("gold")
    is_told = gold is not None and gold.points == answer.points and len(answer.points) == 2
    return is_told or answer.points == set(range(len(answer.points)))


def others_may_be_rated(
    table: TableProfile, roles: Mapping[str, Column], answers: Sequence[Column], keys: Sequence[Column]
) -> bool:
    """Return True where further columns differ within items and raters as ratings do, by their values alone."""
    taken = reserved_places(roles) | {one.at for one in (*answers, *keys)}
    return any(
        one.at not in taken
        and one.may_be_scale
        and not one.is_constant
        and one.in_steps == answers[0].in_steps
        and not is_constant_within(one, keys[:1])
        and not is_constant_within(one, keys[1:])
        for one in table.columns
    )


def _is_constant_measure(one: Column, others: Sequence[Column]) -> bool:
    """Return True where a measure got the same score every time, on the scale of the others."""
    scales = [other.points for other in others if other.points]
    return (
        look_like_measures([one.name]) > 0
        and bool(one.points)
        and any(min(points) <= one.numbers[0] <= max(points) for points in scales)
    )


def _with_abbreviations(
    able: list[Column], table: TableProfile, reserved: set[int], rater: Column
) -> list[Column]:
    """Return the answers with columns such as NR, non-redundancy, among OQ, GR and FO on the same scale."""
    short = [one for one in able if is_abbreviation(one.name) and not one.is_constant]
    return [
        one
        for one in table.columns
        if one in able
        or (
            len(short) > 1
            and is_abbreviation(one.name)
            and one.may_be_scale
            and one.at not in reserved
            and all(share_scale(one, other) for other in short)
            and not is_constant_within(one, (rater,))
        )
    ]


def _is_sister(one: Column, named: Column) -> bool:
    """Return True where a column stands beside the one that is called the rating as a further measure."""
    if look_like_measures([one.name]) > 0:
        return named.plain not in STRICT or share_scale(one, named)
    return named.plain not in STRICT and share_scale(one, named) and (one.in_steps or one.holds == "words")


def is_on_scale_of(one: Column, others: Sequence[Column]) -> bool:
    return any(share_scale(one, other) for other in others) and (one.in_steps or one.holds == "words")


def mapping_of_answers(kind: Kind, answers: Sequence[Column]) -> dict[str, str | tuple[str, ...]]:
    if len(answers) == 1:
        return {kind.cells: answers[0].name}
    return {kind.cells: tuple(one.name for one in answers), "@form": "measure columns"}
