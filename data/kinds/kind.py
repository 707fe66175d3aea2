"""A kind of table: its columns, what these hold, the names people give them, and what is special to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from data.dataset import Role

Type = Literal["text", "free text", "number", "time", "answer", "judgment", "labels"]
"""Content of a column. An answer is stored as R, P, I or N, a judgment as 1 or 0, whatever words say so, and a set of
labels as a list, however it is written."""
CODED: tuple[Type, ...] = ("answer", "judgment", "labels")
LONGEST_NAME = 1000
"""Characters that a name may have: of a rater, a group, a system, and whatever else pages list."""


@dataclass(frozen=True)
class CanonicalColumn:
    """A column that figures know, what it holds, and the names people give it (lower case, letters only).

    `required`: it must be mapped. `filled`: where it is mapped, a row without it is set aside; `called` is
    its name in such a reason. `positive`: so is a row where it is not above 0. `counts`: a row stands for as many as
    it says, a whole number from 0 on, which no name alone tells.

    `listed`: pages list what a column of this type "text" holds, so a row with more than `LONGEST_NAME` characters in
    it is set aside. `text_in`: not where it names an item by its text; then an id is made of the text, which is kept
    in the column `text_in` ("" where it is kept nowhere).
    """

    name: str
    type: Type
    help: str
    names: tuple[str, ...] = ()
    required: bool = False
    filled: bool = False
    called: str = ""
    positive: bool = False
    counts: bool = False
    listed: bool = True
    text_in: str | None = None

    @property
    def title(self) -> str:
        """Name of the column on a page."""
        return (self.called or self.name).replace("_", " ")


@dataclass(frozen=True)
class Repeats:
    """Rows that say again what an earlier row said of the same `key` are set aside for a `reason`, told of
    `column`. With `always` this is no choice of the user; `differing` is the reason where further columns
    differ. `told` says on the page what is repeated, and by whom."""

    key: tuple[str, ...]
    column: str
    reason: str
    differing: str = ""
    always: bool = False
    told: str = "of an item by the same rater"


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    row, rows : what one row is called, and many
    items, raters : what its items and its raters are called
    rated : what raters do with items
    item, rater : the columns that tell items and raters apart
    switches : those of `data.mapping.plan.SWITCHES` that apply; with "@form" tables may be wide
    repeats : what is done about rows that repeat others
    forms : its wide forms, and which column the names of their columns stand for
    cells : the column that the filled cells of a wide table are
    cells_in : the same in the forms where it is another one
    further : which columns it may have besides its own
    numbers_of : a further number must be the same in all rows that agree in these columns
    numbered : what has those numbers
    compared : the column that says which of two options was chosen, and the two columns that hold these; they
        are mapped together or not at all
    needs_further : whether it must have one
    telling : names of the file's columns by which it is recognised, one of each group
    filters : columns by whose names a page may look at some of the rows only; "system" of pairs is what was compared
    study : whether it can be opened and looked at for itself
    used : a sentence on where it is used, for what is no study
    """

    name: str
    title: str
    columns: tuple[CanonicalColumn, ...]
    row: str = "row"
    rows: str = "rows"
    items: str = "items"
    raters: str = "raters"
    rated: str = "rated"
    item: tuple[str, ...] = ("item_id",)
    rater: str = "rater_id"
    switches: tuple[str, ...] = ("@decimal", "@header")
    repeats: Repeats | None = None
    forms: Mapping[str, str] = field(default_factory=dict)
    cells: str = ""
    cells_in: Mapping[str, str] = field(default_factory=dict)
    further: tuple[Role, ...] = ()
    numbers_of: tuple[str, ...] = ("item_id",)
    numbered: str = "item"
    compared: tuple[str, str, str] | None = None
    needs_further: bool = False
    telling: tuple[tuple[str, ...], ...] = ()
    filters: tuple[str, ...] = ()
    study: bool = False
    used: str = ""

    def column(self, name: str) -> CanonicalColumn | None:
        return next((column for column in self.columns if column.name == name), None)

    def cells_of(self, form: object) -> str:
        """Return the column that the filled cells of a table in a form are."""
        return self.cells_in.get(str(form), self.cells)

    def title_of(self, name: str) -> str:
        """Return what a page calls a canonical column; further ones by their own name."""
        column = self.column(name)
        return name if column is None else column.title

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    def role(self, name: str) -> Role:
        """Return what a column with this name is in a table of this kind."""
        if self.column(name):
            return "canonical"
        if name.startswith("rater_") and "rater attribute" in self.further:
            return "rater attribute"
        of_option = name.endswith(("_a", "_b")) and "option number" in self.further
        return "option number" if of_option else "item number"


def text(
    name: str,
    told: str,
    *names: str,
    required: bool = False,
    called: str = "",
    listed: bool = True,
    text_in: str | None = None,
) -> CanonicalColumn:
    filled, called = required or bool(called), called or name
    return CanonicalColumn(
        name, "text", told, names, required, filled, called, listed=listed, text_in=text_in
    )


def number(
    name: str, told: str, *names: str, required: bool = False, positive: bool = False
) -> CanonicalColumn:
    return CanonicalColumn(name, "number", told, names, required, required, name, positive)


def free_text(name: str, told: str, *names: str, required: bool = False, called: str = "") -> CanonicalColumn:
    return CanonicalColumn(name, "free text", told, names, required, required, called or name)
