"""Automatic metrics and the pyramid on the Assessors page: columns, joined files, ROUGE, and what is missing."""

import html
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from analysis.assessors.automatic_metrics import MetricScores, metric_agreement
from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.store.store import Store
from tests.pages.conftest import figures, sentences

METRICS, PYRAMID = "Automatic metrics", "Pyramid"
WORKSPACE = "a" * 32
HOSTILE = "<img src=x onerror=alert(1)>"
SAID = ["the dam broke", "nine people died", "a bridge fell", "it rained for days", "help came late"]


@pytest.fixture(autouse=True)
def workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest sends no cookies."""
    monkeypatch.setattr("panels.visit.workspace.current_workspace", lambda: WORKSPACE)


@pytest.fixture
def add_table(database: Path, tmp_path: Path) -> Callable[..., str]:
    """Saves rows as a data set of any kind and returns its reader's key."""

    def add(
        kind: str, header: str, rows: list[tuple[object, ...]], name: str, workspace: str | None = None
    ) -> str:
        file = tmp_path / f"{kind}.csv"
        lines = [header, *(",".join(str(cell) for cell in row) for row in rows)]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with Store() as store:
            mapping = propose(sniff(file), kind).mapping
            return store.link(store.add(file, kind, mapping, name, workspace).id)

    return add


def study(text: bool = True, number: bool = True):
    """Six systems' summaries of four topics; Ann judged two topics, Bob the others; `bleu` follows the score."""
    rng = np.random.default_rng(0)
    rows = []
    for topic in range(4):
        for system in range(6):
            quality = system / 2 + rng.normal(0, 0.5)
            said = ". ".join(SAID[: 1 + (system + topic) % 5])
            score = round(quality + rng.normal(0, 0.4), 2)
            row = [f"s{system}t{topic}", ("Ann", "Bob")[topic % 2], f"sys {system}", f"T{topic}", score]
            row += [round(quality, 3)] if number else []
            row += [f"{said}.", ". ".join(SAID[:3])] if text else []
            rows.append(tuple(row))
    header = "item_id,rater_id,system,topic,score" + (",bleu" if number else "")
    return header + (",text,reference_text" if text else ""), rows


def opened(open_page: Callable[..., AppTest], question: str, d: str, **address: str) -> AppTest:
    return calm(open_page("assessors.py", d=d, question=question, **address))


def calm(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def leave_out(app: AppTest, *raters: str) -> AppTest:
    return calm(app.multiselect(key="without").set_value(list(raters)).run())


def box(app: AppTest, label: str):
    return next(each for each in app.main.selectbox if each.label == label)


def test_a_numeric_column_is_held_against_the_raters(open_page, add_table):
    header, rows = study()
    app = opened(open_page, METRICS, add_table("ratings", header, rows, "six systems"))
    item, rater, system, topic, score, bleu = (
        np.array(column) for column in list(zip(*rows, strict=True))[:6]
    )
    expected = metric_agreement(MetricScores(bleu, item, system, topic, rater, score))
    assert box(app, "Metric").value == "bleu"
    over_systems, single = app.dataframe[0].value["Before"]
    assert over_systems == pytest.approx(expected.system_level.before.value)
    assert single == pytest.approx(expected.summary_level.before.value)
    assert app.dataframe[0].value["Before, 95 %"].str.contains(" to ").all()
    assert "Over 6 systems bleu follows score best" in sentences(app)
    (figure,) = figures(app)
    assert len(figure["data"][0]["x"]) == 6
    assert app.dataframe[1].value["Rater"].tolist() == sorted(
        ["Ann", "Bob"], key=lambda who: expected.rater_correlation[["Ann", "Bob"].index(who)]
    )


def test_an_exclusion_stands_beside_everyone(open_page, add_table):
    app = leave_out(opened(open_page, METRICS, add_table("ratings", *study(), "six systems")), "Bob")
    table = app.dataframe[0].value
    np.testing.assert_allclose(table["After"] - table["Before"], table["Difference"])
    assert table["n after"].tolist() == [6, 1]
    assert "instead of" in sentences(app)
    assert "clear of chance" in sentences(app)
    names = [trace["name"] for trace in figures(app)[0]["data"]]
    assert names == ["Move", "Everyone", "Without them"]
    assert app.dataframe[1].value.set_index("Rater")["Left out"].to_dict() == {"Ann": "", "Bob": "yes"}
    everyone = leave_out(app, "Ann", "Bob")
    assert "all raters are left out" in sentences(everyone)
    assert everyone.dataframe[0].value["After"].isna().all()


def test_rouge_is_computed_from_the_texts(open_page, add_table):
    app = opened(open_page, METRICS, add_table("ratings", *study(number=False), "texts only"))
    assert box(app, "Metric").options == [
        "ROUGE-2 of the texts",
        "ROUGE-1 of the texts",
        "ROUGE-L of the texts",
    ]
    assert box(app, "Metric").value == "ROUGE-2 of the texts"
    first = app.dataframe[0].value["Before"].tolist()
    calm(box(app, "Metric").set_value("ROUGE-1 of the texts").run())
    assert app.dataframe[0].value["Before"].tolist() != first
    assert app.dataframe[0].value["n before"].tolist() == [6, 2]


def test_a_file_of_metrics_is_joined_by_item_and_by_the_address(open_page, add_table):
    d = add_table("ratings", *study(text=False, number=False), "bare")
    assert "no metric to hold against the raters" in sentences(opened(open_page, METRICS, d))
    values = [(row[0], at % 7) for at, row in enumerate(study()[1][:20])]
    key = add_table("metrics", "item_id,meteor", [*values, ("elsewhere", 3)], HOSTILE, WORKSPACE)
    add_table("metrics", "item_id,chrf", [("elsewhere", 3)], "of other items", WORKSPACE)
    app = opened(open_page, METRICS, d)
    assert box(app, "Metrics file").options == ["none", HOSTILE]
    with Store() as store:
        own = store.by_key(key).id
    assert "metrics" not in app.query_params
    calm(box(app, "Metrics file").set_value(own).run())
    assert app.query_params["metrics"] == key
    assert box(app, "Metric").value == f"meteor ({HOSTILE})"
    assert "4 ratings" in sentences(app)
    assert "<img" not in json.dumps(figures(app))
    assert "<img" not in "".join(element.proto.body for element in app.get("html"))
    again = opened(open_page, METRICS, d, metrics=key)
    assert box(again, "Metrics file").value == key
    assert again.dataframe[0].value.equals(app.dataframe[0].value)


def test_an_unknown_file_in_the_address_is_no_file(open_page, add_table):
    app = opened(open_page, METRICS, add_table("ratings", *study(), "six systems"), metrics="nothing")
    assert box(app, "Metric").value == "bleu"


def test_one_rater_two_systems_and_constant_scores_say_what_is_undefined(open_page, add_table):
    header, rows = study(text=False)
    two = [row for row in rows if row[2] in ("sys 0", "sys 1") and row[1] == "Ann"]
    app = opened(open_page, METRICS, add_table("ratings", header, two, "two systems"))
    assert "a correlation needs at least 3 systems; there are 2" in sentences(app)
    flat = [(*row[:4], 3, row[5]) for row in rows]
    app = opened(open_page, METRICS, add_table("ratings", header, flat, "constant"))
    assert "all systems have the same score" in sentences(app)
    assert "2 raters of a measure the correlation is undefined" in sentences(app)


def test_without_systems_items_are_ranked(open_page, add_table):
    rng = np.random.default_rng(1)
    rows = [
        (f"clip {i}", who, i % 5 + rng.normal(), i % 5) for i in range(12) for who in ("Ann", "Bob", "Cy")
    ]
    app = opened(open_page, METRICS, add_table("ratings", "item_id,rater_id,score,gold", rows, "clips"))
    assert "Over 12 items gold follows score best" in sentences(app)
    assert "draws of raters and items" in sentences(app)
    assert app.dataframe[0].value["Over"].tolist() == ["items", "single items of a rater"]


def marked(rows, column: bool = True):
    """Ann marks all that is said, Bob misses the bridge in half of the summaries."""
    found = []
    for at, (item, rater, _, topic, *_, text, _) in enumerate(rows):
        for scu, words in enumerate(SAID):
            if words in text and not (rater == "Bob" and scu == 2 and at % 2):
                found.append((topic, item, scu, words, 1 + scu % 3, *([rater] if column else [])))
    return "topic,item_id,scu_id,contributor_text,weight" + (",rater_id" if column else ""), found


@pytest.mark.parametrize("column", [True, False])
def test_a_pyramid_finds_who_misses_what_he_marked_elsewhere(open_page, add_table, column):
    header, rows = study()
    d = add_table("ratings", header, rows, "six systems")
    key = add_table("contributors", *marked(rows, column), "marks", WORKSPACE)
    app = opened(open_page, PYRAMID, d, pyramid=key)
    assert "lowest for Bob" in sentences(app)
    table, topics = (frame.value for frame in app.dataframe[:2])
    assert table["Rater"].tolist() == ["Bob", "Ann"]
    assert table["Topics"].tolist() == [2, 2]
    assert table["mP − aP"][0] < 0
    assert topics["Rater"].tolist()[:2] == ["Bob", "Bob"]
    assert len(topics) == 4
    assert "no model summaries" in sentences(app)
    (figure,) = figures(app)
    assert figure["layout"]["yaxis"]["ticktext"] == ["Bob", "Ann"]
    hollow = leave_out(app, "Bob")
    assert "who is left out now" in sentences(hollow)
    assert figures(hollow)[0]["data"][0]["marker"]["symbol"] == ["circle-open", "circle"]


def test_without_contributors_or_texts_the_next_step_is_told(open_page, add_table):
    other = study()
    rows = [(f"other {row[0]}", *row[1:]) for row in other[1]]
    app = opened(open_page, PYRAMID, add_table("ratings", other[0], rows, "no marks"))
    assert "Upload them on the Data page as kind contributors" in sentences(app)
    bare = opened(open_page, PYRAMID, add_table("ratings", *study(text=False), "no texts"))
    assert "this data set has none. Import it again" in sentences(bare)


def test_the_lowest_by_pyramid_can_be_left_out(open_page, add_table):
    header, rows = study()
    d = add_table("ratings", header, rows, "six systems")
    add_table("contributors", *marked(rows), "marks", WORKSPACE)
    app = opened(open_page, PYRAMID, d)
    with Store() as store:
        assert (
            store.by_key(app.query_params["pyramid"]).name == "marks"
        )  # a copied address shows it elsewhere
    calm(app.selectbox(key="rule").set_value("the lowest by mP − aP (pyramid)").run())
    assert "Left out: Bob" in sentences(app)


def test_an_unreadable_column_is_told_in_words(open_page, add_table):
    header, rows = study()
    d = add_table("ratings", header, rows, "six systems")
    named, said = marked(rows)
    key = add_table(
        "contributors", f"{named},is_model", [(*row, "perhaps") for row in said], "odd", WORKSPACE
    )
    app = opened(open_page, PYRAMID, d, pyramid=key)
    assert "is_model` must say yes or no for each summary, got 'perhaps'" in html.unescape(sentences(app))
    calm(app.selectbox(key="rule").set_value("the lowest by mP − aP (pyramid)").run())
    assert "got 'perhaps'" in html.unescape(sentences(app))


@pytest.mark.parametrize("question", [METRICS, PYRAMID])
def test_a_study_with_neither_says_what_to_do(open_page, add_study, shared_data, question):
    app = opened(open_page, question, add_study(shared_data / "squality_summary_ratings.csv"))
    assert "Data page" in sentences(app)
