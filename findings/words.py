"""Sentences before they are shown: a template of ours, and values from data that are escaped when it is filled."""

from collections.abc import Mapping, Sequence

Sentence = tuple[str, Mapping[str, object]]
"""A template of ours and the values to be escaped into it."""


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
