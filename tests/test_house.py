"""Rules for additions: tests of `analysis` import each of its modules, and change nothing on import."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = [path for path in sorted((ROOT / "analysis").rglob("*/*.py")) if path.name != "__init__.py"]
SETS_ATTRIBUTE = re.compile(r"(?m)^[^\W\d][^=\n()#]*\.\w[^=\n]*=(?!=)")
"""A line outside functions that may set an attribute."""


def named_by(source: str) -> set[str]:
    """Return full names of imported modules."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def imported_by_tests() -> set[str]:
    """Return the modules that tests of the analysis import."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "analysis").rglob("*.py"))
    return {name for source in sources for name in named_by(source)}


def test_every_module_is_imported_by_a_test() -> None:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES}
    assert not names - imported_by_tests(), "their tests belong in the same folder of tests/analysis"


def test_a_module_is_found_however_it_is_imported() -> None:
    assert named_by("from analysis.room import figure") >= {"analysis.room.figure"}
    assert named_by("from analysis.room.figure import mean") >= {"analysis.room.figure"}
    assert "analysis.room.figure" not in named_by("from analysis.room.figures import mean")


def test_headings_below_a_page_title_are_second_level() -> None:
    """Check for `st.subheader`, which skips a heading level."""
    sources = [path for room in ("pages", "ui") for path in (ROOT / room).rglob("*.py")]
    assert [path for path in sources if ".subheader(" in path.read_text(encoding="utf-8")] == []


def changes_when_read(source: str) -> list[int]:
    """Return the lines at which importing a module sets attributes of its imports: `sums.SUMMED_FROM = 600`."""
    if not SETS_ATTRIBUTE.search(source):  # of most modules, which need no parsing
        return []
    body = ast.parse(source).body
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return [
        node.lineno
        for line in body
        if isinstance(line, ast.Assign | ast.AugAssign)
        for node in ast.walk(line)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if isinstance(node.value, ast.Name) and node.value.id in imported
    ]


def test_importing_tests_changes_no_product_state() -> None:
    """Every module of the tests is imported before the first test runs, programs for other processes, too."""
    found = {
        path.relative_to(ROOT).as_posix(): changes_when_read(path.read_text(encoding="utf-8"))
        for path in (ROOT / "tests").rglob("*.py")
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_assignments_to_imports_are_found() -> None:
    head = "import ssl\nfrom data.store import sums\n"
    assert changes_when_read(head + "sums.LEAST, sums.MOST = 1, 2") == [3, 3]
    assert changes_when_read(head + "sums.LEAST += 1") == [3]
    assert (
        changes_when_read(head + "own = ssl.SSLContext()\nown.check_hostname = False\nleast = sums.LEAST")
        == []
    )
    assert changes_when_read(head + "def later():\n    sums.LEAST = 1") == []
