"""The report of data that look wrong: findings that conclude begin with the doubt, in every file, with their status."""

import json
from pathlib import Path
from typing import Any

import pytest

from features.blocks import Status
from report.__main__ import main
from tests.pages.test_doubts import CLAUSE, HEADER, TWICE

SECTIONS = ("agreement", "standing-in", "repetitions", "raters", "data")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doubtful")
    rows = [HEADER, *(",".join(map(str, row)) for row in TWICE)]
    (folder / "study.csv").write_text("\n".join(rows), encoding="utf-8")
    wanted = [part for name in SECTIONS for part in ("--sections", name)]
    asked = ["--out", str(folder / "out"), "--draws", "20", "--without", "crowd0", *wanted]
    assert main([str(folder / "study.csv"), *asked]) == 0
    return folder / "out"


def findings_of(folder: Path) -> list[tuple[str, str, str]]:
    """Section, status and words of each finding."""
    results: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return [
        (section["name"], status, words)
        for section in results["sections"]
        for kind, statuses in (("findings", "finding_statuses"), ("details", "detail_statuses"))
        for status, words in zip(section[statuses], section[kind], strict=True)
    ]


def test_what_concludes_is_doubted_and_nothing_else(folder: Path) -> None:
    told = [(Status(status), words) for name, status, words in findings_of(folder) if name != "data"]
    assert {status for status, _ in told} == set(Status) - {Status.NOT_TESTED}  # which cards have alone
    for status, words in told:
        assert words.startswith(CLAUSE) is status.concludes, words


def test_the_page_of_the_report_says_the_same(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8").partition("</nav>")[2]
    doubted = [words for _, _, words in findings_of(folder) if words.startswith(CLAUSE)]
    assert page.count('class="finding"><b>Doubtful</b>, since') == len(doubted)
