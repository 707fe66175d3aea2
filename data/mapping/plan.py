"""A mapping checked against a kind and a file: which column of the file means what, and how the file is read.

A mapping leads from canonical columns to columns of the file; keys that begin with @ are the switches of the import,
and `@values` with a canonical column says what its values become.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.values.counts import thousands
from data.errors import BadMapping, listed
from data.kinds.answer_words import NUMBERS as ANSWER_NUMBERS
from data.kinds.choice_words import NUMBERS
from data.kinds.definitions import KINDS, kind_named
from data.kinds.kind import CanonicalColumn, Kind, Repeats, Type
from data.tables.sniffed import Sniffed, is_number, is_sound

FileMapping = Mapping[str, str | tuple[str, ...]]
VALUES = "@values "
"""Begins the entry that says what the values of a canonical column become: each as found, and then that."""
FILES = "@files"
"""The entry that says what each of several files stands for, in their order: a group, a measure."""
MOST_VALUES = 500
ROW = "@row"
"""Stands for a column of the file where an item has no name but its row."""
SLOT = "@slot"
"""Stands for a column of the file where raters have no name: the ratings of an item are numbered."""
SWITCHES: Mapping[str, tuple[str, ...]] = {
    "@form": ("long", *(form for kind in KINDS.values() for form in kind.forms)),
    "@raters": ("persons", "slots"),
    "@decimal": (".", ","),
    "@scores": ("numbers", "leading number"),
    "@numbers": NUMBERS,
    "@answers": ANSWER_NUMBERS,
    "@rejected": ("keep", "set aside"),
    "@duplicates": ("keep", "set aside"),
    "@seconds": ("rating", "assignment"),
    "@header": ("yes", "no"),
}
"""The switches and what each may be; the first is the default, but @decimal and @header default to the
file."""
Source = int | tuple[int, ...] | str
"""Where a column comes from: a column of the file, several of them (one for each rating in a row), or
`ROW`."""


@dataclass(frozen=True)
class Target:
    """A column to be stored. `names`: in a wide table, the texts that stand for the columns. `column`: what
    its kind declares of it; None for a further number of the items or attribute of the raters, under its own
    name. `values`: values of the file and what they become."""

    name: str
    type: Type
    source: Source
    label: str
    column: CanonicalColumn | None
    names: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    @property
    def filled(self) -> bool:
        """Whether a row without it is set aside."""
        return self.column is not None and self.column.filled

    @property
    def text_in(self) -> str | None:
        """The column that keeps a text which stands in the place of a name; None where a name is all there may be."""
        return None if self.column is None else self.column.text_in

    @property
    def holds_names(self) -> bool:
        """True where it may hold at most `LONGEST_NAME` characters."""
        return self.type == "text" and (self.column is None or self.column.listed)


@dataclass(frozen=True)
class Plan:
    """A mapping that fits a file. `wide`: the columns whose filled cells are ratings; none for the long
    form."""

    kind: Kind
    form: str
    targets: tuple[Target, ...]
    switches: Mapping[str, str]
    wide: tuple[int, ...] = ()

    def has(self, name: str) -> bool:
        return any(target.name == name for target in self.targets)

    def target(self, name: str) -> Target:
        return next(target for target in self.targets if target.name == name)

    @property
    def further_numbers(self) -> tuple[str, ...]:
        """Further columns that hold one number per item, or should."""
        return tuple(
            target.name
            for target in self.targets
            if target.column is None and self.kind.role(target.name) == "item number"
        )

    @property
    def option_numbers(self) -> tuple[tuple[str, str], ...]:
        """The columns of what is told of both options, such as their length: of the first and of the second."""
        return tuple(
            (target.name, f"{target.name[:-2]}_b")
            for target in self.targets
            if self.kind.role(target.name) == "option number" and target.name.endswith("_a")
        )

    @property
    def compared(self) -> tuple[str, str, str] | None:
        """What was chosen and the two options it was chosen from, where these are told."""
        compared = self.kind.compared
        return compared if compared and all(self.has(name) for name in compared) else None

    @property
    def set_aside(self) -> Repeats | None:
        """Which repeated rows are set aside, if any are."""
        repeats = self.kind.repeats
        if repeats and (repeats.always or self.switches["@duplicates"] == "set aside"):
            return repeats
        return None


def plan(kind: str, mapping: Mapping[str, str | Sequence[str]], sniffed: Sniffed) -> Plan:
    """What to read from where, checked against the kind and the file."""
    declared = kind_named(kind)
    switches = _switches(mapping, sniffed, declared)
    form = switches["@form"]
    at = {name: index for index, name in enumerate(sniffed.names)}
    cells = mapping.get(declared.cells)
    wide: tuple[int, ...] = ()
    if form != "long":
        if cells is None or isinstance(cells, str):
            raise BadMapping(
                f"in the form {form!r}, `{declared.cells}` must list the columns with the {declared.rows}; got "
                f"{cells!r}"
            )
        wide = tuple(_place(at, declared.cells, name) for name in cells)
    targets = []
    taken: set[str] = set()
    for name, source in mapping.items():
        if name.startswith("@"):
            continue
        known = declared.column(name)
        role = declared.role(name)
        if known is None:
            _check_name(name, taken, declared)
        taken.add(name.casefold())
        type: Type = known.type if known else "text" if role == "rater attribute" else "number"
        place: Source
        if source == ROW:
            if name != "item_id" or "item_id" not in declared.forms.values():
                raise BadMapping(f"only `item_id` may be named by its row ({ROW!r}), not {name!r}")
            place = ROW
        elif isinstance(source, str):
            place = _place(at, name, source)
        else:
            place = tuple(_place(at, name, each) for each in source)
            if len(place) != len(wide) or not place:
                raise BadMapping(
                    f"{name!r} lists {len(place)} columns; only the wide forms may list columns, as many as "
                    f"`{declared.cells}` ({len(wide)})"
                )
        label = source if isinstance(source, str) else name
        values = _values(mapping.get(VALUES + name), name, type, switches["@decimal"])
        targets.append(Target(name, type, place, label, known, values=values))
    for name in mapping:
        if name.startswith(VALUES) and name.removeprefix(VALUES) not in mapping:
            raise BadMapping(f"{name!r} says what values become of a column that is not mapped; leave it out")
    named = declared.forms.get(form)
    if named and named not in mapping:
        names = _short_names([sniffed.names[index] for index in wide])
        targets.append(Target(named, "text", wide, named, declared.column(named), names))
    missing = [name for name in declared.required if not any(target.name == name for target in targets)]
    if missing:
        raise BadMapping(
            f"{listed(missing)} must be mapped to a column of the file; it has {listed(sniffed.names)}"
        )
    todo = Plan(declared, form, tuple(targets), switches, wide)
    options = declared.compared[1:] if declared.compared else ()
    if sum(todo.has(option) for option in options) == 1:
        raise BadMapping(
            f"{listed(options)} belong together: map both of them, or none where choices are labels"
        )
    _check_option_numbers(todo)
    if declared.needs_further and not todo.further_numbers:
        raise BadMapping(
            f"a table of {kind} needs at least one column of numbers besides {listed(declared.required)}; "
            f"choose one of the file's columns: {listed(sniffed.names)}"
        )
    return todo


def _switches(mapping: Mapping[str, str | Sequence[str]], sniffed: Sniffed, kind: Kind) -> Mapping[str, str]:
    chosen = {switch: allowed[0] for switch, allowed in SWITCHES.items()}
    of_format = {switch.name: switch.allowed for switch in sniffed.switches} | {"@format": (sniffed.format,)}
    chosen |= {"@decimal": sniffed.decimal, "@header": "yes" if sniffed.header else "no"}
    for name, value in mapping.items():
        if name.startswith("@") and not name.startswith(VALUES) and not (name == FILES and sniffed.files):
            allowed = of_format.get(name)
            if allowed is None and name not in kind.switches:
                may_be = [*kind.switches, *(switch.name for switch in sniffed.switches)]
                raise BadMapping(f"a switch must be one of {listed(may_be)}; got {name!r}")
            allowed = allowed or (("long", *kind.forms) if name == "@form" else SWITCHES[name])
            if value not in allowed:
                raise BadMapping(f"{name} must be one of {listed(allowed)}; got {value!r}")
            chosen[name] = str(value)
    return chosen


def _values(
    told: str | Sequence[str] | None, name: str, type: Type, decimal: str
) -> tuple[tuple[str, str], ...]:
    """Values of the file and what they become, a number written as the file writes numbers."""
    if told is None:
        return ()
    if isinstance(told, str) or len(told) % 2 or len(told) > 2 * MOST_VALUES:
        raise BadMapping(
            f"{VALUES + name!r} must list values and what each becomes, at most {thousands(MOST_VALUES)} pairs; "
            f"got {str(told)[:200]!r}"
        )
    pairs = list(zip(told[::2], told[1::2], strict=True))
    for found, becomes in pairs:
        if not found.strip() or not becomes.strip() or not is_sound(found + becomes):
            raise BadMapping(
                f"{VALUES + name!r} has a value that is empty or no text, or becomes that; leave that pair out"
            )
        if type == "number" and not is_number(becomes):
            raise BadMapping(f"{VALUES + name!r}: {found[:60]!r} must become a number; got {becomes[:60]!r}")
    return tuple(
        (found.strip(), becomes.strip().replace(".", decimal) if type == "number" else becomes.strip())
        for found, becomes in pairs
    )


def _place(at: Mapping[str, int], wanted_for: str, name: str) -> int:
    if name not in at:
        raise BadMapping(
            f"{wanted_for!r} is mapped to {name!r}, which the file does not have; it has {listed(at)}"
        )
    return at[name]


def _check_name(name: str, taken: set[str], kind: Kind) -> None:
    if kind.role(name) not in kind.further:
        raise BadMapping(
            f"a table of {kind.name} has no column {name!r}; it has "
            f"{listed([column.name for column in kind.columns])}"
        )
    used = taken | {column.name for column in kind.columns} | RESERVED
    if name.casefold() in used or not name.strip() or len(name) > 200:
        raise BadMapping(
            f"a further column cannot be stored as {name!r}: the name is empty, too long or used already; "
            "leave it out"
        )


def _check_option_numbers(todo: Plan) -> None:
    """Refuses a number of one option without that of the other, and without options."""
    told = [target.name for target in todo.targets if todo.kind.role(target.name) == "option number"]
    if not todo.compared and told:
        raise BadMapping(
            f"{listed(told)} tell of two options: map `option_a` and `option_b`, or leave them out"
        )
    alone = [name for name in told if not {f"{name[:-2]}_a", f"{name[:-2]}_b"} <= {*told}]
    if alone:
        raise BadMapping(
            f"{listed(alone)} must be two columns, one of each option, kept as `length_a` and `length_b`; map the "
            "other, too, or leave it out"
        )


def _short_names(columns: Sequence[str]) -> tuple[str, ...]:
    """The names without what platforms put before them: OUTPUT:fluency is the measure fluency."""
    short = [PREFIX.sub("", column) or column for column in columns]
    return tuple(short if len(set(short)) == len(short) else columns)


PREFIX = re.compile(r"^(input|output|answer|golden|assignment|hint|data|meta|labels?)[:.]+", re.IGNORECASE)
RESERVED = {"row", "rowid", "check"}
FALSE_CHECKS = ("0", "0.0", "false", "no", "n", "f", "none", "nan", "null", "na", "-")
"""What a check column says of a row that is no check, besides nothing."""
