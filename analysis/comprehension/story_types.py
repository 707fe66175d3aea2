"""Types of stories: those with most stories, to be held against each other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StoryTypes:
    """Names (t,), each story's place in them (s,), -1 for a story of another type or none, and how many types
    `there` are."""

    names: NDArray[np.str_]
    of_story: NDArray[np.int64]
    there: int


def largest_types(types: NDArray[np.str_], most: int) -> StoryTypes:
    """The `most` types with most stories, from each story's type (s,), "" where it is not known.

    >>> largest_types(np.array(["b", "a", "b", "", "c", "c"]), 2).of_story.tolist()
    [0, -1, 0, -1, 1, 1]
    """
    names, code = np.unique(types, return_inverse=True)
    known = names != ""
    stories = np.where(known, np.bincount(code, minlength=len(names)), -1)
    kept = np.sort(np.argsort(-stories, kind="stable")[: min(most, int(known.sum()))])
    place = np.full(len(names), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return StoryTypes(names[kept], place[code], int(known.sum()))
