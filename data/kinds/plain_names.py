"""Column names as they are compared."""

import re
import unicodedata
from functools import lru_cache

PREFIX = re.compile(r"^(input|output|answer|golden|assignment|hint|data|meta|labels?)[:.]+", re.IGNORECASE)
"""Prefixes that platforms put before names of columns."""


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A column's name without a platform's prefix, in lower case, letters and digits only, without accents."""
    whole = unicodedata.normalize("NFKC", PREFIX.sub("", name)).casefold()
    return "".join(_without_accent(c) for c in whole if c.isalnum())


def _without_accent(letter: str) -> str:
    plain = unicodedata.normalize("NFD", letter)[0]
    return plain if plain.isascii() else letter
