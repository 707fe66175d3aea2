"""Column names as they are compared."""

from functools import lru_cache

from data.mapping.plan import PREFIX


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A column's name without a platform's prefix, lower case, letters and digits only."""
    return "".join(c for c in PREFIX.sub("", name).casefold() if c.isalnum())
