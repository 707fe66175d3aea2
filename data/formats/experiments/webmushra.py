"""Results of webMUSHRA: one row per stimulus and page (`rating_score`), or per pair (`choice_answer`).

The stimuli of a page are systems on one topic; the hidden reference and the anchors are stimuli by name.
"""

from collections.abc import Iterator

from data.formats.parts.answers import known_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import is_number

_OURS = {"session_test_id", "session_uuid", "trial_id"}
_OF_RATINGS = {"rating_stimulus", "rating_score"}
_OF_PAIRS = {"choice_reference", "choice_non_reference", "choice_answer"}
_RATINGS = ("item", "rater", "answer", "system", "system_kind", "topic", "seconds")
_PAIRS = ("item", "rater", "answer", "option_a", "option_b", "seconds")


def _knows(table: Table) -> bool:
    has = set(table.names)
    return has >= _OURS and (has >= _OF_RATINGS or has >= _OF_PAIRS)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    pairs = set(table.names) >= _OF_PAIRS
    first = table.names.index("trial_id")
    about = {name: f"rater_{name.casefold()}" for name in table.names[:first] if name not in _OURS}
    notes = ["A session is a rater."]
    if not pairs:
        notes.append(
            "An item is a stimulus on a page (trial); the stimulus is its system, the page its topic."
        )

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        shared = {"rater": row["session_uuid"], **{plain: row[name] for name, plain in about.items()}}
        if pairs:
            first, second = row["choice_reference"], row["choice_non_reference"]
            told = row["choice_answer"].casefold().replace("_", "").replace(" ", "")
            answer = {"reference": "A", "nonreference": "B"}.get(told, row["choice_answer"])
            seconds = _seconds(row.get("choice_time", ""))
            options = {"option_a": first, "option_b": second, "seconds": seconds}
            yield line, {**shared, "item": row["trial_id"], "answer": answer, **options}
            return
        stimulus = row["rating_stimulus"]
        if not row["rating_score"]:
            yield Aside(line, "rating_score", "the stimulus was not rated", "")
            return
        yield (
            line,
            {
                **shared,
                "item": f"{row['trial_id']}__{stimulus}",
                "answer": row["rating_score"],
                "system": stimulus,
                "system_kind": _kind(stimulus),
                "topic": row["trial_id"],
                "seconds": _seconds(row.get("rating_time", "")),
            },
        )

    columns = (*(_PAIRS if pairs else _RATINGS), *about.values())
    answers = ["A", "B"] if pairs else [row["rating_score"] for row in table.first_rows()]
    return Canonical(columns, table.made(of_row), known_of(columns, answers), tuple(notes))


def _kind(stimulus: str) -> str:
    plain = stimulus.casefold()
    return "reference" if plain == "reference" else "anchor" if plain.startswith("anchor") else "system"


def _seconds(milliseconds: str) -> str:
    return f"{float(milliseconds) / 1000:.6g}" if is_number(milliseconds) else ""


FORMAT = Format("webMUSHRA", _knows, _canonical)
