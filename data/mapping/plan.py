"""A mapping checked against a kind and a file: the meaning of each column of the file, and how the file is read.

A mapping leads from canonical columns to columns of the file. Keys that begin with @ say how the file is read:

- `@form`: the layout, "long" for one row per rating, or a wide form whose answers stand in several columns. Then the
  column of answers (`Kind.cells_of`) lists these columns, and any other canonical column may list as many: one each.
  In the form "best and worst", `option` lists the columns of the tuple, and `rank` the two that say which of them is
  the best and which the worst.
- `@names X`: in a wide form, one text for each column of answers, in their order, where X is one of `NAMED`. The
  columns are called by these texts instead of their names. With `@names rater_id` and `@names measure` there is
  one column per rater and measure.
  In the form "grade columns" cells hold numbers of votes, and `@names score` the grades, by default the numbers in
  the columns' names.
- `@values X`: what the values of a canonical column become, as pairs of a value and its replacement.
- `@missing`: texts that stand for a missing answer, such as "NA" or "-99".
- `@header`: the header rows, "yes" (one), "no", "2" or "3".
- `@files`: what each of several files stands for.
- the further `SWITCHES`: `@separator` is what separates the labels in a cell, `@empty` what an empty cell is.

In the form "label columns", `labels` lists a column for each label, whose cells say whether it was chosen.

An `item_id` of several columns, in every form but "item columns", joins their values by `JOINED`; the columns may have
roles of their own. `item_id` may be `ROW`, and `rater_id` in the form "item columns": each row is one. `rater_id` may
be `SLOT` where the file names no raters: the ratings of an item are numbered in the order of the file. With `votes` a
row stands for as many ratings, and no rater can be named. The `item_id` of rankings may be `ALL`: everyone ranked for
the same task.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.values.estimate import thousands
from data.dataset import SLOT
from data.errors import BadMapping, listed
from data.kinds.answer_words import ANSWER_NUMBERS, CHOICE_NUMBERS, points_of
from data.kinds.definitions import KINDS, kind_named
from data.kinds.kind import CanonicalColumn, Kind, Repeats, Type
from data.kinds.label_sets import EMPTY_SETS, SEPARATORS, label_names
from data.kinds.names import PREFIX
from data.kinds.studies import ENDS, GRADE_COLUMNS, LABEL_COLUMNS, RANKINGS
from data.tables.sniffed import Sniffed, is_comma_number, is_number, is_sound

FileMapping = Mapping[str, str | tuple[str, ...]]
VALUES = "@values "
"""Begins the entry that says what the values of a canonical column become: each as found, and then that."""
FILES = "@files"
"""The entry with the label of each of several files, in their order: a group, a measure."""
MOST_VALUES = 500
NAMES = "@names "
"""Begins the entry that names the columns of a wide form: one text for each, in their order."""
NAMED = (
    *("rater_id", "item_id", "measure", "rater_group", "system", "design", "option", "rank", "position"),
    "score",
)
"""The canonical columns that may be given by names of columns."""
MISSING = "@missing"
"""The entry that lists the texts of missing answers."""
ROW = "@row"
"""Stands for a column of the file where an item, or a respondent, has no name but its row."""
ALL = "@all"
"""Stands for the task of rankings where all are of one."""
JOINED = " / "
"""Joins the parts of an item that several columns name."""
SWITCHES: Mapping[str, tuple[str, ...]] = {
    "@form": ("long", *(form for kind in KINDS.values() for form in kind.forms)),
    "@raters": ("persons", "slots"),
    "@decimal": (".", ","),
    "@scores": ("numbers", "leading number"),
    "@numbers": CHOICE_NUMBERS,
    "@answers": ANSWER_NUMBERS,
    "@rejected": ("keep", "set aside"),
    "@duplicates": ("keep", "set aside"),
    "@seconds": ("rating", "assignment"),
    "@header": ("yes", "no", "2", "3"),
    "@separator": SEPARATORS,
    "@empty": EMPTY_SETS,
}
"""The switches and what each may be; the first is the default, but @decimal and @header default to the
file."""
_GRADE = re.compile(r"(?<!\d)(?:(?<![^\W_])-)?\d+(?:\.\d+)?")
Source = int | tuple[int, ...] | str
"""Source of a column: a column of the file, several of them (one for each rating in a row, the parts of a
name, or those that name the best and the worst), `ROW`, `SLOT` or `ALL`."""


@dataclass(frozen=True)
class Target:
    """A column to be stored. `names`: in a wide table, the texts that stand for the columns. `column`: what
    its kind declares of it; None for a further number of the items or attribute of the raters, under its own
    name. `values`: values of the file and what they become. `joined`: the columns of `source` are the parts of one
    name. `of_ends`: they name the best and the worst of a tuple."""

    name: str
    type: Type
    source: Source
    label: str
    column: CanonicalColumn | None
    names: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    joined: bool = False
    of_ends: bool = False

    @property
    def filled(self) -> bool:
        """Return True where a row without it is set aside."""
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
    form. `missing`: the texts of missing answers."""

    kind: Kind
    form: str
    targets: tuple[Target, ...]
    switches: Mapping[str, str]
    wide: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def cells(self) -> str:
        """The column that the filled cells of a wide table, or the answers of a long one, are."""
        return self.kind.cells_of(self.form)

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
        """The columns of numbers known for both options, such as their length: of the first and of the second."""
        return tuple(
            (target.name, f"{target.name[:-2]}_b")
            for target in self.targets
            if self.kind.role(target.name) == "option number" and target.name.endswith("_a")
        )

    @property
    def compared(self) -> tuple[str, str, str] | None:
        """Return the columns of the choice and of its two options, where they are mapped."""
        compared = self.kind.compared
        return compared if compared and all(self.has(name) for name in compared) else None

    @property
    def numbers_raters(self) -> bool:
        """True where the file names no raters, so that the ratings of an item are numbered."""
        return any(target.source == SLOT for target in self.targets)

    @property
    def counted(self) -> Target | None:
        """The target that holds the number of ratings of a row, or a cell; None where each is one."""
        return next((target for target in self.targets if target.column and target.column.counts), None)

    @property
    def takes_empty_sets(self) -> bool:
        """True where empty cells are a set without labels, which only a row of one answer can hold."""
        return self.form in ("long", LABEL_COLUMNS) and self.switches["@empty"] == EMPTY_SETS[1]

    @property
    def missing_numbers(self) -> tuple[float, ...]:
        """The texts of missing answers that are numbers."""
        comma = self.switches["@decimal"] == ","
        numbers = (
            float(text.replace(",", "."))
            for text in self.missing
            if is_number(text) or (comma and is_comma_number(text))
        )
        return tuple(dict.fromkeys(number for number in numbers if math.isfinite(number)))

    @property
    def set_aside(self) -> Repeats | None:
        """Return the rule for repeated rows that are set aside, if any are."""
        repeats = None if self.numbers_raters else self.kind.repeats
        if repeats and (repeats.always or self.switches["@duplicates"] == "set aside"):
            return repeats
        return None


def plan(kind: str, mapping: Mapping[str, str | Sequence[str]], sniffed: Sniffed) -> Plan:
    """Return the plan of an import: a mapping that is checked against the kind and the file."""
    declared = kind_named(kind)
    switches = _switches(mapping, sniffed, declared)
    form = switches["@form"]
    index_by_name = {name: index for index, name in enumerate(sniffed.names)}
    answers = declared.cells_of(form)
    cells = mapping.get(answers)
    wide: tuple[int, ...] = ()
    if form != "long":
        if cells is None or isinstance(cells, str):
            raise BadMapping(
                f"in the form {form!r}, `{answers}` must list the columns with the {declared.rows}; got {cells!r}"
            )
        wide = tuple(_column_index(index_by_name, answers, name) for name in cells)
    of_labels = wide if form == LABEL_COLUMNS else ()
    wide = () if of_labels else wide
    targets = []
    used_names: set[str] = set()
    for name, source in mapping.items():
        if name.startswith("@"):
            continue
        column = declared.column(name)
        role = declared.role(name)
        if column is None:
            _check_name(name, used_names, declared)
        used_names.add(name.casefold())
        type: Type = column.type if column else "text" if role == "rater attribute" else "number"
        source_index: Source
        joined = False
        of_ends = form == ENDS and name == declared.cells
        if of_ends and (isinstance(source, str) or len(source) != 2):
            raise BadMapping(
                f"in the form {form!r}, {name!r} must list the column of the best and that of the worst; got {source!r}"
            )
        if source in (ROW, SLOT, ALL):
            source_index = _check_generated(str(source), name, form, declared)
        elif isinstance(source, str):
            source_index = _column_index(index_by_name, name, source)
        elif name == "item_id" and form != "item columns" and source:
            parts = tuple(_column_index(index_by_name, name, column_name) for column_name in source)
            if len(set(parts)) < len(parts):
                raise BadMapping(f"{name!r} lists a column twice: {listed(source)}; list each part once")
            joined = len(parts) > 1
            source_index = parts if joined else parts[0]
        else:
            source_index = tuple(_column_index(index_by_name, name, column_name) for column_name in source)
            is_one_set = bool(of_labels) and name == declared.cells
            if not (of_ends or is_one_set) and (len(source_index) != len(wide) or not source_index):
                raise BadMapping(
                    f"{name!r} lists {len(source_index)} columns; only the wide forms may list columns, as many as "
                    f"`{answers}` ({len(wide)})"
                )
        label = source if isinstance(source, str) else name
        options = tuple(sniffed.names[index] for index in wide) if of_ends else ()
        if of_labels and name == declared.cells:
            options = label_names([sniffed.names[index] for index in of_labels])
        values = _values(mapping.get(VALUES + name), name, type, switches["@decimal"])
        targets.append(Target(name, type, source_index, label, column, options, values, joined, of_ends))
    for name in mapping:
        of = name.removeprefix(VALUES)
        if name.startswith(VALUES) and of not in mapping and NAMES + of not in mapping:
            raise BadMapping(f"{name!r} says what values become of a column that is not mapped; leave it out")
    texts = _named_columns(mapping, declared, form, len(wide))
    wide_role = declared.forms.get(form)
    if wide_role and wide_role not in mapping and wide_role not in texts:
        columns = [sniffed.names[index] for index in wide]
        short = [
            PREFIX.sub("", column) or column for column in columns
        ]  # OUTPUT:fluency is the measure fluency
        usual = short if len({*short}) == len(short) else columns
        texts = {wide_role: tuple(grades_of(columns) if form == GRADE_COLUMNS else usual)} | texts
    for name, names in texts.items():
        column = declared.column(name)
        names_type: Type = "text" if column is None else column.type
        values = _values(mapping.get(VALUES + name), name, names_type, switches["@decimal"])
        targets.append(Target(name, names_type, wide, name, column, names, values))
    if any(target.source == SLOT for target in targets):
        if mapping.get("@raters", "slots") != "slots":
            raise BadMapping(
                f"`rater_id` is {SLOT!r}: the file names no raters, so @raters must be 'slots' or left out; got "
                f"{mapping['@raters']!r}"
            )
        switches = {**switches, "@raters": "slots"}
    votes = next((target for target in targets if target.column and target.column.counts), None)
    if votes and not any(target.source == SLOT for target in targets):
        raise BadMapping(
            f"{votes.name!r} counts ratings of unnamed raters, so `rater_id` must be {SLOT!r}",
            on_page="Numbers of votes name no raters: choose that no rater is named, or do not use them",
        )
    missing = [name for name in declared.required if not any(target.name == name for target in targets)]
    if missing:
        raise BadMapping(
            f"{listed(missing)} must be mapped to a column of the file; it has {listed(sniffed.names)}"
        )
    result = Plan(declared, form, tuple(targets), switches, wide, _missing(mapping.get(MISSING)))
    options = declared.compared[1:] if declared.compared else ()
    if sum(result.has(option) for option in options) == 1:
        titles = " and the ".join(map(declared.title_of, options))
        raise BadMapping(
            f"{listed(options)} belong together: map both of them, or none where choices are labels",
            on_page=f"the {titles} belong together: choose a column for each, or none where choices are labels",
        )
    _check_option_numbers(result)
    if declared.needs_further and not result.further_numbers:
        raise BadMapping(
            f"a table of {kind} needs at least one column of numbers besides {listed(declared.required)}; "
            f"choose one of the file's columns: {listed(sniffed.names)}"
        )
    return result


def _switches(mapping: Mapping[str, str | Sequence[str]], sniffed: Sniffed, kind: Kind) -> Mapping[str, str]:
    chosen = {switch: allowed[0] for switch, allowed in SWITCHES.items()}
    of_format = {switch.name: switch.allowed for switch in sniffed.switches} | {"@format": (sniffed.format,)}
    chosen |= {"@decimal": sniffed.decimal, "@header": header_switch(sniffed.header_rows)}
    for name, value in mapping.items():
        lists = (
            name.startswith((VALUES, NAMES))
            or (name == FILES and sniffed.files)
            or (name == MISSING and kind.cells)
        )
        if name.startswith("@") and not lists:
            allowed = of_format.get(name)
            if allowed is None and name not in kind.switches:
                may_be = [*kind.switches, *(switch.name for switch in sniffed.switches)]
                raise BadMapping(f"a switch must be one of {listed(may_be)}; got {name!r}")
            allowed = allowed or (("long", *kind.forms) if name == "@form" else SWITCHES[name])
            if value not in allowed:
                raise BadMapping(f"{name} must be one of {listed(allowed)}; got {value!r}")
            chosen[name] = str(value)
    return chosen


def header_switch(rows: int) -> str:
    """Return the setting of @header for this number of header rows."""
    return {0: "no", 1: "yes"}.get(rows, str(rows))


def header_rows(setting: object) -> int | None:
    """Return the number of header rows that a setting of @header means; None where it is not set."""
    return {"no": 0, "yes": 1, "2": 2, "3": 3}.get(str(setting))


def _check_generated(source: str, name: str, form: str, kind: Kind) -> str:
    """`ROW`, `SLOT` or `ALL`, checked: only some columns can be made of the rows."""
    if source == ALL:
        if kind is not RANKINGS or name != "item_id":
            raise BadMapping(
                f"{name!r} cannot be the same in all rows ({ALL!r}); only the task of rankings can"
            )
    elif source == ROW:
        of_rows = [column for column in ("item_id",) if column in kind.forms.values()]
        of_rows += ["rater_id"] if form == "item columns" else []
        if name not in of_rows:
            advice = f"only {listed(of_rows)} can" if of_rows else "map it to a column of the file"
            raise BadMapping(
                f"{name!r} cannot be named by its row ({ROW!r}) in {kind.name} of the form {form!r}; {advice}"
            )
    elif name != "rater_id" or form not in may_lack_raters(kind):
        raise BadMapping(
            f"{name!r} cannot be numbered ({SLOT!r}) in the form {form!r}; only `rater_id` can, in the forms "
            f"{listed(may_lack_raters(kind)) or 'of other kinds'} of {kind.name}"
        )
    return source


def grades_of(columns: Sequence[str]) -> list[str]:
    """Return the grades that names of columns hold: the only number in each, or points of a scale, else the names.

    >>> grades_of(["1 star", "2 stars"]), grades_of(["votes_-1", "votes_0"]), grades_of(["fair", "good", "poor"])
    (['1', '2'], ['-1', '0'], ['3', '4', '2'])
    """
    grades = [_GRADE.findall(PREFIX.sub("", name)) for name in columns]
    if all(len(numbers) == 1 for numbers in grades):
        return [numbers[0] for numbers in grades]
    points = points_of(columns)
    return [points.get(name, name) for name in columns]


def _named_columns(
    mapping: Mapping[str, str | Sequence[str]], kind: Kind, form: str, columns: int
) -> dict[str, tuple[str, ...]]:
    """Return the canonical columns that texts for the columns of a wide form give."""
    allowed = [name for name in NAMED if kind.column(name)]
    texts_by_role = {}
    for entry, source in mapping.items():
        if not entry.startswith(NAMES):
            continue
        name = entry.removeprefix(NAMES)
        if not kind.forms:
            raise BadMapping(
                f"{entry!r} names columns side by side, and a table of {kind.name} has no such form; leave it out"
            )
        if name not in allowed:
            raise BadMapping(
                f"columns can be named by {listed([NAMES + text for text in allowed])}; got {entry!r}"
            )
        if form == "long":
            raise BadMapping(
                f"{entry!r} names columns side by side, which only a wide form has: set @form to one of "
                f"{listed(list(kind.forms))}, or leave {entry!r} out"
            )
        if name in mapping:
            raise BadMapping(f"{name!r} is mapped to a column and given by {entry!r}; leave one of them out")
        names = () if isinstance(source, str) else tuple(text.strip() for text in source)
        if len(names) != columns or not all(text and is_sound(text) for text in names):
            raise BadMapping(
                f"{entry!r} must list one text for each of the {columns} columns of `{kind.cells_of(form)}`, none of "
                f"them empty; got {str(source)[:200]!r}"
            )
        texts_by_role[name] = names
    return texts_by_role


def _missing(codes: str | Sequence[str] | None) -> tuple[str, ...]:
    """The texts of missing answers."""
    if codes is None:
        return ()
    texts = () if isinstance(codes, str) else tuple(dict.fromkeys(text.strip() for text in codes))
    if not texts or len(texts) > MOST_VALUES or not all(text and is_sound(text) for text in texts):
        raise BadMapping(
            f"{MISSING} must list the texts that stand for a missing answer, at most {thousands(MOST_VALUES)}, none "
            f"of them empty (an empty cell is missing anyway); got {str(codes)[:200]!r}"
        )
    return texts


def _values(
    entry: str | Sequence[str] | None, name: str, type: Type, decimal: str
) -> tuple[tuple[str, str], ...]:
    """Return values of the file and their replacements, a number written as the file writes numbers."""
    if entry is None:
        return ()
    if isinstance(entry, str) or len(entry) % 2 or len(entry) > 2 * MOST_VALUES:
        raise BadMapping(
            f"{VALUES + name!r} must list values and what each becomes, at most {thousands(MOST_VALUES)} pairs; "
            f"got {str(entry)[:200]!r}"
        )
    pairs = list(zip(entry[::2], entry[1::2], strict=True))
    for value, becomes in pairs:
        if not value.strip() or not becomes.strip() or not is_sound(value + becomes):
            raise BadMapping(
                f"{VALUES + name!r} has a value that is empty or no text, or becomes that; leave that pair out"
            )
        if type == "number" and not is_number(becomes):
            entry = f"{value[:60]!r} must become a number; got {becomes[:60]!r}"
            raise BadMapping(f"{VALUES + name!r}: {entry}", on_page=f"in the table of values, {entry}")
    return tuple(
        (value.strip(), becomes.strip().replace(".", decimal) if type == "number" else becomes.strip())
        for value, becomes in pairs
    )


def _column_index(index_by_name: Mapping[str, int], role: str, name: str) -> int:
    if name not in index_by_name:
        raise BadMapping(
            f"{role!r} is mapped to {name!r}, which the file does not have; it has {listed(index_by_name)}"
        )
    return index_by_name[name]


def _check_name(name: str, used_names: set[str], kind: Kind) -> None:
    if kind.role(name) not in kind.further:
        raise BadMapping(
            f"a table of {kind.name} has no column {name!r}; it has "
            f"{listed([column.name for column in kind.columns])}"
        )
    reserved = used_names | {column.name for column in kind.columns} | RESERVED
    if name.casefold() in reserved or not name.strip() or len(name) > 200:
        raise BadMapping(
            f"a further column cannot be stored as {name!r}: the name is empty, too long or used already; "
            "leave it out"
        )


def _check_option_numbers(plan: Plan) -> None:
    """Refuse a number of one option without that of the other, and without options."""
    names = [target.name for target in plan.targets if plan.kind.role(target.name) == "option number"]
    if not plan.compared and names:
        raise BadMapping(
            f"{listed(names)} tell of two options: map `option_a` and `option_b`, or leave them out",
            on_page=f"{listed(names)} tell of two options: choose the columns of both options, or do not use them",
        )
    if (
        plan.compared
        and any(target.name == "system" for target in plan.targets)
        and plan.kind.name == "choices"
    ):
        raise BadMapping(
            "`system` is the one system of a labeled item; map the two of a pair as `option_a` and `option_b`",
            on_page="The system is that of a labeled item: pairs have theirs in both options, so do not use it",
        )
    unpaired = [name for name in names if not {f"{name[:-2]}_a", f"{name[:-2]}_b"} <= {*names}]
    if unpaired:
        raise BadMapping(
            f"{listed(unpaired)} must be two columns, one of each option, kept as `length_a` and `length_b`; map the "
            "other, too, or leave it out",
            on_page=f"{listed(unpaired)} must be two columns, one of each option, such as length_a and length_b; "
            "choose the other, too, or do not use it",
        )


def may_lack_raters(kind: Kind) -> tuple[str, ...]:
    """Return the forms in which one row is one rater's, so that a file may name none."""
    if kind is RANKINGS:
        return tuple(kind.forms)
    if "@raters" not in kind.switches:
        return ()
    return ("long", "measure columns", *(form for form in kind.forms if form == GRADE_COLUMNS))


RESERVED = {"row", "rowid", "check"}
FALSE_CHECKS = ("0", "0.0", "false", "no", "n", "f", "none", "nan", "null", "na", "-")
"""Values of a check column in rows that are no check rows, besides none."""
