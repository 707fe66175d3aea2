"""What a server and the process that reads an upload for it say to each other: one JSON object per line."""

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, get_args, get_type_hints

from data import errors
from data.errors import DataError
from data.tables.sniffed import Sniffed


def line(**told: Any) -> str:
    return json.dumps(told) + "\n"


def sniffed_as_json(sniffed: Sniffed) -> dict[str, Any]:
    return asdict(sniffed)


def sniffed_from_json(told: Mapping[str, Any]) -> Sniffed:
    """Return what a file looks like, as the process told it."""
    sniffed: Sniffed = _typed(Sniffed, told)
    return sniffed


def _typed(kind: Any, told: Any) -> Any:
    """Return what JSON made of a value of this type: dataclasses become objects, lists become tuples."""
    if isinstance(told, list | tuple):
        kinds = get_args(kind)
        kinds = kinds[:1] * len(told) if kinds[-1] is Ellipsis else kinds
        return tuple(_typed(one, value) for one, value in zip(kinds, told, strict=True))
    if not isinstance(told, dict):
        return told
    made: Any = next((one for one in (kind, *get_args(kind)) if is_dataclass(one)), None)
    if made is None:
        return mapping_from_json(told)
    types = get_type_hints(made)
    return made(**{name: _typed(types[name], value) for name, value in told.items()})


def mapping_from_json(told: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """A mapping that JSON made lists in."""
    return {name: tuple(source) if isinstance(source, list) else source for name, source in told.items()}


def error_from_json(kind: str, said: str, on_page: str = "") -> DataError:
    """The error of that class, as the process told it."""
    named = getattr(errors, kind, DataError)
    error = named(said) if isinstance(named, type) and issubclass(named, DataError) else DataError(said)
    error.on_page = on_page
    return error
