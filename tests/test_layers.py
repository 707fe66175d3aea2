"""Direction of imports, and SQL in one place only: checked on the source."""

import ast
import os
import re
import sys
from collections import Counter
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MAY_IMPORT = {
    "analysis": {"analysis", "numpy", "scipy", "rouge_score"},
    "data": {"data", "analysis", "numpy", "pandas", "duckdb", "openpyxl", "pyarrow", "pyreadstat"},
    "features": {"features", "analysis", "data", "numpy", "pandas"},
    "report": {"report", "features", "data", "analysis", "numpy", "pandas", "docx", "jinja2", "markupsafe"},
    "server": {"server", "data", "starlette", "streamlit", "google", "python_multipart"},
    "ui": {"ui", "report", "features", "server", "data", "analysis", "numpy", "pandas", "streamlit"},
    "pages": {"ui", "features", "streamlit"},
    "app": {"server", "data", "streamlit", "starlette"},
}
MAY_BESIDES = {
    "features/*/controls.py": {"streamlit", "ui"},
    "features/*/figures.py": {"plotly"},
    "features/plotting/*.py": {"plotly", "kaleido", "choreographer"},
}
"""Packages that single modules may import besides."""
MOST_MODULES = 20
"""In one folder, other than that of the pages; about a dozen is what a reader keeps in mind."""
LONGEST_PAGE = 90
"""Lines of a page's script."""
ENTRY_POINTS = ("__main__.py", "app.py")
SQL = re.compile(
    r"\b(SELECT|INSERT INTO|CREATE TABLE|DROP TABLE|DELETE FROM|GROUP BY|ORDER BY|ATTACH)\b"
    r"|(?i:\b(insert into|drop table|delete from|create (or replace |temp |temporary )*table)\b)"
    r"|(?is:\bselect\b.*\bfrom\b.*\b(where|group by|order by|limit|join)\b)"
)


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def source_files() -> list[Path]:
    folders = [folder for layer in MAY_IMPORT for folder in os.walk(ROOT / layer)]  # some may go meanwhile
    found = sorted(Path(path) / name for path, _, names in folders for name in names if name.endswith(".py"))
    return [ROOT / "app.py", *found]


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """All that a source is made of, once for all tests."""
    return tuple(ast.walk(ast.parse(source)))


def may_import(path: str) -> set[str]:
    """Return the packages that the module at a path below the root may import."""
    allowed = MAY_IMPORT[path.split("/")[0].removesuffix(".py")]
    for pattern, more in MAY_BESIDES.items():
        allowed = allowed | more if fnmatch(path, pattern) else allowed
    return allowed


def breaches(path: str, source: str) -> list[str]:
    """Return what in the source of a module, by its path, breaks the rules of its layer, one sentence each."""
    told, layer, allowed = [], path.split("/")[0].removesuffix(".py"), may_import(path)
    for node in nodes_of(source):
        for name in _imported(layer, node):
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top not in allowed:
                told.append(f"line {node.lineno}: {layer} imports {name}")  # type: ignore[attr-defined]
    if layer != "data":
        told += [
            f"line {text.lineno}: SQL outside data: {text.value.strip()[:60]!r}"
            for text in _strings(nodes_of(source))
            if SQL.search(text.value)
        ]
    return told


def _imported(layer: str, node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return [layer if node.level else node.module or ""]
        case ast.Call(
            func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[argument, *_]
        ):
            return [argument.value if isinstance(argument, ast.Constant) else "a module by a computed name"]
    return []


def _strings(nodes: tuple[ast.AST, ...]) -> list[ast.Constant]:
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_a_module_imports_only_what_its_layer_may(layer: str) -> None:
    paths = {path.relative_to(ROOT).as_posix(): path for path in source_files() if layer_of(path) == layer}
    told = {name: breaches(name, path.read_text(encoding="utf-8")) for name, path in paths.items()}
    assert {name: found for name, found in told.items() if found} == {}


def test_every_layer_has_source_files() -> None:
    assert {layer_of(path) for path in source_files()} == set(MAY_IMPORT)


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_every_allowed_import_is_used(layer: str) -> None:
    imported = {
        name.split(".")[0]
        for path in source_files()
        if layer_of(path) == layer
        for node in nodes_of(path.read_text(encoding="utf-8"))
        for name in _imported(layer, node)
    }
    assert MAY_IMPORT[layer] - imported == set()


def imports_of_folders() -> dict[str, set[str]]:
    """Return the folders that each folder's modules import from, without entry points."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in source_files()}
    reached: dict[str, set[str]] = {}
    for path in source_files():
        if path.name in ENTRY_POINTS:
            continue
        folder = path.parent.relative_to(ROOT).as_posix()
        reached.setdefault(folder, set())
        for node in nodes_of(path.read_text(encoding="utf-8")):
            for name in _modules(node, modules):
                reached[folder].add(modules[name].parent.relative_to(ROOT).as_posix())
        reached[folder].discard(folder)
    return reached


def _modules(node: ast.AST, modules: dict[str, Path]) -> list[str]:
    match node:
        case ast.Import():
            named = [alias.name for alias in node.names]
        case ast.ImportFrom(module=str(module)):
            named = [f"{module}.{alias.name}" for alias in node.names] + [module]
        case _:
            return []
    return [name for each in named for name in (each, f"{each}.__init__") if name in modules]


def circle(reached: dict[str, set[str]]) -> list[str]:
    """Folders in or leading to a cycle."""
    left = {folder: set(others) for folder, others in reached.items()}
    while done := [folder for folder, others in left.items() if not others & set(left)]:
        for folder in done:
            del left[folder]
    return sorted(left)


def test_folders_have_no_import_cycle() -> None:
    assert circle(imports_of_folders()) == []


def test_an_import_cycle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == ["a", "b", "c", "d"]


def facades() -> list[Path]:
    """Modules that re-export public names."""
    return sorted({*(ROOT / "analysis").glob("*.py"), *(ROOT / "analysis").glob("*/__init__.py")})


def test_modules_never_import_from_facades() -> None:
    facade_names = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in facades()}
    facade_names |= {name.removesuffix(".__init__") for name in facade_names}
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in source_files()}
    told = []
    for path in set(source_files()) - set(facades()):
        for node in nodes_of(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.ImportFrom) and node.module in facade_names:
                told += [
                    f"{path.relative_to(ROOT)}: from {node.module} import {alias.name}"
                    for alias in node.names
                    if f"{node.module}.{alias.name}" not in modules
                    and not (ROOT / node.module.replace(".", "/") / alias.name).is_dir()
                ]
    assert told == []


@pytest.mark.parametrize("path", facades(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_facade_only_reexports_names(path: Path) -> None:
    _, *statements = ast.parse(path.read_text(encoding="utf-8")).body or [None]
    for statement in statements:
        assert isinstance(statement, ast.ImportFrom | ast.Assign), ast.unparse(statement)


def test_folders_hold_few_modules() -> None:
    modules = [path for path in source_files() if path.name != "__init__.py" and layer_of(path) != "pages"]
    number = Counter(path.parent for path in modules)
    assert {folder: n for folder, n in number.items() if n > MOST_MODULES} == {}


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("analysis", "import pandas as pd"),
        ("analysis", "from data.store.store import Store"),
        ("analysis", "def slow():\n    import streamlit"),
        ("analysis", "import importlib\nimportlib.import_module('plotly')"),
        ("analysis", "__import__('duckdb')"),
        ("data", "import streamlit as st"),
        ("data", "from features import tables"),
        ("data", "import plotly.graph_objects as go"),
        ("pages", "import duckdb"),
        ("pages", "import plotly.express"),
        ("app", "from plotly import graph_objects"),
        ("features", "import streamlit"),
        ("features/systems/section.py", "import streamlit as st"),
        ("features/systems/results.py", "from ui.render import show_table"),
        ("features/words.py", "import plotly"),
        ("features", "from ui.render import show_table"),
        ("features", "from ui.elements import PAGE"),
        ("features", "from report.build import report_of"),
        ("report", "import streamlit"),
        ("report", "import plotly.io"),
        ("ui", "import plotly"),
        ("pages", "query = 'SELECT item_id FROM ratings'"),
        ("pages", "query = f'select {column} from x where y = 1'\nlimit = 'select a from b limit 3'"),
        ("analysis", "text = 'delete from ratings'"),
    ],
)
def test_a_violation_is_found(layer: str, source: str) -> None:
    assert breaches(layer, source)


@pytest.mark.parametrize(
    ("layer", "source"),
    [
        ("analysis", "import math\nfrom collections.abc import Mapping\nfrom scipy import stats\n"),
        ("analysis", '"""Sums that SELECT ... GROUP BY made."""\nfrom . import errors\n'),
        ("data", "import duckdb\nquery = 'SELECT 1'\n"),
        ("features/plotting/export.py", "import plotly.io\nfrom analysis.values.estimate import Estimate\n"),
        ("features/systems/controls.py", "import streamlit as st\nfrom ui.controls import choose_one\n"),
        ("pages", "label = 'Select a measure from the list'\nimport streamlit as st\n"),
    ],
)
def test_allowed_source_passes(layer: str, source: str) -> None:
    assert breaches(layer, source) == []


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.name)
def test_page_scripts_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < LONGEST_PAGE
