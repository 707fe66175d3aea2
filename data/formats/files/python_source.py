"""Data sets of SUREAL written as Python: parsed and never run.

Lists, dictionaries, texts, numbers, names given before and texts put together with + are understood; whatever else
stands where a value should is taken as missing.
"""

import ast
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data.errors import UnreadableFile
from data.formats.files.records import table_of
from data.tables import text as delimited_text
from data.tables.text import Text

_BEGINS = re.compile(rb"^(?:dis_videos|ref_videos)\s*=\s*\[", re.MULTILINE)
_LARGEST = 4 << 20
"""Bytes; a tree of Python takes hundreds of times as much as its text."""
_LONGEST = 10_000
"""Characters of a text that is put together."""
_PLAIN = ("asset_id", "content_id", "path")


def reads(head: bytes) -> bool:
    return _BEGINS.search(head) is not None


def as_text(path: Path, folder: Path, mapping: Mapping[str, str | Sequence[str]]) -> Text:
    if path.stat().st_size > _LARGEST:
        raise UnreadableFile(
            "this Python file is larger than 4 MB, more than can be taken apart; save its ratings as JSON or CSV"
        )
    text = delimited_text.as_text(path, folder, mapping)
    videos = _videos(text.path.read_text(encoding="utf-8-sig", errors="replace"))
    return table_of(lambda: enumerate(videos, start=1), folder, text.encoding, flat=False)


def _videos(source: str) -> list[dict[str, Any]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
        names: dict[str, Any] = {}
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, ast.Name):
                    names[target.id] = _value(statement.value, names)
    except (RecursionError, MemoryError) as error:
        raise UnreadableFile(
            "this Python file is nested too deep to be read; save its ratings as CSV"
        ) from error
    except (SyntaxError, ValueError) as error:
        line_of_error = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        raise UnreadableFile(
            f"this Python file is no valid Python{line_of_error}: it was cut or changed; save it again, or its "
            "ratings as CSV"
        ) from error
    videos = names.get("dis_videos")
    records = (
        [_video(entry) for entry in videos if isinstance(entry, dict)] if isinstance(videos, list) else []
    )
    if not any(video.get("os") for video in records):
        raise UnreadableFile(
            "this Python file has no list `dis_videos` of dictionaries with opinion scores under 'os'; nothing in it "
            "is run, so they must stand there"
        )
    return records


def _video(entry: Mapping[Any, Any]) -> dict[str, Any]:
    video = {name: entry.get(name) for name in _PLAIN if not isinstance(entry.get(name), list | dict)}
    scores = entry.get("os")
    if isinstance(scores, dict):
        video["os"] = {str(rater): _scores(given) for rater, given in scores.items()}
    else:
        video["os"] = _scores(scores) if isinstance(scores, list) else None
    return video


def _scores(value: Any) -> Any:
    """A score, or a list of them; a list in it holds repetitions."""
    if isinstance(value, list):
        return [score if not isinstance(score, list | dict) else None for score in value]
    return None if isinstance(value, dict) else value


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() | int() | float() as value):
            return value
        case ast.Name(id=name):
            return names.get(name)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(each, names) for each in elements]
        case ast.Dict(keys=keys, values=values):
            pairs = [
                (_value(key, names), _value(value, names))
                for key, value in zip(keys, values, strict=True)
                if key
            ]
            return {key: value for key, value in pairs if isinstance(key, str | int | float)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            first, second = _value(left, names), _value(right, names)
            if isinstance(first, str) and isinstance(second, str) and len(first) + len(second) <= _LONGEST:
                return first + second
    return None
