"""Names and texts cut to a length, wherever they are shown: a name from a file may be as long as a book."""

from zlib import crc32

LONGEST_SHOWN = 200
"""Characters of a name that a page, a report or a message shows."""


def shorten(text: object, width: int = LONGEST_SHOWN) -> str:
    """Cut a text to `width` characters, the last of them an ellipsis where something is missing.

    >>> shorten("abcdef", 4), shorten("abcd", 4), shorten(7.5)
    ('abc…', 'abcd', '7.5')
    """
    plain = str(text)
    return plain if len(plain) <= width else plain[: width - 1].rstrip() + "…"


def distinct_label(name: object) -> str:
    """Cut a name for a control or the head of a column, where two names must not become the same: a code of the whole
    name ends a cut one.

    >>> distinct_label("crowd"), distinct_label("x" * 300)[188:]
    ('crowd', 'xx… 1b432d13')
    """
    plain = str(name)
    if len(plain) <= LONGEST_SHOWN:
        return plain
    return f"{shorten(plain, LONGEST_SHOWN - 9)} {crc32(plain.encode('utf-8', 'surrogatepass')):08x}"
