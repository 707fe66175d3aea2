"""Names and texts as they stand in a statement that takes no parameter there."""

from pathlib import Path


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
