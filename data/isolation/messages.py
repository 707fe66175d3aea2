"""What a server and the process that reads an upload for it say to each other: one JSON object per line."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from data import errors
from data.errors import DataError
from data.tables.sniffed import Known, Part, Reading, Sniffed, SniffedColumn, Switch


def line(**told: Any) -> str:
    return json.dumps(told) + "\n"


def sniffed_as_json(sniffed: Sniffed) -> dict[str, Any]:
    return asdict(sniffed)


def sniffed_from_json(told: Mapping[str, Any]) -> Sniffed:
    columns = tuple(
        SniffedColumn(
            **column
            | {name: tuple(column[name]) for name in ("examples", "within")}
            | {
                name: tuple((text, number) for text, number in column[name])
                for name in ("values", "together")
            }
        )
        for column in told["columns"]
    )
    switches = tuple(Switch(**each | {"allowed": tuple(each["allowed"])}) for each in told["switches"])
    known = told["known"] and Known(
        told["known"]["kind"], mapping_from_json(told["known"]["mapping"]), tuple(told["known"]["open"])
    )
    parts = tuple(
        Part(
            each["name"],
            tuple(each["values"]),
            tuple((name, share) for name, share in each["shared"]),
            tuple(each["alone"]),
        )
        for each in told["parts"]
    )
    given: dict[str, Any] = {
        "parts": parts,
        **{name: tuple(told[name]) for name in ("files", "keys", "starts")},
    }
    given |= {"columns": columns, "switches": switches, "known": known, "problems": tuple(told["problems"])}
    given["settings"] = tuple((name, setting) for name, setting in told["settings"])
    given["first"] = tuple(tuple(row) for row in told["first"])
    given["readings"] = tuple(
        Reading(**each | {"mapping": mapping_from_json(each["mapping"]), "notes": tuple(each["notes"])})
        for each in told["readings"]
    )
    return Sniffed(**dict(told) | given)


def mapping_from_json(told: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """A mapping that JSON made lists in."""
    return {name: tuple(source) if isinstance(source, list) else source for name, source in told.items()}


def error_from_json(kind: str, said: str, on_page: str = "") -> DataError:
    """The error of that class, as the process told it."""
    named = getattr(errors, kind, DataError)
    error = named(said) if isinstance(named, type) and issubclass(named, DataError) else DataError(said)
    error.on_page = on_page
    return error
