"""Sentences before they are shown: a template of ours, and values from data that are escaped when it is filled."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape

from charts.parts.numbers import count
from features.blocks import Text

Sentence = Text


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence, the first few of them.

    >>> listed(["focus", "grammar"]), listed(list("abcdef"))
    ('focus and grammar', 'a, b, c, d and 2 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def told_apart(named: Mapping[str, str]) -> dict[str, str]:
    """Labels for a select box, which cannot tell equal ones apart: names that come again get a number.

    >>> told_apart({"x": "study", "y": "study", "z": "study (2)"})
    {'x': 'study', 'y': 'study (2)', 'z': 'study (2) (2)'}
    """
    labels: dict[str, str] = {}
    for key, name in named.items():
        label, number = name, 1
        while label in labels.values():
            number += 1
            label = f"{name} ({number})"
        labels[key] = label
    return labels


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its word.

    >>> counted(1, "story", "stories"), counted(3, "judge")
    ('1 story', '3 judges')
    """
    return f"{count(number)} {one if number == 1 else several or one + 's'}"


def throughout(told: int, number: int, several: str) -> str:
    """On how many of so many something is told.

    >>> throughout(2, 2, "measures"), throughout(5, 5, "groups"), throughout(3, 4, "measures")
    ('both measures', 'all 5 groups', '3 of 4 measures')
    """
    if told < number:
        return f"{count(told)} of {count(number)} {several}"
    return f"both {several}" if number == 2 else f"all {count(number)} {several}"


def of_many(number: float, several: str) -> str:
    """A number with a word given for many.

    >>> of_many(1, "stories"), of_many(2, "items"), of_many(1, "choices")
    ('1 story', '2 items', '1 choice')
    """
    one = several[:-3] + "y" if several.endswith("ies") else several.removesuffix("s")
    return f"{count(number)} {one if number == 1 else several}"


def reasons(why: Iterable[str]) -> list[Sentence]:
    """Reasons as sentences of their own, each once."""
    return [("{why}.", {"why": reason[:1].upper() + reason[1:]}) for reason in sorted(set(why) - {""})]


def plain(sentence: Sentence) -> str:
    """A sentence as text, for where there is no markup; the values as they are.

    >>> plain(("At <b>{n}</b> ratings {who}&nbsp;agree", {"n": 8, "who": "<i>raters</i>"})).replace("\\xa0", " ")
    'At 8 ratings <i>raters</i> agree'
    """
    template, values = sentence
    return unescape(re.sub(r"<[^>]*>", "", template)).format(**values)
