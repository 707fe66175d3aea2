"""The rule by mP - aP in a report of the command line, and what is said without contributors."""

import csv
import json
from pathlib import Path

import pytest

from report.__main__ import main
from report.settings import read
from tests.pages.metrics.summaries import marked, study


def write(path: Path, header: str, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A study in which Bob misses what he marked elsewhere, and what was marked."""
    folder = tmp_path_factory.mktemp("files")
    header, rows = study()
    return write(folder / "study.csv", header, rows), write(folder / "marks.csv", *marked(rows))


def test_the_command_takes_contributors(files: tuple[Path, Path], tmp_path: Path) -> None:
    ratings, marks = map(str, files)
    out = tmp_path / "out"
    asked = ["--without", "lowest 1 by mP - aP", "--contributors", marks, "--sections", "data"]
    assert main([ratings, "--out", str(out), *asked]) == 0
    told = json.loads((out / "results.json").read_text())
    assert "Bob" in str(told["sections"][0]["notes"])
    assert "Ann" not in str(told["sections"][0]["notes"])
    assert "--contributors=marks.csv" in told["made"]["Repeated by"]
    assert read(out / "report.toml")[1]["contributors"] == marks
    assert main(["--config", str(out / "report.toml"), "--out", str(tmp_path / "again")]) == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text())
    assert again["sections"] == told["sections"]


def test_a_rule_without_its_contributors_is_refused(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings, _ = map(str, files)
    out = ["--out", str(tmp_path / "out")]
    assert main([ratings, *out, "--without", "lowest 1 by mP - aP"]) == 1
    assert "mP - aP needs the items' texts and the contributors of a pyramid" in capsys.readouterr().err
    _, rows = study()
    others = [(topic, f"other {item}", *rest) for topic, item, *rest in marked(rows)[1]]
    strange = write(tmp_path / "strange.csv", marked(rows)[0], others)
    assert main([ratings, *out, "--contributors", str(strange)]) == 1
    assert "they speak of none of the items" in capsys.readouterr().err
