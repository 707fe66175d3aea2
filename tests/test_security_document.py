"""Tests named in docs/security.md as tried attacks exist."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", DOCUMENT)


@cache
def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }


def test_every_test_that_is_named_is_there() -> None:
    assert NAMED
    for file, test in NAMED:
        there = functions_of(ROOT / file)
        assert there, file
        assert not test or test in there, f"{file}::{test}"


def test_every_attack_is_in_the_document() -> None:
    named = {test for _, test in NAMED}
    for file in sorted((ROOT / "tests" / "attacks").glob("test_*.py")):
        for test in functions_of(file):
            assert test in named or "honest" in test or "after_all_that" in test, f"{file.name}::{test}"
