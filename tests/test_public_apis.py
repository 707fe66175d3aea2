"""Other packages stay unchanged: no module of ours sets their attributes, and Streamlit is imported in its layers."""

import ast
import sys
from pathlib import Path

import pytest

from tests.test_layers import nodes_of

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "analysis",
    "benchmarks",
    "data",
    "features",
    "pages",
    "report",
    "server",
    "ui",
)
STREAMLIT_LAYERS = ("app.py", "pages/", "server/", "ui/")
BENCHMARKED = ("benchmarks/",)
"""Bare scripts to compare with, and visitors that speak Streamlit's protocol."""
OURS = {*PACKAGES, "app", "tests"}
Nodes = tuple[ast.AST, ...]


def sources_of(place: str) -> dict[str, str]:
    """Return the sources of a package, or of a single file, by path."""
    paths = [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def foreign_names(nodes: Nodes) -> dict[str, str]:
    """Return the names that a module imports from other packages, each with what it stands for."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    known = OURS | set(sys.stdlib_module_names)
    return {name: meaning for name, meaning in found.items() if meaning.split(".")[0] not in known}


def with_aliases(nodes: Nodes) -> dict[str, str]:
    """Return the foreign names, and names that are assigned one of them or an attribute of one: `box = st.Box`."""
    found = foreign_names(nodes)
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    while True:
        more = {
            target.id: found[root]
            for node in assigned
            for target in node.targets
            if isinstance(target, ast.Name) and target.id not in found
            if (root := root_of(node.value)) in found
        }
        if not more:
            return found
        found |= more


def root_of(expression: ast.AST) -> str | None:
    """Return the name that a chain of attributes begins with: `a` for `a.b.c`, and for `a["b"].c` and `type(a).c`.

    A call ends the chain, because what it returns is an object that its caller may fill: `Document().title`.
    """
    while True:
        match expression:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                expression = inner
            case ast.Call(func=ast.Name(id="type" | "vars" | "import_module"), args=[inner, *_]):
                expression = inner
            case ast.Name(id=name):
                return name
            case _:
                return None


def changed(nodes: Nodes) -> list[tuple[int, ast.AST]]:
    """Return what statements and calls set or delete, with their lines."""
    found: list[tuple[int, ast.AST]] = []
    for node in nodes:
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del(), value=holder):
                found.append((node.lineno, holder))
            case ast.Subscript(
                ctx=ast.Store() | ast.Del(), value=ast.Attribute(attr="__dict__", value=holder)
            ):
                found.append((node.lineno, holder))
            case ast.Subscript(
                ctx=ast.Store() | ast.Del(), value=ast.Call(func=ast.Name(id="vars")) as holder
            ):
                found.append((node.lineno, holder))
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[holder, *_]):
                found.append((node.lineno, holder))
            case ast.Call(func=ast.Attribute(attr="__setattr__" | "__delattr__"), args=[holder, *_]):
                found.append((node.lineno, holder))
            case ast.Call(func=ast.Attribute(attr="__setattr__" | "__delattr__", value=holder)):
                found.append((node.lineno, holder))
    return found


def patches(source: str) -> list[str]:
    """Return where a module sets or deletes attributes of other packages' modules or classes."""
    nodes = nodes_of(source)
    touched = [(line, holder, root_of(holder)) for line, holder in changed(nodes)]
    touched = [each for each in touched if each[2] not in (None, "self")]
    foreign = with_aliases(nodes) if touched else {}
    return [
        f"line {line}: {ast.unparse(holder)} belongs to {foreign[root]}"
        for line, holder, root in touched
        if root in foreign
    ]


def imports_streamlit(source: str) -> bool:
    if "streamlit" not in source:
        return False
    names = foreign_names(nodes_of(source)).values()
    return any(name.split(".")[0] == "streamlit" for name in names)


def may_import_streamlit(path: str) -> bool:
    is_controls = path.startswith("features/") and path.endswith("/controls.py")
    return path.startswith((*STREAMLIT_LAYERS, *BENCHMARKED)) or is_controls


@pytest.mark.parametrize("place", ["app.py", *PACKAGES])
def test_no_attribute_of_another_package_is_set(place: str) -> None:
    found = {path: patches(source) for path, source in sources_of(place).items()}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_streamlit_is_imported_in_its_layers_only() -> None:
    sources = {path: source for place in PACKAGES for path, source in sources_of(place).items()}
    found = [path for path, source in sources.items() if imports_streamlit(source)]
    assert found
    assert [path for path in found if not may_import_streamlit(path)] == []


@pytest.mark.parametrize(
    "source",
    [
        "from streamlit.elements import arrow\narrow.marshall_styler = None",
        "from streamlit.runtime.app_session import AppSession\nAppSession._take = None",
        "import streamlit.runtime\nstreamlit.runtime.exists = bool",
        "import streamlit as st\nst.a.b.c += 1",
        "import streamlit as st\nst.a: int = 1",
        "import streamlit as st\nfirst, (st.a, *st.b) = 1, (2, 3)",
        "import streamlit as st\ndel st.a",
        "import streamlit as st\nfor st.a in range(3):\n    pass",
        "import streamlit as st\nwith open('x') as st.a:\n    pass",
        "import streamlit as st\nsetattr(st, 'a', 1)",
        "import streamlit as st\ndelattr(st.Page, 'a')",
        "import streamlit as st\ntype.__setattr__(st.Page, 'a', 1)",
        "import streamlit as st\nst.Page.__dict__['a'] = 1",
        "import streamlit as st\nvars(st)['a'] = 1",
        "import streamlit as st\ntype(st.sidebar).write = print",
        "import streamlit as st\npage = st.Page\npage.run = print",
        "def later():\n    import numpy as np\n    np.nan = 0",
    ],
)
def test_a_patch_is_found(source: str) -> None:
    assert len(patches(source)) >= 1


@pytest.mark.parametrize(
    "source",
    [
        "import streamlit as st\nst.session_state['a'] = 1\ndel st.query_params['a']",
        "import logging\nlogging.raiseExceptions = False",
        "from data.store import store\nstore.opened = True",
        "from docx import Document\nmade = Document()\nmade.core_properties.title = 'a'",
        "import numpy as np\nclass Own:\n    def __init__(self):\n        self.nan = np.nan",
    ],
)
def test_what_is_filled_or_ours_is_no_patch(source: str) -> None:
    assert patches(source) == []


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("ui/render.py", True),
        ("features/systems/controls.py", True),
        ("features/systems/section.py", False),
        ("features/study.py", False),
        ("analysis/ratings.py", False),
        ("data/settings.py", False),
    ],
)
def test_layers_of_streamlit(path: str, may: bool) -> None:
    assert may_import_streamlit(path) == may
    assert imports_streamlit("def later():\n    from streamlit import runtime")
