"""One's own data sets as they are found again: by words of their names, and in folders by what is before a slash."""

from collections import Counter
from collections.abc import Sequence

from ui.visit.versions import Versions


def found(families: Sequence[Versions], words: str) -> list[Versions]:
    """Those in whose name, or in that of an older version, every word stands, in small or capital letters."""
    wanted = words.casefold().split()
    return [
        family
        for family in families
        if any(
            all(word in dataset.name.casefold() for word in wanted)
            for dataset in (family.newest, *family.older)
        )
    ]


def in_folders(families: Sequence[Versions]) -> dict[str, list[Versions]]:
    """Those in no folder under "", then each folder with its own, in the order of the newest; one alone needs none."""
    several = Counter(map(_folder, families))
    folders: dict[str, list[Versions]] = {"": []}
    for family in families:
        folder = _folder(family)
        folders.setdefault(folder if several[folder] > 1 else "", []).append(family)
    return folders


def _folder(family: Versions) -> str:
    before, slash, after = family.newest.name.partition("/")
    return before.strip() if slash and after.strip() else ""
