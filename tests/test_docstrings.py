"""Every public function of `analysis` says what shapes it takes, what it raises and whose method it is."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

DIMENSION = r"(?:[A-Z]|[a-z]\w*|\d{1,3}|…)(?: ?[-+] ?\d)?"
SHAPE = re.compile(rf"\({DIMENSION}(?:,|(?:, {DIMENSION})+,?)\)")
"""(n,), (k, m) or (…, n), and not (Iskender, 2020)"""
SECTION = r"(?m)^ *{0}\n *-+$"
SCALARS = {"int", "float", "str", "bool", "None", "Literal", "complex", "np", "float64", "int64"}

HANDED_ON = {
    alias.name
    for facade in (ROOT / "analysis").glob("*.py")
    for node in ast.parse(facade.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
"""What the top of `analysis` hands on."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lacks(source: str, handed_on: set[str] | None = None) -> list[str]:
    """What the docstrings of a module's public names do not say, one sentence each.

    With `handed_on`, only these names and the docstrings that have sections must say everything.
    """
    told: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, Function) and _is_public(node):
            told += _function_lacks(node, node.name, handed_on)
        elif isinstance(node, ast.ClassDef) and _is_public(node):
            told += _class_lacks(node, handed_on)
            for method in node.body:
                if isinstance(method, Function) and _is_public(method):
                    told += _function_lacks(method, f"{node.name}.{method.name}", handed_on)
    return told


def _is_public(node: Function | ast.ClassDef) -> bool:
    return not node.name.startswith("_")


def _function_lacks(node: Function, name: str, handed_on: set[str] | None) -> list[str]:
    text = ast.get_docstring(node)
    if text is None:
        return [f"`{name}` has no docstring"]
    if any("property" in ast.unparse(decorator) for decorator in node.decorator_list):
        return []
    if handed_on is not None and name not in handed_on and "Source:" not in text:
        return []
    told = []
    if handed_on is None and not re.search(SECTION.format("Raises"), text):
        told.append(f"`{name}` has no section Raises")
    if "Source:" not in text:
        told.append(f"`{name}` names no Source:")
    if not _only_scalars(node) and not SHAPE.search(text):
        told.append(f"`{name}` gives no shape such as (n,)")
    return told


def _class_lacks(node: ast.ClassDef, handed_on: set[str] | None) -> list[str]:
    """A class that carries values needs the shapes of its arrays; one that checks them, Raises as well."""
    text = ast.get_docstring(node)
    if text is None:
        return [f"`{node.name}` has no docstring"]
    told = []
    fields = [ast.unparse(field.annotation) for field in node.body if isinstance(field, ast.AnnAssign)]
    if any(re.search("NDArray|ArrayLike", field) for field in fields) and not SHAPE.search(text):
        told.append(f"`{node.name}` gives no shape such as (n,) of its arrays")
    makers = [part for part in node.body if isinstance(part, Function) and part.name in MAKERS]
    if handed_on is None and makers and not re.search(SECTION.format("Raises"), text):
        told.append(f"`{node.name}` checks its fields, but has no section Raises")
    return told


MAKERS = {"__init__", "__post_init__", "__new__"}


def _only_scalars(node: Function) -> bool:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    if arguments and arguments[0].arg in {"self", "cls"}:
        return False
    annotations = [argument.annotation for argument in arguments] + [node.returns]
    words = {
        word
        for annotation in annotations
        if annotation is not None
        for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'", "", ast.unparse(annotation)))
    }
    return None not in annotations and words <= SCALARS


@pytest.mark.parametrize("path", sorted((ROOT / "analysis").rglob("*.py")), ids=lambda path: path.name)
def test_public_names_say_shapes_raises_and_source(path: Path) -> None:
    assert lacks(path.read_text(encoding="utf-8"), HANDED_ON) == []


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
'''


def test_a_full_docstring_passes() -> None:
    assert lacks(FULL) == []


@pytest.mark.parametrize(
    ("removed", "told"),
    [
        ("    Raises\n    ------\n", "no section Raises"),
        ("Source: ", "no Source"),
        ("(n,) ", "no shape"),
    ],
)
def test_what_is_missing_is_told(removed: str, told: str) -> None:
    (sentence,) = lacks(FULL.replace(removed, ""))
    assert told in sentence


def test_a_year_is_no_shape() -> None:
    assert lacks(FULL.replace("(n,)", "(Iskender, 2020)"))
    assert lacks(FULL.replace("(n,)", "(k, m + 1)")) == []
    assert lacks(FULL.replace("(n,)", "(…,)")) == []


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def f() -> int: ...", "no docstring"),
        ("class A:\n    def f(self): ...", "no docstring"),
        ("class A:\n    'A.'\n    def f(self):\n        'Does.'", "no section Raises"),
        ("class A:\n    'A.'\n    x: NDArray[np.float64]", "no shape"),
        ("class A:\n    'A.'\n    def __post_init__(self): ...", "checks its fields"),
        ("async def f(x): 'Does.'", "no shape"),
        ("class A:\n    'A.'\n    @property\n    def f(self): ...", "no docstring"),
    ],
)
def test_bad_source_is_told(source: str, told: str) -> None:
    assert told in " ".join(lacks(source))


def test_private_names_scalars_and_plain_values_are_let_be() -> None:
    scalar = FULL.replace("(n,) ", "").replace("NDArray[np.float64]", "float")
    assert lacks(scalar) == []
    assert lacks("def _f(): ...\nclass A:\n    'A.'\n    x: float\n    def __len__(self): ...") == []
