"""Names and texts as they stand in a statement that takes no parameter there, and on a terminal."""

import unicodedata
from pathlib import Path

_JOINERS = "\u200c\u200d"
"""Parts of words in some scripts, and of pictures."""


def quoted(name: str) -> str:
    """A table's or a column's name.

    >>> print(quoted('my "item" here'))
    "my ""item"" here"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | Path) -> str:
    """A text, or a path.

    >>> print(literal("it's here"))
    'it''s here'
    """
    return "'" + str(value).replace("'", "''") + "'"


def printable(text: str) -> str:
    r"""A text for a terminal: in one line, without control codes that would act there, which are spelled out.

    >>> print(printable("crowd\x1b[2J\nlab\u202e"))
    crowd\x1b[2J\nlab\u202e
    """
    return "".join(
        each
        if each.isprintable() or unicodedata.category(each) == "Zs" or each in _JOINERS
        else _spelled(each)
        for each in text
    )


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "replace").decode()
