"""What a module of a format has: how its files are known, and how they become the canonical table."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from data.tables.sniffed import Known, Switch

Seen = TypeVar("Seen")
"""What a format gets to see of a file: a `data.formats.parts.table.Table`, or what another reader makes."""
Chosen = Mapping[str, str]
"""The setting of every switch of a format."""


UNNAMED = "annotator"
"""The rater of a file that names none; of several such files, each is then called by its name."""
ONE_RATER = "The file names no rater: all its answers count as one rater's."


@dataclass(frozen=True)
class Aside:
    """A row of the upload that gives no rating: its line, the column that says so, why, and what stands there."""

    line: int
    column: str
    reason: str
    value: str


Made = tuple[int, Mapping[str, str]] | Aside
"""The cells of one rating by column, with the line of the upload that it comes from, or what is set aside there."""


@dataclass(frozen=True)
class Canonical:
    """The table that a format makes: one rating per row, under plain names.

    columns : the names, which no switch may change
    rows : made one after the other, so that no file has to fit into memory
    known : what the columns mean; a required one that is left out is asked of the user. None where that is for the
        columns themselves to tell
    notes : sentences about what was assumed; what is set aside is counted without them
    """

    columns: tuple[str, ...]
    rows: Iterable[Made]
    known: Known | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format(Generic[Seen]):
    """One file format. `knows` looks at names and values, never at a file's name; `canonical` makes the table."""

    name: str
    knows: Callable[[Seen], bool]
    canonical: Callable[[Seen, Chosen], Canonical]
    switches: tuple[Switch, ...] = ()

    def chosen(self, mapping: Mapping[str, str | Sequence[str]]) -> Chosen:
        """The setting of every switch, the default where a mapping says nothing."""
        return {switch.name: str(mapping.get(switch.name, switch.allowed[0])) for switch in self.switches}
