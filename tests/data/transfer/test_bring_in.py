"""Files saved from the command line: the same data sets as by upload, of any size, read once."""

from pathlib import Path
from typing import Any

import pytest

from data.__main__ import main
from data.importing import staging
from data.settings import Settings
from data.store.store import Store

ROWS = [(f"clip {i}", f"rater {r}", float((i * r) % 5 + 1)) for i in range(6) for r in range(4)]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a server with a limit of ten rows."""
    told = {"DATABASE": tmp_path / "test.duckdb", "SPOOL": tmp_path / "spool", "ROWS": 10}
    for name, value in told.items():
        monkeypatch.setenv(f"RATERSCOPE_{name}", str(value))
    return Settings(database=str(told["DATABASE"]), spool=tmp_path / "spool", rows=10)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["clip,rater,score", *(f"{i},{r},{s}" for i, r, s in ROWS)]))
    return path


def test_a_file_larger_than_uploads_may_be_is_saved_and_its_link_printed(
    settings: Settings, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "import",
        str(file),
        "--column",
        "rater_id=rater",
        "--name",
        "clips",
        "--workspace",
        "browser:a",
    ]
    assert main(arguments) == 0
    *_, kept, link = capsys.readouterr().out.splitlines()
    assert kept == "24 rows kept, 0 set aside"
    with Store(settings=settings) as store:
        dataset = store.by_key(link.partition("?d=")[2])
        assert dataset is not None
        assert [one.name for one in store.datasets("browser:a")] == ["clips"]
        names = store.query(dataset, "item_names")["name"]
        rated = store.query(dataset, "ratings", measure="score", group="all ratings")
    saved = zip(names[rated["item"]], rated["rater"].tolist(), rated["score"], strict=True)
    assert sorted(saved) == sorted((item, int(rater[-1]), score) for item, rater, score in ROWS)
    assert list(settings.spool.iterdir()) == []


def test_what_was_read_is_not_read_again(
    settings: Settings, file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["import", str(file), "--check"]) == 0
    assert "24 rows kept" in capsys.readouterr().out
    with Store(settings=settings) as store:
        assert store.inventory() == []

    def read(*_: Any) -> None:
        raise AssertionError("the rows are there already")

    monkeypatch.setattr(staging, "stage", read)
    assert main(["import", str(file)]) == 0
    with Store(settings=settings) as store:
        assert len(store.inventory()) == 1


def test_several_files_are_one_study(settings: Settings, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "ratings two.csv"
    other.write_text(file.read_text().replace("rater ", "listener "))
    assert main(["import", str(file), str(other)]) == 0
    with Store(settings=settings) as store:
        (stocked,) = store.inventory()
    assert stocked.rows == 48


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.csv"], "there is no file 'nothing.csv'"),
        (["FILE", "--column", "who"], "--column takes what something is"),
        (["FILE", "--column", "score=points"], "points"),
    ],
)
def test_what_cannot_be_imported_is_said_in_a_sentence(
    settings: Settings, file: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", *(str(file) if each == "FILE" else each for each in arguments)]) == 1
    refused = capsys.readouterr().err
    assert told in refused
    assert "Traceback" not in refused


def test_control_codes_in_names_do_nothing_on_a_terminal(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = "\x1b[2J\x07\u2028\u202e\x9b31m\x7f\n"
    file = tmp_path / f"ratings{codes}.csv"
    lines = [f"{item},{rater},{score}" for item, rater, score in ROWS]
    file.write_text("\n".join(["clip,rater,score", *lines, f'"a{codes}",r,"b{codes}"']))
    assert main(["import", str(file), "--check"]) == 0
    assert main(["import", str(file), "--column", f"score={codes}"]) == 1
    assert main(["import", str(tmp_path / f"nothing{codes}")]) == 1
    assert main(["restore", str(tmp_path / f"nothing{codes}")]) == 1
    printed = capsys.readouterr()
    told = [*printed.out.splitlines(), *printed.err.splitlines()]
    assert all(line.isprintable() for line in told), told
    assert len(printed.err.splitlines()) == 3
