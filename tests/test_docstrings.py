"""Docstrings of `analysis`: full for the public API, one for every public name, and not too many lines."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted((ROOT / "analysis").rglob("*.py"))

DIMENSION = r"(?:[A-Z]|[a-z]\w*|\d{1,3}|…)(?: ?[-+] ?\d)?"
SHAPE = re.compile(rf"\({DIMENSION}(?:,|(?:, {DIMENSION})+,?)\)")
"""(n,), (k, m) or (…, n), and not (Iskender, 2020)"""
SECTION = r"(?m)^ *{0}\n *-+$"
WHAT_DOES_NOT_HAPPEN = re.compile(
    r"Raises\n *-+\n(?: *\w+\n)?\s*(?:[Nn]ever|[Nn]othing|None)\b|[Nn]ever raises"
)
SCALARS = {"int", "float", "str", "bool", "None", "Literal", "complex", "np", "float64", "int64"}
SCALARS |= {"Estimate", "DifferencePlan", "Power", "Design", "StudyCosts", "BestDesign", "Aim", "Coefficient"}
"""Specs and results that hold numbers and words only are scalars, too."""
MOST_DOCSTRINGS = 0.25
"""Of the lines of `analysis`."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree_of(source: str) -> ast.Module:
    """Parse a source once for all tests."""
    return ast.parse(source)


def exported_names() -> dict[Path, set[str]]:
    """Return the public names by the module that defines them: those that facades import."""
    names: dict[Path, set[str]] = defaultdict(set)
    for facade in [*(ROOT / "analysis").glob("*.py"), *(ROOT / "analysis").glob("*/__init__.py")]:
        for node in tree_of(facade.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                module = ROOT / (node.module.replace(".", "/") + ".py")
                names[module] |= {alias.name for alias in node.names}
    return names


PUBLIC = exported_names()


def lacks(source: str, in_full: set[str]) -> list[str]:
    """Return faults of the docstrings of a module, one sentence each."""
    told: list[str] = []
    body = tree_of(source).body
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    for node in body:
        if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
            continue
        full = node.name in in_full
        told += _class_lacks(node, full) if isinstance(node, ast.ClassDef) else _lacks(node, node.name, full)
        for method in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(method, Function) and not method.name.startswith("_"):
                if _says_it(method.name, node, classes):
                    continue
                told += _lacks(method, f"{node.name}.{method.name}", False)
    return told


def _says_it(method: str, node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> bool:
    """Return whether a base class in this module has the method (and its docstring)."""
    bases = [classes[name] for base in node.bases if (name := ast.unparse(base)) in classes]
    return any(getattr(part, "name", None) == method for base in bases for part in base.body) or any(
        _says_it(method, base, classes) for base in bases
    )


def _lacks(node: Function, name: str, full: bool) -> list[str]:
    text = ast.get_docstring(node)
    if text is None:
        return [f"`{name}` has no docstring"]
    told = [f"`{name}` says what does not happen"] if WHAT_DOES_NOT_HAPPEN.search(text) else []
    if not full:
        return told
    if _raises(node) and not re.search(SECTION.format("Raises"), text):
        told.append(f"`{name}` raises, but has no section Raises")
    if "Source:" not in text:
        told.append(f"`{name}` names no Source:")
    if not _only_scalars(node) and not SHAPE.search(text):
        told.append(f"`{name}` gives no shape such as (n,)")
    return told


def _class_lacks(node: ast.ClassDef, full: bool) -> list[str]:
    """A public class that carries arrays gives their shapes; one that checks its fields, Raises as well."""
    text = ast.get_docstring(node)
    if text is None:
        return [f"`{node.name}` has no docstring"]
    told = [f"`{node.name}` says what does not happen"] if WHAT_DOES_NOT_HAPPEN.search(text) else []
    if not full:
        return told
    fields = [ast.unparse(field.annotation) for field in node.body if isinstance(field, ast.AnnAssign)]
    if any(re.search("NDArray|ArrayLike|Floats|Codes", field) for field in fields) and not SHAPE.search(text):
        told.append(f"`{node.name}` gives no shape such as (n,) of its arrays")
    makers = [part for part in node.body if isinstance(part, Function) and part.name in MAKERS]
    if any(map(_raises, makers)) and not re.search(SECTION.format("Raises"), text):
        told.append(f"`{node.name}` raises, but has no section Raises")
    return told


MAKERS = {"__init__", "__post_init__", "__new__"}


def _raises(node: Function) -> bool:
    return any(isinstance(part, ast.Raise) for part in ast.walk(node))


def _only_scalars(node: Function) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    annotations = [argument.annotation for argument in arguments] + [node.returns]
    words = {
        word
        for annotation in annotations
        if annotation is not None
        for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'", "", ast.unparse(annotation)))
    }
    return None not in annotations and words <= SCALARS


def definitions(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a module and the classes and functions in it, which statements of theirs may hold, too."""
    yield node
    for statement in ast.iter_child_nodes(node):
        if isinstance(statement, ast.stmt | ast.excepthandler):
            yield from definitions(statement)


def docstring_lines(source: str) -> int:
    """Lines of docstrings, those under constants included."""
    return sum(
        statement.end_lineno - statement.lineno + 1
        for node in definitions(tree_of(source))
        if isinstance(node, ast.Module | ast.ClassDef | Function)
        for statement in node.body
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
        and statement.end_lineno is not None
    )


def test_public_names_have_docstrings_and_the_api_full_ones() -> None:
    found = {path: lacks(path.read_text(encoding="utf-8"), PUBLIC[path]) for path in MODULES}
    assert {path.relative_to(ROOT).as_posix(): told for path, told in found.items() if told} == {}


def test_facades_export_defined_names() -> None:
    for path, names in PUBLIC.items():
        defined = {getattr(node, "name", None) for node in tree_of(path.read_text(encoding="utf-8")).body}
        assert names <= defined, path
    assert PUBLIC[ROOT / "analysis/comparison/comparison.py"] >= {"compare", "Comparison"}


def test_less_than_a_quarter_of_analysis_is_docstrings() -> None:
    sources = [path.read_text(encoding="utf-8") for path in MODULES]
    share = sum(map(docstring_lines, sources)) / sum(len(source.splitlines()) for source in sources)
    assert share < MOST_DOCSTRINGS


FULL = '''
def mos(score: NDArray[np.float64]) -> float:
    """Mean.

    Parameters
    ----------
    score : (n,) numbers

    Raises
    ------
    InputError
        where empty.

    Notes
    -----
    Source: somebody 2020, section 4.
    """
    if len(score) == 0:
        raise InputError("empty")
'''


def test_a_full_docstring_passes() -> None:
    assert lacks(FULL, {"mos"}) == []


@pytest.mark.parametrize(
    ("removed", "told"),
    [
        ("    Raises\n    ------\n", "no section Raises"),
        ("Source: ", "no Source"),
        ("(n,) ", "no shape"),
    ],
)
def test_missing_parts_are_reported_for_exported_names(removed: str, told: str) -> None:
    (sentence,) = lacks(FULL.replace(removed, ""), {"mos"})
    assert told in sentence
    assert lacks(FULL.replace(removed, ""), set()) == []


def test_a_year_is_no_shape() -> None:
    assert lacks(FULL.replace("(n,)", "(Iskender, 2020)"), {"mos"})
    assert lacks(FULL.replace("(n,)", "(k, m + 1)"), {"mos"}) == []
    assert lacks(FULL.replace("(n,)", "(…,)"), {"mos"}) == []


@pytest.mark.parametrize(
    "never", ["Never.", "InputError\n        never; no ratings give nothing.", "Nothing."]
)
def test_docstrings_do_not_say_what_never_happens(never: str) -> None:
    raised = re.sub(r"InputError\n +where empty\.", never, FULL)
    assert lacks(raised, {"mos"}) == lacks(raised, set()) == ["`mos` says what does not happen"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f() -> int: ...", "no docstring"),
        ("class A:\n    def f(self): ...", "no docstring"),
        ("class A:\n    'A.'\n    def f(self): ...", "`A.f` has no docstring"),
        ("class B:\n    'B.'\nclass A(B):\n    'A.'\n    def f(self): ...", "`A.f` has no docstring"),
        ("class A:\n    'A.'\n    x: NDArray[np.float64]", "no shape"),
        (
            "class A:\n    'A.'\n    def __post_init__(self):\n        raise ValueError",
            "has no section Raises",
        ),
        ("async def f(x): 'Does.'", "no shape"),
        ("class A:\n    'A.'\n    @property\n    def f(self): ...", "no docstring"),
    ],
)
def test_bad_source_is_reported(source: str, told: str) -> None:
    assert told in " ".join(lacks(source, {"f", "A"}))


def test_private_names_scalars_and_plain_values_are_ignored() -> None:
    scalar = FULL.replace("(n,) ", "").replace("NDArray[np.float64]", "float")
    assert lacks(scalar, {"mos"}) == []
    inherited = "class A:\n    'A.'\n    def f(self): 'Does.'\nclass B(A):\n    'B.'\n    def f(self): ..."
    assert lacks(inherited, set()) == []
    assert lacks("def _f(): ...\nclass A:\n    'A.'\n    x: float\n    def __len__(self): ...", {"A"}) == []


def test_docstrings_are_counted_with_those_of_constants() -> None:
    assert (
        docstring_lines('"""A\n\nb."""\nX = 1\n"""Of x."""\n\n\ndef f():\n    "Does."\n    return "text"\n')
        == 5
    )
