"""`python -m report`: what it writes, that it repeats itself, and how it refuses."""

import csv
import json
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import docx
import numpy as np
import pytest

from analysis.agreement import krippendorff_alpha
from analysis.comparison import compare
from analysis.estimate import BootstrapSpec
from analysis.ratings import Ratings
from features.cache import ResultCache
from features.plotting.export import NO_KALEIDO, ONE_COLUMN, TWO_COLUMNS, NotDrawn
from features.plotting.theme import Look, PlotlyFigure
from report.__main__ import main
from report.blocks import Picture, Report, Section
from report.files import NO_FIGURES, write_report
from tests.report.studies import ITEMS, MEASURES, RATERS, score, write_study

DRAWS = 20


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    file = write_study(folder / "study.csv")
    assert main([str(file), "--out", str(folder / "out"), "--draws", str(DRAWS), "--notes", "1 < 2 & 3"]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def results(written: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((written / "results.json").read_text(encoding="utf-8"))
    return told


def _ratings(group: str, measure: int) -> Ratings:
    rows = [
        (f"item {i}", f"{group} {r}", score(group, r, i, measure))
        for r in range(RATERS)
        for i in range(ITEMS)
    ]
    item, rater, given = zip(*rows, strict=True)
    return Ratings(np.array(item), np.array(rater), np.array(given, dtype=float))


def _tables(results: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for section in results["sections"]:
        for table in section["tables"]:
            yield table["name"], table


def _rows(results: dict[str, Any], name: str) -> list[dict[str, Any]]:
    table = dict(_tables(results))[name]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def test_it_writes_numbers_tables_figures_and_what_it_rests_on(
    written: Path, results: dict[str, Any]
) -> None:
    assert [section["name"] for section in results["sections"]] == [
        "data",
        "agreement",
        "variance",
        "groups",
        "standing-in",
        "repetitions",
        "raters",
        "items",
        "collection",
        "heds",
    ]
    for name, table in _tables(results):
        with (written / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        assert head == table["columns"]
        assert len(rows) == len(table["rows"]) > 0
        assert r"\bottomrule" in (written / "tables" / f"{name}.tex").read_text(encoding="utf-8")
    assert {path.name for path in (written / "figures").iterdir()} > {
        "plotly.min.js",
        "curves.html",
        "order.html",
    }
    assert results["made"]["Data set"] == "study.csv"
    assert len(results["made"]["Content hash (SHA-256)"]) == 64
    assert "@inproceedings{iskender2020," in (written / "sources.bib").read_text(encoding="utf-8")
    assert f"{2 * 2 * RATERS * ITEMS} ratings of {ITEMS} items by {2 * RATERS} raters" in str(
        results["sections"][0]
    )


def test_its_numbers_are_those_of_analysis(results: dict[str, Any]) -> None:
    compared = {row["Measure"]: row for row in _rows(results, "groups")}
    tested = {row["Measure"]: row for row in _rows(results, "groups-tests")}
    agreed = {(row["Measure"], row["Group"]): row for row in _rows(results, "agreement")}
    for at, measure in enumerate(MEASURES):
        crowd, lab = _ratings("crowd", at), _ratings("lab", at)
        expected = compare(crowd, lab)
        assert compared[measure]["Spearman ρ"] == pytest.approx(expected.spearman.value, abs=1e-12)
        assert compared[measure]["Mean difference"] == pytest.approx(
            expected.mean_difference.value, abs=1e-12
        )
        assert tested[measure]["p (raters)"] == pytest.approx(expected.rater_p, abs=1e-12)
        for side, ratings in (("Median", crowd), ("Median, reference", lab)):
            assert tested[measure][side] == pytest.approx(np.median(ratings.mos().means), abs=1e-12)
        assert tested[measure]["p (raters, Holm)"] >= expected.rater_p
        below = tested[measure]["p (items, Holm)"] < 0.05  # for these raters, who are few
        assert tested[measure]["Significant"] == ("yes" if below else "no")
        assert tested[measure]["Spearman ρ"] == compared[measure]["Spearman ρ"]
        assert tested[measure]["Mann-Whitney U"] == pytest.approx(expected.u)
        assert tested[measure]["p (U)"] == pytest.approx(expected.u_p, abs=1e-12)
        for group, ratings in (("crowd", crowd), ("lab", lab)):
            alpha = krippendorff_alpha(ratings.item, ratings.score, bootstrap=BootstrapSpec(0)).value
            assert agreed[measure, group]["Alpha"] == pytest.approx(alpha, abs=1e-12)


def test_curves_are_printed_with_the_columns_of_iskenders_table_2(results: dict[str, Any]) -> None:
    knees, fits = ({row["Measure"]: row for row in _rows(results, name)} for name in ("needed", "fits"))
    for measure, row in fits.items():
        printed = ["a", "b", "c", "Knee", "R² measured", "R² shuffles, median"]
        printed += [f"R² shuffle {at}" for at in range(1, 6)]
        assert [row[name] for name in printed] == [knees[measure][name] for name in printed]
        assert "R² shuffle 6" not in row


def test_names_from_the_file_are_text_in_the_page(written: Path) -> None:
    page = (written / "report.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 6_000_000
    head, _, body = page.partition("<body>")
    own = body.partition("<script>/**")[0]
    assert "<b>bold</b>" not in own
    assert "a &lt;b&gt;bold&lt;/b&gt; one" in own
    assert "crowd &lt;i&gt;1&lt;/i&gt;" in own
    assert "1 &lt; 2 &amp; 3" in own
    assert "default-src 'none'" in head
    for outside in ('src="http', "src='http", 'href="http', "@import", "url("):
        assert outside not in head + own


def test_what_is_chosen_is_reported_and_its_own_settings_repeat_it(written: Path, tmp_path: Path) -> None:
    file, out = str(written.parent / "study.csv"), tmp_path / "out"
    chosen = ["--groups", "lab", "--reference", "none", "--measures", "clarity", "--without", "lab <i>1</i>"]
    sections = ["--sections", "agreement", "--sections", "data"]
    assert main([file, "--out", str(out), "--title", "Mine", "--draws", "20", *chosen, *sections]) == 0
    told = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert told["title"] == "Mine"
    command, _, _ = told["made"]["Repeated by"].partition(" (equal if")
    options = ["--groups=lab", "--reference=none", "--measures=clarity", "--sections=agreement"]
    options += ["--sections=data", "--without=lab <i>1</i>", "--title=Mine", "--draws=20"]
    assert shlex.split(command) == ["python", "-m", "report", "FILE", "--out", "DIR", *options]
    assert [section["name"] for section in told["sections"]] == ["data", "agreement"]
    (row,) = _rows(told, "agreement")
    assert (row["Measure"], row["Group"]) == ("clarity", "lab")
    kept = _ratings("lab", 0)
    there = kept.rater != "lab 1"
    alpha = krippendorff_alpha(kept.item[there], kept.score[there], bootstrap=BootstrapSpec(0)).value
    assert row["Alpha"] == pytest.approx(alpha, abs=1e-12)
    assert "lab <i>1</i>" in str(told["sections"][0]["notes"])
    assert main(["--config", str(out / "report.toml"), "--out", str(tmp_path / "again")]) == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    for one in (again, told):
        one["made"].pop("Imported", None)
    assert again == told


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)


def test_figures_are_pictures_where_they_can_be_drawn_and_it_says_where_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn_at = list[float]()

    def drawn(figure: object, width_mm: float, form: str) -> bytes:
        if form == "pdf":
            raise NotDrawn(NO_KALEIDO)
        drawn_at.append(width_mm)
        return PIXEL

    monkeypatch.setattr("report.files.one_chromium", lambda: nullcontext(drawn))
    asked = ["sample-relevance", "--draws", "20", "--sections", "relevance", "--figures", "png"]
    assert main([*asked, "--out", str(tmp_path / "png")]) == 0
    figures = {path.name for path in (tmp_path / "png" / "figures").glob("*.png")}
    names = ("relevance-agreement", "speed", "kappa")
    assert figures == {f"{name}{width}.png" for name in names for width in ("", "-one-column")}
    assert drawn_at == [TWO_COLUMNS, ONE_COLUMN] * 3
    assert len(docx.Document(str(tmp_path / "png" / "report.docx")).inline_shapes) == 3
    capsys.readouterr()
    assert main([*asked[:-1], "pdf", "--out", str(tmp_path / "pdf")]) == 0
    assert NO_KALEIDO in capsys.readouterr().err
    assert not list((tmp_path / "pdf" / "figures").glob("*.pdf"))
    without = docx.Document(str(tmp_path / "pdf" / "report.docx"))
    assert not without.inline_shapes
    assert NO_FIGURES in [paragraph.text for paragraph in without.paragraphs]


def test_a_figure_is_arranged_for_the_width_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(look: Look) -> PlotlyFigure:
        return {"data": [], "layout": {"title": {"text": "narrow" if look.narrow else "wide"}}}

    def drawn(figure: PlotlyFigure, width_mm: float, form: str) -> bytes:
        return f"{figure['layout']['title']['text']} {width_mm:g}".encode()

    monkeypatch.setattr("report.files.one_chromium", lambda: nullcontext(drawn))
    section = Section("s", "S", pictures=[Picture("p", ("A picture.", {}), draw)])
    write_report(Report("T", "", [section], []), tmp_path, "", ["svg"], lambda _: None)
    pictures = {path.name: path.read_text() for path in (tmp_path / "figures").glob("*.svg")}
    assert pictures == {"p.svg": "wide 180", "p-one-column.svg": "narrow 85"}


def test_what_is_refused_is_said_in_a_sentence(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert main([str(tmp_path / "nothing.csv"), *out]) == 1
    assert capsys.readouterr().err.endswith("there is no file " + str(tmp_path / "nothing.csv") + "\n")
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("item,bleu,chrf\n" + "".join(f"s{i},0.{i}1,0.{i}3\n" for i in range(1, 9)))
    assert main([str(metrics), *out]) == 1
    assert "there is no report on" in capsys.readouterr().err
    study = str(written.parent / "study.csv")
    assert main([study, *out, "--groups", "nobody"]) == 1
    assert "`groups`: the data set has no 'nobody'; it has 'crowd', 'lab'" in capsys.readouterr().err
    assert main([study, *out, "--sections", "weather"]) == 1
    assert "`sections` must be among data, agreement" in capsys.readouterr().err
    config = tmp_path / "config.toml"
    config.write_text("weather = 3\n", encoding="utf-8")
    assert main([study, *out, "--config", str(config)]) == 1
    assert "config.toml says 'weather', which is no setting" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    with pytest.raises(SystemExit) as stopped:
        main([study])
    assert stopped.value.code == 2


def test_a_second_report_of_the_same_rows_computes_nothing_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds all results in the cache of the process, where pages find them, too."""
    computed: list[str] = []
    put = ResultCache.put

    def noted(results: ResultCache, key: str, result: object) -> None:
        if result is not None:
            computed.append(key)
        put(results, key, result)

    monkeypatch.setattr(ResultCache, "put", noted)
    file = write_study(tmp_path / "study.csv")
    order = [str(file), "--draws", str(DRAWS), "--sections", "agreement", "--sections", "groups", "--out"]
    assert main([*order, str(tmp_path / "first")]) == 0
    assert computed
    computed.clear()
    assert main([*order, str(tmp_path / "second")]) == 0
    assert computed == []
