# ruff: noqa: SIM905 - lists of words read better as words
"""Sentences before they are shown: a template of ours, and values from data that are escaped when it is filled."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import unescape

from analysis.values.names import LONGEST_SHOWN, shorten
from features.blocks import Text
from features.plotting.numbers import count

Sentence = Text
LONGEST_TOLD = 2_000
"""Characters of a value that holds several names, or a sentence."""
_SEVERAL = frozenset(
    (
        "because caution clean columns correlations doubt doubts few how known levels line lost machines measures "
        "methods named names note notes pairs reason remark rest settings slopes style there ties told used warning "
        "what where which who why"
    ).split()
)
"""Values that hold several names, or words of ours; every other one may be a single name from a file."""


RATERS_ARE_SLOTS: Sentence = (
    "Rater ids are only slots here, not persons: what is said of a rater holds for a column of the file, and intervals "
    "over raters do not show chance over persons.",
    {},
)


def shown(values: Mapping[str, object]) -> dict[str, str]:
    """Cut the values of a sentence to the lengths that are shown.

    >>> [len(text) for text in shown({"rater": "x" * 5_000, "who": "x" * 5_000}).values()]
    [200, 2000]
    """
    return {
        name: shorten(value, LONGEST_TOLD if name.rstrip("_0123456789") in _SEVERAL else LONGEST_SHOWN)
        for name, value in values.items()
    }


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence, the first few of them, long ones cut.

    >>> listed(["focus", "grammar"]), listed(list("abcdef"))
    ('focus and grammar', 'a, b, c, d and 2 more')
    """
    told = [shorten(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(told)} and {len(names) - most} more"
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


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


def raters_named(names: Sequence[str]) -> str:
    """Return raters by name where they are few, else by number; "" for nobody.

    >>> raters_named(["Ann", "Bob"]), raters_named(list("abcd"))
    ('Ann and Bob', '4 raters')
    """
    return listed(names) if len(names) <= 3 else counted(len(names), "rater")


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


def number_repeats(texts: Iterable[Text]) -> list[Text]:
    """Return texts of which no two have the same template, since a later block of a template replaces an earlier one.

    >>> number_repeats([("No {why}.", {"why": "a"}), ("No {why}.", {"why": "b"})])
    [('No {why}.', {'why': 'a'}), ('No {why_2}.', {'why_2': 'b'})]
    """
    told, seen = list[Text](), Counter[str]()
    for template, values in texts:
        seen[template] += 1
        number = seen[template]
        if number > 1:
            values = {f"{name}_{number}": value for name, value in values.items()}
            told.append((re.sub(r"\{(\w+)\}", rf"{{\1_{number}}}", template), values))
        else:
            told.append((template, values))
    return told


def plain(sentence: Sentence) -> str:
    """A sentence as text, for where there is no markup; long values cut, all others as they are.

    >>> plain(("At <b>{n}</b> ratings {who}&nbsp;agree", {"n": 8, "who": "<i>raters</i>"})).replace("\\xa0", " ")
    'At 8 ratings <i>raters</i> agree'
    """
    template, values = sentence
    return unescape(re.sub(r"<[^>]*>", "", template)).format(**shown(values))
