"""Data sets as the catalog describes them, and filters of their rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

SLOT = "@slot"
"""Source of rater ids for a file that names no raters: the ratings of an item are numbered."""
Role = Literal["canonical", "rater attribute", "item number", "option number"]
Merge = Literal["mean", "last"]
"""Value that stands for a rater's repeats of an item: their mean (of labels, the most frequent), or the last one."""


@dataclass(frozen=True)
class Column:
    """One stored column: a canonical one, a `rater_*` attribute, a number constant within an item, or one of an option,
    as `length_a` and `length_b`."""

    name: str
    role: Role


@dataclass(frozen=True)
class Filter:
    """Condition on the rows of a view: that `column` is one of `values`, holds `text`, or lies from `since` to `until`.

    The column "system" of a table of pairs is what was compared: both sides are among the values, or, of one value
    alone, either side is it. With `excludes`, rows with one of `values` do not pass, and rows without a value do.
    """

    column: str
    values: tuple[str, ...] = ()
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None
    excludes: bool = False


@dataclass(frozen=True)
class Dataset:
    """One saved data set.

    `id` is random (32 hexadecimal digits). `sha256` is of the file's bytes, kind, mapping and importer
    version together: equal sha256, equal rows, so it belongs in every cache key. `rows_kept` counts the
    ratings that enter figures, `rows_set_aside` the rejected ones and those with a `check`. `created` is in
    UTC.
    `workspace` lists the data set; without one it is listed nowhere and found by its link only.
    `replaces` is the id of its previous version, if any. `used` is the day when it was last opened, initially the time
    when it was saved.
    `without` names the raters that a view excludes, `only` has its row filters; both are empty for the saved data set.
    `merged` is the rule by which a view merges the repeats of a rater on an item and measure into one value; None keeps
    them. `summed` is True if sums for the pages of large studies are stored (`data.store.sums`).
    """

    id: str
    kind: str
    name: str
    columns: tuple[Column, ...]
    mapping: Mapping[str, str | tuple[str, ...]] = field(hash=False)
    sha256: str
    rows_kept: int
    rows_set_aside: int
    created: datetime
    workspace: str | None
    replaces: str | None
    used: datetime = field(compare=False)
    without: tuple[str, ...] = ()
    only: tuple[Filter, ...] = ()
    merged: Merge | None = None
    summed: bool = field(default=False, compare=False)

    @property
    def raters_are_persons(self) -> bool:
        """False where rater ids are only slots: columns that are repetitions, or a file that names no raters."""
        return self.mapping.get("@raters") != "slots" and self.mapping.get("rater_id") != SLOT

    @property
    def is_weighted(self) -> bool:
        """True where each answer has a weight."""
        return self.kind != "contributors" and self.has("weight")

    @property
    def rater_column(self) -> str | None:
        """Column of those who can be excluded: raters, or judges of a comprehension test; None without it."""
        column = "judge_id" if self.kind == "comprehension" else "rater_id"
        return column if self.has(column) else None

    def leaving_out(self, raters: tuple[str, ...]) -> "Dataset":
        """Return a view of the data set without the ratings of these raters; nothing is stored."""
        return replace(self, without=tuple(sorted(raters)))

    def keeping(self, filters: tuple[Filter, ...]) -> "Dataset":
        """Return a view of the data set with only the rows that pass every filter; nothing is stored."""
        return replace(self, only=filters)

    def merging_repeats(self, merge: Merge = "mean") -> "Dataset":
        """Return a view with one value per rater, item and measure, for figures that compare raters.

        Source: Krippendorff 2011, "Computing Krippendorff's alpha": a unit has at most one value from each observer.
        """
        return replace(self, merged=merge)

    @property
    def as_saved(self) -> "Dataset":
        """Return the data set of which this is a view."""
        return replace(self, without=(), only=(), merged=None)

    @property
    def has_sums(self) -> bool:
        """True if stored sums are valid: not in a view that filters or merges."""
        return self.summed and not self.only and self.merged is None

    def has(self, *names: str) -> bool:
        """Return True if all these columns are stored."""
        stored = {column.name for column in self.columns}
        return stored.issuperset(names)

    def named(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns with this role, in the file's order."""
        return tuple(column.name for column in self.columns if column.role == role)

    @property
    def option_numbers(self) -> tuple[str, ...]:
        """Names of numbers that are known for both options of a choice, such as "length" for `length_a` and
        `length_b`."""
        return tuple(name.removesuffix("_a") for name in self.named("option number") if name.endswith("_a"))


def is_compared(dataset: Dataset, column: str) -> bool:
    """Return True if a column to filter by is the system of both options of each row."""
    return column == "system" and not dataset.has("system") and dataset.has("option_a", "option_b")
