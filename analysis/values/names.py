"""Names of what was counted, in singular and plural."""

from unicodedata import category, normalize
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


_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # Chinese repetition marks and zero
    (0x3041, 0x30FF),  # Japanese syllables
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Chinese characters
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts written without spaces between words: each character is its own word."""


def words(text: str) -> list[str]:
    """The words of a text, folded so that equal words are equal strings.

    For plain English it gives what ROUGE's own tokenizer gives; 'report' and 'reports' differ.

    >>> words("Don't PANIC, Zürich!"), words("東京 2020")
    (['don', 't', 'panic', 'zürich'], ['東', '京', '2020'])
    """
    return normalize("NFKC", text.casefold()).casefold().translate(_FOLDED).split()


class _Folded(dict[int, str]):
    """Replacements of characters, worked out when each is first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        kind = category(letter)
        if any(low <= code <= high for low, high in _RANGES) and kind[0] in "LN":
            folded = f" {letter} "
        elif kind[0] in "LNM":
            folded = letter
        else:
            folded = "" if kind == "Cf" else " "
        self[code] = folded
        return folded


_FOLDED = _Folded()


def thousands(number: int) -> str:
    """Return a count with commas between thousands.

    >>> thousands(21600)
    '21,600'
    """
    return f"{number:,}"
