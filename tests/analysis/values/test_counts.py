"""Counts as they are written everywhere: groups of three digits from the right."""

import re
from pathlib import Path

from analysis.values.estimate import thousands

ROOT = Path(__file__).resolve().parents[3]


def test_thousands_are_parted_by_thin_spaces() -> None:
    assert [thousands(n) for n in (0, 999, 1000, 1234567)] == [
        "0",
        "999",
        "1,000",
        "1,234,567",
    ]
    assert thousands(-5295) == "-5,295"


def test_nobody_writes_thousands_with_commas() -> None:
    told = [
        f"{path.relative_to(ROOT)}: {found}"
        for layer in ("analysis", "charts", "data", "findings", "pages", "panels", "server")
        for path in (ROOT / layer).rglob("*.py")
        if path.name != "estimate.py"
        for found in re.findall(r"\{[^{}\n]*:,[^{}\n]*\}", path.read_text(encoding="utf-8"))
    ]
    assert told == []
