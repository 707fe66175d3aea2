# ruff: noqa: SIM905 - lists of words read better as words
"""What is told of both options of a choice in two columns, such as their length: the names people give these.

They are kept as `<what>_a` and `<what>_b`, whatever the file calls the sides.
"""

import re
from collections.abc import Iterable, Mapping

from data.kinds.shared_columns import CHOICE, SCORE

SIDES = (("a", "b"), ("left", "right"), ("first", "second"), ("1", "2"))
"""How names tell the first option from the second."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_FILLING = frozenset(
    "conv metadata sum number num assistant model option system response answer output candidate".split()
)
"""Words that say nothing of what is told."""
_NOT_TOLD = frozenset(
    (*SCORE, *CHOICE, *"id uuid index seed turn elo winner better date time timestamp".split())
)
"""Words of columns that hold what was answered, or an id."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case.

    >>> words_of("sum_assistant_a_tokens"), words_of("lengthA"), words_of("tokens1")
    (('sum', 'assistant', 'a', 'tokens'), ('length', 'a'), ('tokens', '1'))
    """
    return tuple(word.casefold() for word in _WORD.findall(name))


def pairs_of(names: Iterable[str]) -> Mapping[str, tuple[str, str]]:
    """What is told of both options, and the columns of the first and of the second.

    >>> dict(pairs_of(["length_a", "winner", "length_b", "conv_metadata.sum_assistant_b_tokens"]))
    {'length': ('length_a', 'length_b')}
    """
    free = {words_of(name): name for name in names}
    found: dict[str, tuple[str, str]] = {}
    for side, other in SIDES:
        for words in list(free):
            for at in (at for at, word in enumerate(words) if word == side):
                partner = (*words[:at], other, *words[at + 1 :])
                what = _told((*words[:at], *words[at + 1 :]))
                if what and what not in found and words in free and partner in free:
                    found[what] = free.pop(words), free.pop(partner)
    return found


def option_number(name: str) -> str:
    """Under which name a column is kept that tells of one option, as far as its own name says of which.

    >>> option_number("left length"), option_number("length")
    ('length_a', 'length')
    """
    words = words_of(name)
    for sides in SIDES:
        for end, side in zip("ab", sides, strict=True):
            for at in (at for at, word in enumerate(words) if word == side):
                rest = [word for word in (*words[:at], *words[at + 1 :]) if word not in _FILLING]
                if rest:
                    return f"{'_'.join(rest)}_{end}"
    return name


def _told(words: tuple[str, ...]) -> str:
    """What the other words of a column's name say is told; empty for what was answered."""
    kept = [word for word in words if word not in _FILLING] or list(words)
    return "" if _NOT_TOLD & {*kept} else "_".join(kept)
