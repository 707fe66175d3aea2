"""The columns of a waiting file, each with a box for its role above its first values, and what its values become.

Corrections are kept apart from the boxes, of which only one page is drawn.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from data.dataset import SLOT
from data.kinds.kind import Kind, option_number
from data.kinds.studies import ENDS, RANKINGS
from data.mapping.columns import attribute_of_raters, seconds_of
from data.mapping.plan import ALL, ROW, SWITCHES, VALUES, FileMapping, may_lack_raters
from data.mapping.values import Becomes, as_entry, lacks_middle, values_to_map
from data.reading.wide_layouts import parallel_columns
from data.tables.sniffed import Sniffed
from features.plotting.theme import count
from ui.elements import show_cells, show_note

ACROSS, ON_A_PAGE = 6, 12
EXAMPLES = 4
"""Rows of the file that are seen below the heads."""
UNUSED = "not used"
FURTHER = {
    "item number": "A number that is the same in all rows of an item, kept under its own name: a possible reference.",
    "rater attribute": "What is known about the rater: age, country, device. Kept as rater_….",
    "option number": "A number of one of the two options, such as its length, with the other's beside it: kept as "
    "length_a and length_b. Its effect can be taken out of a scale.",
}
"""Roles of a column besides the kind's own."""
MADE = (ROW, SLOT, ALL)
"""Source of a column where an item or a rater is made of the rows."""
_WORD = re.compile(r"[^\W_]+")
Source = str | tuple[str, ...]


@dataclass(frozen=True)
class Heads:
    """Roles of the columns of a file, as proposed and as corrected by the visitor.

    A source is a column, several that belong together, or what is made of the rows. `named` are the names of further
    columns; `proposed_item` are the columns that name an item together, None where the layout says what items are.
    """

    key: str
    seen: Sniffed
    kind: Kind
    sources: tuple[Source, ...]
    roles: tuple[str, ...]
    proposed: Mapping[Source, str]
    corrected: dict[Source, str]
    named: Mapping[Source, str]
    proposed_item: tuple[str, ...] | None

    @property
    def item(self) -> tuple[str, ...]:
        """Columns that name an item together."""
        chosen: tuple[str, ...] | None = st.session_state.get(f"{self.key} item parts")
        if self.proposed_item is None:
            return ()
        parts = self.proposed_item if chosen is None else chosen
        return tuple(part for part in parts if part in self.sources)

    def role(self, source: Source) -> str:
        role = self.corrected.get(source, self.proposed.get(source, UNUSED))
        role = role if role in self.roles_of(source) else UNUSED
        return "item_id" if role == UNUSED and source in self.item else role

    def roles_of(self, source: Source) -> tuple[str, ...]:
        if isinstance(source, tuple):
            not_told = {
                self.kind.cells,
                *self.kind.cells_in.values(),
                *([] if self.proposed_item is None else ["item_id"]),
            }
            return (UNUSED, *(column.name for column in self.kind.columns if column.name not in not_told))
        made = _role_of_row_number(self.kind, self.proposed_item is None, source)
        return self.roles if made is None else (UNUSED, made)

    def mapping(self) -> dict[str, Source]:
        """Return the sources of the canonical columns in their order, then of further ones."""
        found = {self.role(source): source for source in self.sources}
        if self.item:
            found["item_id"] = self.item[0] if len(self.item) == 1 else self.item
        mapping = {column.name: found[column.name] for column in self.kind.columns if column.name in found}
        for source in self.sources:
            role = self.role(source)
            if role in FURTHER:
                mapping[self._name(source, role)] = source
        return mapping

    def choose(self, source: Source, box: str) -> None:
        """Take what was chosen in a box; the source that had this role is not used any more."""
        chosen = st.session_state[box]
        if source in self.item and (chosen == UNUSED or len(self.item) == 1):
            self._set_item([part for part in self.item if part != source])
        if chosen != UNUSED and chosen not in FURTHER:
            self.corrected.update({other: UNUSED for other in self.sources if self.role(other) == chosen})
        if chosen == "item_id" and self.proposed_item is not None:
            self._set_item([source] if source in self.seen.names else [])
            chosen = UNUSED if source in self.seen.names else chosen
        self.corrected[source] = chosen

    def choose_item(self, box: str) -> None:
        """Take the columns that were chosen to name an item together."""
        self._set_item(st.session_state[box])
        self.corrected.update(
            {
                other: UNUSED
                for other in self.sources
                if self.role(other) == "item_id" and other not in self.item
            }
        )

    def _set_item(self, parts: Sequence[Source]) -> None:
        st.session_state[f"{self.key} item parts"] = tuple(parts)

    def _name(self, source: Source, role: str) -> str:
        plain = str(source)
        proposed = self.named.get(source)
        if proposed is not None and self.kind.role(proposed) == role:
            return proposed
        if role == "option number":
            return option_number(plain)
        return attribute_of_raters(plain) if role == "rater attribute" else plain


def propose_heads(
    keys: str,
    seen: Sniffed,
    kind: Kind,
    proposed: FileMapping,
    form: str,
    wide: tuple[str, ...],
    named: Collection[str],
    ends: tuple[str, ...] = (),
) -> Heads:
    """Return the heads of a file in a form: the columns `wide` hold a rating each, and name what is `named`.

    `ends` are the columns that name the best and the worst of a tuple.
    """
    key = f"{keys} {kind.name}"
    at = _fitting(kind, proposed, form, wide)
    of_columns = form == "item columns"
    parts = None if of_columns or kind.column("item_id") is None else _parts(at.get("item_id"), seen)
    if parts:
        del at["item_id"]
    found = {source: name if kind.column(name) else kind.role(name) for name, source in at.items()}
    special = [source for source in found if source not in seen.names]
    special += [family for family in parallel_columns(seen.names, wide) if family not in special]
    together = {name for source in found if isinstance(source, tuple) for name in source}
    single = [name for name in seen.names if name not in {*wide, *ends, *together}]
    corrected: dict[Source, str] = st.session_state.setdefault(f"{key} roles", {})
    given = {*named, *([kind.cells] if form != "long" else [])}
    of_file = Heads(
        key=key,
        seen=seen,
        kind=kind,
        sources=(*special, *single),
        roles=(
            UNUSED,
            *(column.name for column in kind.columns if column.name not in given),
            *kind.further,
        ),
        proposed=found,
        corrected=corrected,
        named={source: name for name, source in at.items() if kind.column(name) is None},
        proposed_item=parts,
    )
    return replace(of_file, sources=_sort_sources(of_file, [*_row_sources(of_file, form), *special, *single]))


def _fitting(kind: Kind, proposed: FileMapping, form: str, wide: tuple[str, ...]) -> dict[str, Source]:
    """Return the proposed columns that a form can have; those of raters and items change places with the form."""
    before, cells = str(proposed.get("@form", "long")), kind.cells_of(form)
    beside = proposed.get(kind.cells_of(before), ())
    at: dict[str, Source] = {}
    for name, source in proposed.items():
        if name.startswith("@") or (name in (kind.cells, cells) and form != "long"):
            continue
        if isinstance(source, str) or (name == "item_id" and "item columns" not in (before, form)):
            if source != wide:  # a tuple that is called by its options
                at[name] = source
        elif form == before and {*wide} <= {*beside}:
            of = dict(zip(beside, source, strict=True))
            at[name] = tuple(of[column] for column in wide)
    for other, own, theirs in (
        ("rater columns", "rater_id", "item_id"),
        ("item columns", "item_id", "rater_id"),
    ):
        if form == other != before and before in ("rater columns", "item columns") and own in at:
            source = at.pop(own)
            if isinstance(source, str):
                at.setdefault(theirs, source)
    return {
        name: source
        for name, source in at.items()
        if source not in MADE or _role_of_row_number(kind, form == "item columns", source) == name
    }


def _role_of_row_number(kind: Kind, items_beside: bool, source: Source) -> str | None:
    """Return what the number of a row, or of a rating of an item, stands for; None for columns."""
    if source == ROW:
        return "rater_id" if items_beside else "item_id"
    if source == ALL:
        return "item_id"
    return "rater_id" if source == SLOT else None


def _row_sources(of_file: Heads, form: str) -> Iterator[str]:
    """Yield the sources made of the rows, where nothing else is the item or the rater."""
    kind = of_file.kind
    is_possible = {
        ROW: "item_id" in kind.forms.values(),
        SLOT: form in may_lack_raters(kind),
        ALL: kind is RANKINGS and form != ENDS,
    }
    for source in MADE:
        role = _role_of_row_number(kind, of_file.proposed_item is None, source)
        if is_possible[source] and source not in of_file.proposed and role in of_file.roles:
            in_use = of_file.corrected.get(source, UNUSED) != UNUSED
            named = role == "item_id" and of_file.item
            if in_use or not (named or any(of_file.role(other) == role for other in of_file.sources)):
                yield source


def _sort_sources(of_file: Heads, sources: list[Source]) -> tuple[Source, ...]:
    """Return the sources, those in use first where there are more than on a page."""
    if len(sources) > ON_A_PAGE:
        used: dict[Source, str] = dict(of_file.proposed)
        used |= dict.fromkeys(of_file.proposed_item or (), "item_id")
        places = {column.name: place for place, column in enumerate(of_file.kind.columns)}
        sources.sort(key=lambda each: (each not in used, places.get(used.get(each, ""), len(places))))
    return tuple(sources)


def _parts(source: Source | None, seen: Sniffed) -> tuple[str, ...]:
    if source is None or source in MADE:
        return ()
    return (source,) if isinstance(source, str) else source


def show_heads(of_file: Heads) -> None:
    """Draw the columns with their boxes and first values, a page at a time."""
    sources, place = of_file.sources, f"{of_file.key} from"
    start = min(st.session_state.get(place, 0), max(len(sources) - 1, 0))
    line = st.container(horizontal=True, vertical_alignment="bottom")
    if of_file.proposed_item is not None:
        with line:
            _item(of_file)
    with line.container(horizontal=True, vertical_alignment="center"):
        popover = st.popover(
            "What a column can be", type="tertiary", on_change="rerun", key=f"{of_file.key} told"
        )
        if popover.open:
            with popover, st.container(gap="xsmall"):
                _explain_roles(of_file.kind)
        if len(sources) > ON_A_PAGE:
            end = min(start + ON_A_PAGE, len(sources))
            for label, to, off in (
                ("Columns before", start - ON_A_PAGE, start == 0),
                ("Columns after", end, end == len(sources)),
            ):
                st.button(
                    label,
                    type="tertiary",
                    disabled=off,
                    on_click=st.session_state.__setitem__,
                    args=(place, to),
                )
            show_note(
                "{first} to {last} of {all}, those in use first",
                first=count(start + 1),
                last=count(end),
                all=count(len(sources)),
            )
    shown = sources[start : start + ON_A_PAGE]
    # in one row of columns a single empty one takes the rest: on a narrow page each would leave a gap
    widths = [1] * len(shown) + [ACROSS - len(shown)] if 0 < len(shown) < ACROSS else [1] * ACROSS
    for at in range(0, len(shown), ACROSS):
        for place_of, source in zip(st.columns(widths, gap="small"), shown[at : at + ACROSS], strict=False):
            with place_of, st.container(gap="xsmall"):
                _head(of_file, source)


def _explain_roles(kind: Kind) -> None:
    for column in kind.columns:
        required = ", required" if column.required else ""
        show_note("<b>{name}</b>{required}: {help}", name=column.title, required=required, help=column.help)
    for role in kind.further:
        show_note("<b>{name}</b>: {help}", name=role, help=FURTHER[role])


def _item(of_file: Heads) -> None:
    """Draw the choice of the columns that name an item."""
    box = f"{of_file.key} item"
    st.session_state[box] = list(of_file.item)
    st.multiselect(
        f"The {of_file.kind.title_of('item_id')} is named by",
        [source for source in of_file.sources if source in of_file.seen.names],
        key=box,
        on_change=of_file.choose_item,
        args=(box,),
        placeholder="Choose a column",
        help="Several columns name an item together, such as a document and a system. They can have roles of their "
        "own as well.",
        width=420,
    )


def _head(of_file: Heads, source: Source) -> None:
    label, name, values = _describe_source(of_file.seen, source, of_file.kind, of_file.proposed_item is None)
    box = f"{of_file.key} {label}"
    st.session_state[box] = of_file.role(source)
    show_cells([name], bold=True)
    st.selectbox(
        label,
        of_file.roles_of(source),
        key=box,
        format_func=of_file.kind.title_of,
        label_visibility="collapsed",
        on_change=of_file.choose,
        args=(source, box),
    )
    show_cells(values)


def _describe_source(
    seen: Sniffed, source: Source, kind: Kind, items_beside: bool
) -> tuple[str, str, list[str]]:
    """Return the label of a box, without Markdown, and the column's name and first values."""
    if source == ROW:
        what = kind.raters if items_beside else kind.items
        one = what.removesuffix("s")
        return f"Each row is one {one}", f"(each row is one {one})", [str(row + 1) for row in range(EXAMPLES)]
    if source == ALL:
        return "All are of one task", "(all are of one task)", ["all"] * EXAMPLES
    if source == SLOT:
        return (
            "No rater is named",
            "(no rater is named)",
            [f"slot {number + 1}" for number in range(EXAMPLES)],
        )
    first = source if isinstance(source, str) else source[0]
    at = seen.names.index(first)
    values = [row[at] for row in seen.first[:EXAMPLES] if at < len(row)]
    values = next((list(part.values[:EXAMPLES]) for part in seen.parts if part.name == first), values)
    if not any(values):
        values = list(seen.columns[at].examples[:EXAMPLES]) or [
            f"empty in {count(seen.looked_at)} rows" if seen.looked_at else "no whole row"
        ]
    plain = " ".join(_WORD.findall(first))[:60]
    if isinstance(source, tuple):
        return f"{len(source)} columns from {at + 1}: {plain}", f"{first} … ({len(source)} columns)", values
    return f"Column {at + 1}: {plain}", first, values


_FOUND, _TIMES, _BECOMES = "Value as found", "How often", "Becomes"


def value_controls(
    keys: str,
    seen: Sniffed,
    kind: Kind,
    mapping: dict[str, str | tuple[str, ...]],
    labels: Mapping[str, int] | None = None,
) -> None:
    """Draw a table for each column whose values need one, and add what is chosen to the mapping.

    `labels` are those of the data set to which the file is added.
    """
    shared = seconds_of(seen, mapping) if "@seconds" in kind.switches else None
    if shared:
        mapping["@seconds"] = shared[0]
    if shared and shared[1]:
        mapping["@seconds"] = st.selectbox(
            "Seconds are of one",
            SWITCHES["@seconds"],
            index=SWITCHES["@seconds"].index(shared[0]),
            key=f"{keys} @seconds",
            help="An assignment's time is divided over its ratings; what one rating takes feeds the hours of work.",
        )
    middle = lacks_middle(seen, kind, mapping) and st.toggle(
        "The scale had a middle that nobody chose",
        key=f"{keys} middle",
        help="Without it, 'strongly disagree, disagree, agree, strongly agree' are 1 to 4; with it, 1, 2, 4 and 5.",
    )
    for name, values in values_to_map(seen, kind, mapping, middle, labels).items():
        source = mapping[name]
        show_note(
            "What the values of {name} become{unless}. Counted in the first rows; values that come later can be added.",
            name=name,
            unless="; left empty, a rating is set aside" if name == "score" else "",
        )
        table = pd.DataFrame(
            [{_FOUND: each.found, _TIMES: each.times, _BECOMES: each.becomes} for each in values]
        )
        edited = st.data_editor(
            table.astype({_TIMES: "Int64"}),
            key=f"{keys} values of {name} in {source} {middle}",
            disabled=[_TIMES],
            num_rows="dynamic",
            hide_index=True,
        )
        mapping.pop(VALUES + name, None)
        entry = as_entry(values_of(edited.to_dict("records")))
        if entry:
            mapping[VALUES + name] = entry


def values_of(rows: Sequence[Mapping[object, object]]) -> list[Becomes]:
    """Return the values of the edited table; rows that the user added have no count, cleared cells no text."""
    pairs = [(_text(row.get(_FOUND)), _text(row.get(_BECOMES))) for row in rows]
    return [Becomes(found, 0, becomes) for found, becomes in pairs if found]


def _text(cell: object) -> str:
    return cell.strip() if isinstance(cell, str) else ""
