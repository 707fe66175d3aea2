"""Parameters of addresses: docs/addresses.md lists them all, and saved addresses keep working."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from features.raters.exclusion_rules import HOW_MANY, RULES

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "docs" / "addresses.md").read_text(encoding="utf-8")
LISTED = dict(re.findall(r"(?m)^\| `([\w…]+)` \| [^|]+ \| ([^|]+) \|", TABLE))
BY_HAND = {"d", "pyramid", "metrics", "pairs", "all_columns", "item", "rater", "detail", "aggregated"}
"""Parameters that no control is bound to by a literal key: keys of data sets, what a button turns, and names."""
NUMBERS = {
    "number_input": (1, 2),
    "_number": (1, 2),
    "slider": (1, 2),
    "_slider": (1, 2),
    "choose_number": (1, 2),
}
CHOICES = {
    "choose_one", "choose_value", "choose_some", "choose_number", "choose_segment",
    "choose_segment_in_row", "_number", "_slider",
    "_names", "choose_measure",
}  # fmt: skip
"""Controls of `ui.controls`, and of a feature's `controls.py`, that are bound to their key."""
HELPERS = {
    ("features/planning", "number"): (1, 3, 4),
    ("features/planning", "whole"): (1, 3, 4),
    ("features/planning", "slide"): (1, 3, 4),
    ("features/planning", "percent"): (1, 3, 4),
    ("features/planning", "amount"): (1, 2, None),
    ("features/planning", "option"): (1, None, None),
    ("features/planning", "text"): (1, None, None),
}
"""Parameters of one feature: the places of their key and of both ends."""
PRICES = {"plan_price", "plan_item_price", "plan_rater_price"}
"""Parameters of one control of Planning, which has no upper end."""
SAMPLING = {"choose_bootstrap_samples": "draws", "choose_seed": "seed"}


@cache
def bound() -> dict[str, set[str]]:
    """The ranges of each parameter that a control is bound to, as written; "" where its values come from the data."""
    ranges: dict[str, set[str]] = defaultdict(set, {name: {"from 0"} for name in PRICES})
    for number in (number for rule in RULES.values() for number in rule.numbers):
        end = f"from {number.least:g}" if number.most is None else f"{number.least:g} to {number.most:g}"
        ranges[number.key].add("from the data" if number is HOW_MANY else end)
    for folder in ("features", "pages", "ui"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                given = {word.arg: word.value for word in node.keywords}
                if called in SAMPLING and node.args and isinstance(node.args[0], ast.JoinedStr):
                    continue  # of choose_bootstrap
                if called == "choose_bootstrap":
                    prefix = node.args[0].value if node.args else ""  # type: ignore[attr-defined]
                    fewest = ast.unparse(given["fewest"]) if "fewest" in given else "20"
                    ranges[f"{prefix}draws"].add(f"{fewest} to 20000")
                    ranges[f"{prefix}seed"].add("0 to 2147483647")
                elif called in SAMPLING:
                    name = node.args[0].value if node.args else SAMPLING[called]  # type: ignore[attr-defined]
                    fewest = ast.unparse(given["fewest"]) if "fewest" in given else "20"
                    ranges[name].add(
                        f"{fewest} to 20000" if called == "choose_bootstrap_samples" else "0 to 2147483647"
                    )
                elif (helper := (path.parent.relative_to(ROOT).as_posix(), called)) in HELPERS:
                    if not isinstance(node.args[1], ast.Name):  # named by its callers
                        name, written = _of_helper(node, *HELPERS[helper])
                        ranges[name].add(written)
                elif called == "choose_compared_metrics":
                    ranges[node.args[0].value].add("")  # type: ignore[attr-defined]
                elif "key" in given and (called in CHOICES or "bind" in given):
                    key = given["key"]
                    if isinstance(key, ast.Name):
                        continue  # named by its callers
                    first = key.values[0] if isinstance(key, ast.JoinedStr) else None
                    name = f"{first.value}…" if first else key.value  # type: ignore[attr-defined]
                    ranges[name].add(_range(node, called))
                elif called == "percent" and "key" in given:
                    ranges[given["key"].value].add(_range(node, "slider"))  # type: ignore[attr-defined]
    return ranges


def _of_helper(node: ast.Call, key_at: int, low_at: int | None, high_at: int | None) -> tuple[str, str]:
    """The parameter and the range of a call of one of `HELPERS`; percentages end at 99 by default."""
    key = node.args[key_at]
    name = f"{key.values[0].value}…" if isinstance(key, ast.JoinedStr) else key.value  # type: ignore[attr-defined]
    if low_at is None:
        return name, ""
    if high_at is None:
        return name, _written([node.args[low_at]])
    high = node.args[high_at] if high_at < len(node.args) else ast.Constant(99)
    is_open = isinstance(high, ast.Name) and high.id == "inf"
    return name, _written([node.args[low_at], *([] if is_open else [high])])


def _range(node: ast.Call, called: str) -> str:
    if called not in NUMBERS:
        return ""
    return _written([node.args[at] for at in NUMBERS[called] if at < len(node.args)])


def _written(ends: list[ast.expr]) -> str:
    """A range as the document has it."""
    try:
        numbers = [ast.literal_eval(end) for end in ends]
    except ValueError:
        return "from the data"
    low, high = [*numbers, None, None][:2]
    if low is None:
        return "any number"
    return f"{low:g} to {high:g}" if high is not None else f"from {low:g}"


def test_every_parameter_is_listed_and_every_listed_one_is_there() -> None:
    assert set(bound()) | BY_HAND == set(LISTED)


def test_a_parameter_has_one_range_on_all_pages() -> None:
    written = {name: bound()[name] or {""} for name in set(LISTED) - BY_HAND}
    assert written == {
        name: {"" if LISTED[name].strip() == "names" else LISTED[name].strip()} for name in written
    }
