"""The columns of a waiting file side by side: what each is in its head, to be corrected there, above its first values.

What was corrected is kept apart from the boxes, of which only those of one page of columns are drawn.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import streamlit as st

from data.dataset import SLOT
from data.kinds.kind import Kind
from data.kinds.option_numbers import option_number
from data.mapping.plan import JOINED, ROW, FileMapping
from data.tables.sniffed import Sniffed
from features.plotting.numbers import count
from ui.words import cells, note

ACROSS, ON_A_PAGE = 6, 12
VALUES = 4
"""Rows of the file that are seen below the heads."""
UNUSED = "not used"
FURTHER = {
    "item number": "A number that is the same in all rows of an item, kept under its own name: a possible reference.",
    "rater attribute": "What is known about the rater: age, country, device. Kept as rater_….",
    "option number": "A number of one of the two options, such as its length, with the other's beside it: kept as "
    "length_a and length_b. Its effect can be taken out of a scale.",
}
"""What a column can be besides the kind's own."""
_WORD = re.compile(r"[^\W_]+")
Source = str | tuple[str, ...]


@dataclass(frozen=True)
class Heads:
    """What can be chosen for the columns of a file, as proposed and as corrected.

    `proposed` leads from columns (or several that belong together, or the row's number) to what they are, `corrected`
    does so for what the visitor changed; `named` are the names under which further columns are kept. `joined`: several
    columns that belong together are the parts of one name.
    """

    key: str
    seen: Sniffed
    kind: Kind
    sources: tuple[Source, ...]
    roles: tuple[str, ...]
    proposed: Mapping[Source, str]
    corrected: dict[Source, str]
    named: Mapping[Source, str]
    joined: bool

    def role(self, source: Source) -> str:
        role = self.corrected.get(source, self.proposed.get(source, UNUSED))
        return role if role in self.roles else UNUSED

    def mapping(self) -> dict[str, Source]:
        """Canonical columns in their order, then further ones, and where each is found."""
        found = {self.role(source): source for source in self.sources}
        mapping = {column.name: found[column.name] for column in self.kind.columns if column.name in found}
        for source in self.sources:
            role = self.role(source)
            if role in FURTHER:
                mapping[self._name(source, role)] = source
        return mapping

    def choose(self, source: Source, box: str) -> None:
        """Takes what was chosen in a box; who was that before is not used any more."""
        chosen = st.session_state[box]
        if chosen != UNUSED and chosen not in FURTHER:
            self.corrected.update({other: UNUSED for other in self.sources if self.role(other) == chosen})
        self.corrected[source] = chosen

    def _name(self, source: Source, role: str) -> str:
        plain = str(source)
        proposed = self.named.get(source)
        if proposed is not None and self.kind.role(proposed) == role:
            return proposed
        if role == "option number":
            return option_number(plain)
        return f"rater_{plain}" if role == "rater attribute" and not plain.startswith("rater_") else plain


def heads(
    upload: int,
    seen: Sniffed,
    kind: Kind,
    proposed: FileMapping,
    form: str,
    wide: tuple[str, ...],
    named: Collection[str],
) -> Heads:
    """The heads of a file read in that form, of which the columns `wide` hold a rating each; these are what is `named`
    by them."""
    key = f"{upload} {kind.name}"
    at = {
        name: source
        for name, source in proposed.items()
        if not name.startswith("@")
        and (isinstance(source, str) or name == "item_id" if form == "long" else name != kind.cells)
    }
    joined = form != "item columns"
    found = {source: _role(kind, name) for name, source in at.items()}
    special = [source for source in found if source not in seen.names]
    together = {
        name
        for source in special
        if isinstance(source, tuple) and not (joined and found[source] == "item_id")
        for name in source
    }
    single = [name for name in seen.names if name not in {*wide, *together}]
    sources: list[Source] = [*special, *single]
    if len(sources) > ON_A_PAGE:
        places = {column.name: place for place, column in enumerate(kind.columns)}
        sources.sort(key=lambda each: (each not in found, places.get(found.get(each, ""), len(places))))
    given = {*named, *([kind.cells] if form != "long" else [])}
    given -= {role for source, role in found.items() if isinstance(source, tuple)}
    return Heads(
        key=key,
        seen=seen,
        kind=kind,
        sources=tuple(sources),
        roles=(
            UNUSED,
            *(column.name for column in kind.columns if column.name not in given),
            *kind.further,
        ),
        proposed=found,
        corrected=st.session_state.setdefault(f"{key} roles", {}),
        named={source: name for name, source in at.items() if kind.column(name) is None},
        joined=joined,
    )


def _role(kind: Kind, name: str) -> str:
    return name if kind.column(name) else kind.role(name)


def show_heads(of_file: Heads) -> None:
    """The columns with their boxes and first values, a page at a time."""
    sources, place = of_file.sources, f"{of_file.key} from"
    start = min(st.session_state.get(place, 0), max(len(sources) - 1, 0))
    with st.container(horizontal=True, vertical_alignment="center"):
        told = st.popover(
            "What a column can be", type="tertiary", on_change="rerun", key=f"{of_file.key} told"
        )
        if told.open:
            with told, st.container(gap="xsmall"):
                _tell(of_file.kind)
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
            note(
                "{first} to {last} of {all}, those in use first",
                first=count(start + 1),
                last=count(end),
                all=count(len(sources)),
            )
    shown = sources[start : start + ON_A_PAGE]
    for at in range(0, len(shown), ACROSS):
        for place_of, source in zip(st.columns(ACROSS, gap="small"), shown[at : at + ACROSS], strict=False):
            with place_of, st.container(gap="xsmall"):
                _head(of_file, source)


def _tell(kind: Kind) -> None:
    for column in kind.columns:
        required = ", required" if column.required else ""
        note("<b>{name}</b>{required}: {help}", name=column.name, required=required, help=column.help)
    for role in kind.further:
        note("<b>{name}</b>: {help}", name=role, help=FURTHER[role])


def _head(of_file: Heads, source: Source) -> None:
    label, name, values = _told(of_file.seen, source, of_file.joined)
    box = f"{of_file.key} {label}"
    st.session_state[box] = of_file.role(source)
    cells([name], bold=True)
    st.selectbox(
        label,
        of_file.roles,
        key=box,
        label_visibility="collapsed",
        on_change=of_file.choose,
        args=(source, box),
    )
    cells(values)


def _told(seen: Sniffed, source: Source, joined: bool) -> tuple[str, str, list[str]]:
    """How a box is called for who cannot see it, in words that are no Markdown; the column's name and first values."""
    if source == ROW:
        return "The row's number", "(the row's number)", [str(number + 1) for number in range(VALUES)]
    if source == SLOT:
        return "No rater is named", "(no rater is named)", [f"slot {number + 1}" for number in range(VALUES)]
    if isinstance(source, tuple) and joined:
        cells_of = [_told(seen, each, joined)[2] for each in source]
        values = [JOINED.join(parts) for parts in zip(*cells_of, strict=False)]
        return (
            f"{len(source)} columns: {' '.join(_WORD.findall(' '.join(source)))[:60]}",
            JOINED.join(source),
            values,
        )
    first = source if isinstance(source, str) else source[0]
    at = seen.names.index(first)
    values = [row[at] for row in seen.first[:VALUES] if at < len(row)]
    values = next((list(part.values[:VALUES]) for part in seen.parts if part.name == first), values)
    if not any(values):
        values = list(seen.columns[at].examples[:VALUES]) or [f"empty in {count(seen.looked_at)} rows"]
    plain = " ".join(_WORD.findall(first))[:60]
    if isinstance(source, tuple):
        return f"{len(source)} columns from {at + 1}: {plain}", f"{first} … ({len(source)} columns)", values
    return f"Column {at + 1}: {plain}", first, values
