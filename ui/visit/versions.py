"""Versions of a data set: what replaces what, told apart from data sets that merely share a name."""

from collections.abc import Sequence
from dataclasses import dataclass

from data.dataset import Dataset


@dataclass(frozen=True)
class Versions:
    """A data set and the older ones that it replaced, the newest of them first."""

    newest: Dataset
    older: tuple[Dataset, ...]

    def number(self, dataset: Dataset) -> int:
        """Which version this is, counted from the oldest one that is still there."""
        return len(self.older) + 1 - (self.newest, *self.older).index(dataset)


def versions(own: Sequence[Dataset]) -> list[Versions]:
    """Data sets (the newest first) by what they replaced; the order of the newest ones stays."""
    before = {dataset.id: dataset.replaces for dataset in own}
    together: dict[str, list[Dataset]] = {}
    for dataset in own:
        together.setdefault(_first(dataset.id, before), []).append(dataset)
    return [Versions(newest, tuple(older)) for newest, *older in together.values()]


def _first(id: str, before: dict[str, str | None]) -> str:
    """The oldest version that this one goes back to, deleted ones included as far as they are still named."""
    seen = {id}
    while (earlier := before.get(id)) is not None and earlier not in seen:
        seen.add(earlier)
        id = earlier
    return id
