"""The examples in docstrings give what they show."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WITH_EXAMPLES = [
    path
    for folder in ("analysis", "data", "server")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_give_what_they_show(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = path.relative_to(ROOT).with_suffix("").parts
    module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    outcome = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert outcome.attempted
    assert not outcome.failed, capsys.readouterr().out
