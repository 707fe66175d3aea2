"""Ids that are made of several parts: doc_7__sysB__coherence is what sysB made of doc_7, judged by its coherence."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.kinds.likely_names import MEASURES

_SEPARATORS = ("__", "||", "::", "|", "/", "#", ":")
_MOST_VALUES, _MOST_ASPECTS, _LEAST_OF_EACH = 50, 10, 10
_NO_SYSTEM = re.compile(
    r"(?i).*\.[a-z]\w{1,4}|([a-z]|page|seg|segment|sent|sentence|line|turn|part|clip|utt|utterance|chunk|item|text|"
    r"question)?[ _-]?\d+"
)
_QUESTION = re.compile(r"(?i)(q|question|item)[ _-]?\d+")
_FULL = 0.8
"""Share of the combinations of its parts that ids of one study have."""


@dataclass(frozen=True)
class SplitIds:
    """The parts of ids: the item, its topic, system and measure; those that ids do not tell are left out."""

    separator: str
    roles: tuple[str, ...]

    def parts_of(self, id: str) -> Mapping[str, str]:
        """Return the parts of an id by role; the item is all but the measure."""
        parts = id.split(self.separator)
        told = dict(zip(self.roles, parts, strict=True))
        item = [part for role, part in zip(self.roles, parts, strict=True) if role != "measure"]
        return {**told, "item": self.separator.join(item)}


def split_ids(ids: Iterable[str]) -> SplitIds | None:
    """Return how ids are made of a topic, a system and a measure; None for ids that are not.

    All must have as many parts, of which the last ones take the same few values for every first part. Two parts are
    topic and measure only where words say so, else topic and system; numbered parts are no measures.

    >>> split_ids(f"d{d}__{s}__{m}" for d in range(3) for s in "AB" for m in ("fluency", "focus")).roles
    ('topic', 'system', 'measure')
    >>> split_ids(["a_1", "a_2", "b_1"])
    """
    different = list(dict.fromkeys(ids))
    for separator in _SEPARATORS:
        split = [id.split(separator) for id in different]
        width = len(split[0]) if split else 0
        if width not in (2, 3) or any(len(parts) != width or not all(parts) for parts in split):
            continue
        values = [set(column) for column in zip(*split, strict=True)]
        if width == 2 and _are_aspects([parts[0] for parts in split], [parts[1] for parts in split]):
            return SplitIds(separator, ("topic", "measure"))
        crossed = 1
        for each in values:
            crossed *= len(each)
        if (
            len(values[0]) < 2
            or any(not 2 <= len(each) <= min(_MOST_VALUES, len(different) // 2) for each in values[1:])
            or len(different) < _FULL * crossed
        ):
            continue
        measures = [at for at, each in enumerate(values) if at and _are_measures(each)]
        if width == 2:
            return SplitIds(separator, ("topic", "measure" if measures else "system"))
        at = measures[0] if measures else 2
        if measures or _are_words(values[2]) or _are_questions(values[2]):
            return SplitIds(
                separator, ("topic", "system", "measure") if at == 2 else ("topic", "measure", "system")
            )
    return None


def _are_measures(values: Iterable[str]) -> bool:
    words = [re.sub(r"[\W_]+", " ", value).casefold().split() for value in values]
    return sum(bool(set(each) & MEASURES) for each in words) >= len(words) / 2


def _are_aspects(firsts: Sequence[str], lasts: Sequence[str]) -> bool:
    """Return True where a few plain words come again and again, and several of them with some of the first parts."""
    words = Counter(lasts)
    return (
        1 < len(words) <= _MOST_ASPECTS
        and min(words.values()) >= _LEAST_OF_EACH
        and all(word.isalpha() and word.islower() for word in words)
        and len(set(firsts)) < len(firsts)
    )


def may_be_systems(values: Iterable[str]) -> bool:
    """Return True unless the values are file names, numbers, or numbered parts of a text such as page 2."""
    return not any(_NO_SYSTEM.fullmatch(value) for value in values)


def _are_questions(values: Iterable[str]) -> bool:
    """Return True for Q1, Q2 and further."""
    return all(_QUESTION.fullmatch(value) for value in values)


def _are_words(values: Iterable[str]) -> bool:
    """Return True where no value numbers a part: s1, page 2."""
    return all(len(value) > 2 and not any(map(str.isdigit, value)) for value in values)
