"""What values become: words for numbers, gold for labels, in a table that the user corrects."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from data.kinds.kind import Kind
from data.mapping.columns import seconds_of
from data.mapping.plan import SWITCHES, VALUES
from data.mapping.values import Becomes, as_entry, lacks_middle, values_to_map
from data.tables.sniffed import Sniffed
from ui.words import note

_FOUND, _TIMES, _BECOMES = "Value as found", "How often", "Becomes"


def value_controls(
    keys: str,
    seen: Sniffed,
    kind: Kind,
    mapping: dict[str, str | tuple[str, ...]],
    labels: Mapping[str, int] | None = None,
) -> None:
    """Draws a table for each column whose values need one, asks what seconds are of where they may be of more than one
    rating, and adds what is said to the mapping. `labels`: those of the data set to which the file is added."""
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
        note(
            "What the values of {name} become{unless}. Counted in the first rows; values that come later can be added.",
            name=name,
            unless="; left empty, a rating is set aside" if name == "score" else "",
        )
        edited = st.data_editor(
            _table(values),
            key=f"{keys} values of {name} in {source} {middle}",
            disabled=[_TIMES],
            num_rows="dynamic",
            hide_index=True,
        )
        mapping.pop(VALUES + name, None)
        entry = as_entry(values_of(edited.to_dict("records")))
        if entry:
            mapping[VALUES + name] = entry


def _table(values: Sequence[Becomes]) -> pd.DataFrame:
    return pd.DataFrame(
        [{_FOUND: value.found, _TIMES: value.times, _BECOMES: value.becomes} for value in values]
    ).astype({_TIMES: "Int64"})


def values_of(rows: Sequence[Mapping[object, object]]) -> list[Becomes]:
    """The table as it stands: rows that the user added have no count, and cleared cells no text."""
    told = [(_text(row.get(_FOUND)), _text(row.get(_BECOMES))) for row in rows]
    return [Becomes(found, 0, becomes) for found, becomes in told if found]


def _text(cell: object) -> str:
    return cell.strip() if isinstance(cell, str) else ""
