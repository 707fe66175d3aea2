"""Compares two recordings: numbers within a tolerance, names and orders exactly, renamed parts as notes."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.golden.content import Block
from tests.golden.recording import UNREADABLE, Recording

RELATIVE = 1e-9
ABSOLUTE = 1e-14
"""Below this, differences are noise of a sum that is 0, such as of residuals."""
FIRST = 5
"""Differences of one table or figure that are told one by one."""


@dataclass(frozen=True)
class Compared:
    """Differences between two recordings of a study, and notes on what is called or read in another way."""

    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def compare(old: Recording, new: Recording) -> Compared:
    """Return what is different between two recordings, one line each: where, and both values."""
    compared = Compared()
    if UNREADABLE in old and UNREADABLE not in new:
        compared.notes.append("read as a study only now, so there is nothing to compare")
        return compared
    for view in [*old, *(view for view in new if view not in old)]:
        if view not in new:
            compared.differences.append(f"{view}: the view is missing")
        elif view not in old:
            compared.differences.append(f"{view}: the view is extra")
        else:
            _compare_view(view, old[view], new[view], compared)
    return compared


def _compare_view(view: str, old: list[Block], new: list[Block], compared: Compared) -> None:
    """Pair the blocks of a view: by name and content, then by content alone, then by name alone."""
    left, right = list(old), list(new)
    for same_name, same_content in ((True, True), (False, True), (True, False)):
        for one in list(left):
            fitting = (
                other
                for other in right
                if (not same_name or other["name"] == one["name"])
                and (not same_content or next(_block(one, other), None) is None)
            )
            other = next(fitting, None)
            if other is None:
                continue
            left.remove(one)
            right.remove(other)
            found = [f"{view} · {one['name']}: {line}" for line in _block(one, other)]
            compared.differences.extend(found[:FIRST])
            if len(found) > FIRST:
                compared.differences.append(
                    f"{view} · {one['name']}: and {len(found) - FIRST} more differences"
                )
            compared.notes.extend(f"{view} · {line}" for line in _renamed(one, other))
    compared.differences.extend(f"{view} · {one['name']}: missing" for one in left)
    compared.differences.extend(f"{view} · {other['name']}: extra" for other in right)


def _block(old: Block, new: Block) -> Iterator[str]:
    if len(old["parts"]) != len(new["parts"]):
        names = [", ".join(str(name) for name, _ in block["parts"]) for block in (old, new)]
        yield f"{len(old['parts'])} parts ({names[0]}) became {len(new['parts'])} ({names[1]})"
    for (name, before), (_, after) in zip(old["parts"], new["parts"], strict=False):
        for one in [*before, *(one for one in after if one not in before)]:
            if one not in after:
                yield f"{name}, {one}: missing"
            elif one not in before:
                yield f"{name}, {one}: extra"
            else:
                yield from (f"{name}, {one}{line}" for line in _values(before[one], after[one]))


def _values(old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f": {len(old)} values became {len(new)}"
        for at, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from (f"[{at}]{line}" for line in _values(one, other))
    elif not _equal(old, new):
        yield f": {old!r} became {new!r}"


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(old) is type(new) and bool(old == new)


def _renamed(old: Block, new: Block) -> Iterator[str]:
    if old["name"] != new["name"]:
        yield f"{old['name']} is called {new['name']}"
    for (one, _), (other, _) in zip(old["parts"], new["parts"], strict=False):
        if one != other:
            yield f"{old['name']}: {one} is called {other}"
