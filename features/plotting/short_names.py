"""Names cut to a width so that they stay apart."""

from collections.abc import Sequence

from features.plotting.theme import shorten


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Names cut to a width, escaped; those that would look alike lose what they begin with in common.

    >>> told_apart(["annotator 1 of 12", "annotator 10 of 12", "Ann"], 10)
    ['…1 of 12', '…10 of 12', 'Ann']
    """
    short = [shorten(name, width) for name in names]
    alike: dict[str, list[str]] = {}
    for name, cut in zip(names, short, strict=True):
        alike.setdefault(cut, []).append(name)
    return [
        cut if len(set(alike[cut])) == 1 else shorten(f"…{name[_shared(alike[cut]) :]}", width)
        for name, cut in zip(names, short, strict=True)
    ]


def _shared(names: Sequence[str]) -> int:
    """Return how many characters all names begin with, a number at the end not cut apart."""
    first, last = min(names), max(names)
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return len(first[:same].rstrip("0123456789"))
