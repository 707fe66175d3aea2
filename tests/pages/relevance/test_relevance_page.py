"""The Relevance page in all states: a made study, little of it, and names that must stay inert."""

from collections.abc import Callable, Sequence
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import after_doubts, figures, sentences

Open = Callable[..., AppTest]
Add = Callable[..., str]
BAD = "<img src=x onerror=alert(1)> [a](http://b) $x$"
SURROGATES = ("Headline", "Human", "Full Text")
NOISE = {"Headline": 0.25, "Human": 0.15, "Full Text": 0.0}
PACE = {"Headline": 4.0, "Human": 5.0, "Full Text": 13.0}
ALL = (
    "rater_id",
    "event_id",
    "document_id",
    "surrogate",
    "judgment",
    "gold",
    "seconds",
    "ROUGE-1",
)


def made(
    raters: int = 5, events: int = 3, documents: int = 8, surrogates: Sequence[str] = SURROGATES
) -> list[dict[str, Any]]:
    """Raters follow their own view of a document, gold in seven of ten, and misread summaries now and then."""
    rng = np.random.default_rng(7)
    gold = rng.random((events, documents)) < 0.5
    metric = rng.random((events, documents, len(surrogates)))
    told = []
    for rater in range(raters):
        view = gold ^ (rng.random(gold.shape) < 0.3)
        for event in range(events):
            for document in range(documents):
                for at, surrogate in enumerate(surrogates):
                    misread = rng.random() < NOISE.get(surrogate, 0.2)
                    told.append(
                        {
                            "rater_id": f"r{rater}",
                            "event_id": f"e{event}",
                            "document_id": f"d{document}",
                            "surrogate": surrogate,
                            "judgment": int(view[event, document] ^ misread),
                            "gold": int(gold[event, document]),
                            "seconds": round(PACE.get(surrogate, 6.0) * float(rng.uniform(0.7, 1.3)), 2),
                            "ROUGE-1": round(float(metric[event, document, at]), 3),
                        }
                    )
    return told


@pytest.fixture
def add(add_rows: Add) -> Callable[..., str]:
    """Saves judgments with these columns."""

    def save(told: list[dict[str, Any]], columns: Sequence[str] = ALL) -> str:
        return add_rows(
            ",".join(columns), [tuple(row[name] for name in columns) for row in told], "relevance"
        )

    return save


def without(*columns: str) -> list[str]:
    return [name for name in ALL if name not in columns]


def opened(open_page: Open, key: str, about: str = "Which summaries suffice", **address: str) -> AppTest:
    app = open_page("relevance.py", d=key, about=about, **address)
    for figure in figures(app):
        go.Figure(figure)
    return app


def tables(app: AppTest) -> list:
    return [table.value for table in app.dataframe]


def inert(app: AppTest) -> None:
    for element in app.get("html"):
        assert "<img src=x" not in element.proto.body
    for element in app.get("plotly_chart"):
        assert "<img src=x" not in element.proto.spec
    for element in app.markdown:
        assert "onerror" not in element.value


def test_both_agreements_stand_side_by_side(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()))
    told = sentences(app)
    assert "Human keeps" in told
    assert "of the raters' judgments on the full text" in told
    assert "s a judgment; Headline" in told
    assert "Intervals draw raters and events: 5 raters, 3 events, 24 documents." in told
    assert "only 3 events" in told
    speed, side = figures(app)
    assert [trace["name"] for trace in side["data"]] == ["LDC Agreement", "Relevance Prediction"]
    assert [len(trace["x"]) for trace in side["data"]] == [3, 2]
    assert [trace.get("name") for trace in speed["data"]][:2] == ["LDC Agreement", "Relevance Prediction"]
    both, test, events = tables(app)
    assert len(both) == 5
    assert (both["TP"] + both["TN"] + both["FP"] + both["FN"] == both["Judgments"]).all()
    np.testing.assert_allclose(both["Accuracy"], (both["TP"] + both["TN"]) / both["Judgments"])
    assert (both["95 %"] != "–").all()
    assert test["Surrogate"].tolist() == ["Headline", "Human"]
    assert (test["Raters"] == 5).all()
    assert len(events) == 15
    assert set(events["Event"]) == {"e0", "e1", "e2"}


def test_another_figure_and_other_draws_can_be_asked_for(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()))
    before = tables(app)[0]["95 %"].tolist()
    app.selectbox(key="relevance_figure").select("Recall").run()
    assert not app.exception
    assert figures(app)[1]["layout"]["xaxis"]["title"]["text"] == "Recall"
    app.number_input(key="relevance_seed").set_value(5).run()
    assert not app.exception
    assert tables(app)[0]["95 %"].tolist() != before


def test_without_gold_only_relevance_prediction(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(), without("gold")))
    told = sentences(app)
    assert "A column gold would open LDC Agreement" in told
    assert "Human keeps" in told
    assert [trace.get("name") for trace in figures(app)[1]["data"]] == ["Relevance Prediction"]
    assert len(tables(app)) == 2


def test_without_full_text_only_ldc_agreement(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(surrogates=("Headline", "Human"))))
    told = sentences(app)
    assert "would open Relevance Prediction" in told
    assert "of the documents as gold does" in told
    assert "judgments of the full text would open this picture" in told
    assert app.selectbox(key="full_text").value == "none of them"
    assert len(figures(app)) == 1


def test_without_either_the_page_says_what_would_open_it(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(surrogates=("Headline", "Human")), without("gold")))
    assert "Nothing tells which summaries suffice" in sentences(app)


def test_without_seconds_there_is_no_speed(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(), without("seconds")))
    assert "a column seconds would open this picture" in sentences(app)
    assert "Seconds" not in tables(app)[0]


def test_what_is_set_aside_is_counted_in_words(open_page: Open, add: Add) -> None:
    study = made()
    for at, row in enumerate(study):
        if at % 6 == 0:
            row["gold"] = ""
    study = [row for row in study if not (row["rater_id"] == "r0" and row["surrogate"] == "Full Text")]
    app = opened(open_page, add(study))
    told = sentences(app)
    assert "Set aside for LDC Agreement" in told
    assert "have no gold" in told
    assert (
        "Set aside for Relevance Prediction: 24 judgments of Headline and 24 judgments of Human have no judgment of "
        "the full text by the same rater." in told
    )


@pytest.mark.parametrize("events", [1, 3])
@pytest.mark.parametrize("raters", [1, 4])
def test_one_event_or_one_rater_is_said(open_page: Open, add: Add, events: int, raters: int) -> None:
    told = sentences(opened(open_page, add(made(raters, events))))
    assert ("There is only one event." in told) == (events == 1)
    assert ("a test over raters needs two of them" in told) == (raters == 1)
    if raters == 1:
        assert "there is only one rater" in told


def test_equal_judgments_are_no_reason_to_fail(open_page: Open, add: Add) -> None:
    app = opened(open_page, add([row | {"judgment": 0} for row in made()]))
    told = sentences(app)
    assert (
        "Precision (LDC Agreement) is undefined for Headline and Human: nothing was judged relevant." in told
    )


def test_one_surrogate_alone(open_page: Open, add: Add) -> None:
    assert "There is only the full text" in sentences(opened(open_page, add(made(surrogates=("Full Text",)))))
    assert "Headline" in sentences(opened(open_page, add(made(surrogates=("Headline",)))))


def test_names_from_uploads_are_inert(open_page: Open, add: Add) -> None:
    names = {"Headline": BAD, "Human": BAD + "2"}
    study = [
        row | {"surrogate": names.get(row["surrogate"], row["surrogate"]), "rater_id": BAD + row["rater_id"]}
        for row in made(3, 2, 4)
    ]
    inert(opened(open_page, add(study)))


def test_raters_agree_in_three_forms_of_kappa(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()), "Do raters agree")
    told = sentences(app)
    assert "Two raters decide alike on" in told
    assert "kappa" in told
    kappas, alike = figures(app)
    assert len(kappas["data"]) == 3
    assert len(alike["data"]) == 1
    (table,) = tables(app)
    assert table["Pairs of raters"].tolist() == [10, 10, 10]
    assert (table["Pairs of judgments"] == 240).all()
    before = table["With gold"]
    app.number_input(key="chance").set_value(0.0).run()
    assert not app.exception
    after = tables(app)[0]["With gold"]
    np.testing.assert_allclose(before, 2 * after - 1)


@pytest.mark.parametrize("figure", ["Accuracy (RP)", "Precision (LDC)", "F (LDC)", "Seconds"])
@pytest.mark.parametrize("subjects", ["raters", "events"])
def test_differences_have_letters_and_pairs(open_page: Open, add: Add, figure: str, subjects: str) -> None:
    app = opened(
        open_page, add(made()), "Significant differences", compared_measure=figure, subjects=subjects
    )
    assert "F(" in sentences(app)
    means, test, pairs = tables(app)
    k = 2 if "RP" in figure else 3
    assert len(means) == k
    assert len(pairs) == k * (k - 1) // 2
    assert (means[subjects.capitalize()] == (5 if subjects == "raters" else 3)).all()
    assert (means["Letters"] != "").all()
    if figure == "Seconds":
        assert means["Surrogate"].tolist() == ["Headline", "Human", "Full Text"]
        assert "Full Text above" in sentences(app)
    assert test["Method"][0].startswith("Repeated-measures")


def test_missing_cells_are_said(open_page: Open, add: Add) -> None:
    study = [row for row in made() if (row["rater_id"], row["surrogate"]) != ("r0", "Human")]
    app = opened(open_page, add(study), "Significant differences", compared_measure="Accuracy (LDC)")
    assert "1 of 15 cells are missing: mixed model" in sentences(app)


PANELS = [
    "Which summaries suffice",
    "Do raters agree",
    "Significant differences",
    "Automatic metrics",
    "Partitions",
    "Order of presentation",
]


STATES: dict[str, Callable[[], tuple[list[dict[str, Any]], Sequence[str]]]] = {
    "one event": lambda: (made(3, 1, 6), ALL),
    "one summary": lambda: (made(3, 2, 4, ("Headline",)), ALL),
    "full text alone": lambda: (made(3, 2, 4, ("Full Text",)), ALL),
    "no gold": lambda: (made(3, 2, 4), without("gold")),
    "no full text": lambda: (made(3, 2, 4, ("Headline", "Human")), ALL),
    "neither, and nothing else": lambda: (
        made(3, 2, 4, ("Headline", "Human")),
        without("gold", "seconds", "ROUGE-1"),
    ),
    "always no": lambda: ([row | {"judgment": 0} for row in made(3, 2, 4)], ALL),
    "always right": lambda: ([row | {"judgment": 1, "gold": 1} for row in made(3, 2, 4)], ALL),
    "gold for some": lambda: ([row | ({"gold": ""} if at % 5 else {}) for at, row in enumerate(made())], ALL),
    "metric for some": lambda: (
        [row | ({"ROUGE-1": ""} if row["document_id"] == "d1" else {}) for row in made(3, 2, 4)],
        ALL,
    ),
    "no metric": lambda: (made(3, 2, 4), without("ROUGE-1")),
    "one rater": lambda: (made(1, 2, 4), ALL),
    "one document": lambda: (made(1, 1, 1), ALL),
    "full text by others": lambda: (
        [row for row in made(4, 2, 4) if (row["rater_id"] < "r2") == (row["surrogate"] == "Full Text")],
        without("gold"),
    ),
    "hostile names": lambda: (
        [
            row | {"surrogate": BAD + row["surrogate"] if row["surrogate"] != "Full Text" else "Full Text"}
            for row in made(3, 2, 4)
        ],
        ALL,
    ),
}


EQUAL = "Surrogates do not differ significantly in accuracy"
UNTESTED = "Whether surrogates differ in accuracy"
NO_METRIC = "There is no metric"
ALONE = "There is only the full text, whose length alone gives it a high metric, and no summary beside it"
UNTOLD = "Whether ROUGE-1 goes with accuracy"
NOT_SHOWN = "ROUGE-1 cannot be shown to go with accuracy"
FEW_GROUPS = "No correlation over groups of 4: a correlation needs at least 3 groups"
FIRST_SENTENCES: dict[str, tuple[str, ...]] = {
    "one event": (
        "Human keeps 78 % of the raters' judgments on the full text",
        "Two raters decide alike on 56 % of the documents",
        EQUAL,
        UNTOLD,
        FEW_GROUPS,
    ),
    "one summary": (
        "With Headline raters judge 62 % of the documents as gold does",
        "Two raters decide alike on 42 % of the documents",
        UNTESTED,
        UNTOLD,
        FEW_GROUPS,
    ),
    "full text alone": (
        "There is only the full text, and no summary to hold against it",
        "Two raters decide alike on 42 % of the documents",
        UNTESTED,
        ALONE,
        ALONE,
    ),
    "no gold": (
        "Human keeps 92 % of the raters' judgments on the full text",
        "Two raters decide alike on 42 % of the documents",
        EQUAL,
        NOT_SHOWN,
        FEW_GROUPS,
    ),
    "no full text": (
        "With Headline raters judge 58 % of the documents as gold does",
        "Two raters decide alike on 50 % of the documents",
        EQUAL,
        NOT_SHOWN,
        FEW_GROUPS,
    ),
    "neither, and nothing else": (
        "Nothing tells which summaries suffice: a column gold, or judgments of the full text by the same raters",
        "Two raters decide alike on 50 % of the documents",
        "There is nothing to compare: a column gold, judgments of the full text, or a column seconds would open",
        NO_METRIC,
        NO_METRIC,
    ),
    "always no": (
        "Headline keeps 100 % of the raters' judgments on the full text",
        "Two raters decide alike on 100 % of the documents",
        UNTESTED,
        UNTOLD,
        FEW_GROUPS,
    ),
    "always right": (
        "Headline keeps 100 % of the raters' judgments on the full text",
        "Two raters decide alike on 100 % of the documents",
        UNTESTED,
        UNTOLD,
        FEW_GROUPS,
    ),
    "gold for some": (
        "Human keeps 79 % of the raters' judgments on the full text",
        "Two raters decide alike on 56 % of the documents",
        EQUAL,
        NOT_SHOWN,
        "In groups of 4 documents ROUGE-1 and agreement",
    ),
    "metric for some": (
        "Human keeps 92 % of the raters' judgments on the full text",
        "Two raters decide alike on 42 % of the documents",
        EQUAL,
        NOT_SHOWN,
        FEW_GROUPS,
    ),
    "no metric": (
        "Human keeps 92 % of the raters' judgments on the full text",
        "Two raters decide alike on 42 % of the documents",
        EQUAL,
        NO_METRIC,
        NO_METRIC,
    ),
    "one rater": (
        "Human keeps 100 % of the raters' judgments on the full text",
        "Whether raters agree cannot be told: no two raters judged the same document from it",
        UNTESTED,
        NOT_SHOWN,
        FEW_GROUPS,
    ),
    "one document": (
        "Headline keeps 100 % of the raters' judgments on the full text",
        "Whether raters agree cannot be told: no two raters judged the same document from it",
        UNTESTED,
        UNTOLD,
        FEW_GROUPS,
    ),
    "full text by others": (
        "Nothing tells which summaries suffice: a column gold, or judgments of the full text by the same raters",
        "Two raters decide alike on 50 % of the documents with Human, kappa 0.00, on 38 % with Full Text, kappa",
        UNTESTED,
        UNTOLD,
        "No correlation over groups of 4: no judgment of it has both a known truth and a metric value",
    ),
    "hostile names": (
        "<img src=x onerror=alert(1)> [a](http://b) $x$Human keeps 92 % of the raters' judgments on the full text",
        "Two raters decide alike on 42 % of the documents",
        EQUAL,
        NOT_SHOWN,
        FEW_GROUPS,
    ),
}
"""What each state's panels say first, in the order of `PANELS`; none of them tells an order of presentation."""


@pytest.mark.parametrize("state", STATES)
def test_every_panel_stands_any_state(open_page: Open, add: Add, state: str) -> None:
    key = add(*STATES[state]())
    for about, said in zip(
        PANELS, [*FIRST_SENTENCES[state], "This study does not tell in which"], strict=True
    ):
        app = opened(open_page, key, about, relevance_draws="100", partition_draws="100")
        assert after_doubts(unescape(sentences(app))).startswith(said), about
        inert(app)


def test_full_text_judged_by_others_only_predicts_nothing(open_page: Open, add: Add) -> None:
    key = add(*STATES["full text by others"]())
    assert "no rater judged both a summary and the full text" in sentences(opened(open_page, key))


SAMPLE = "sample-relevance"


def test_a_metric_is_held_against_judging_at_three_levels(open_page: Open) -> None:
    app = opened(open_page, SAMPLE, "Automatic metrics", agreement="LDC Agreement")
    told = sentences(app)
    assert "accuracy (LDC Agreement)" in told
    assert "a correlation needs at least 3 surrogates" in told
    against, means, outcomes = figures(app)
    assert [trace["name"] for trace in against["data"]] == ["Headline", "Human"]
    assert [len(trace["x"]) for trace in against["data"]] == [3, 3]
    assert len(means["data"][0]["x"]) == 2
    assert [trace["name"] for trace in outcomes["data"]] == ["TP", "TN", "FP", "FN"]
    correlations, of_metric, of_outcomes = tables(app)
    assert len(correlations) == 8
    assert (correlations["Surrogates"] == "–").all()
    assert of_metric["Surrogate"].tolist() == ["Human", "Headline"]
    assert of_outcomes["Judgments"].sum() == 1200
    app.toggle(key="keep_full_text").set_value(True).run()
    assert not app.exception
    assert (tables(app)[0]["Surrogates"] != "–").any()
    assert len(tables(app)[1]) == 3


def test_partitions_are_drawn_and_their_sd_is_no_standard_error(open_page: Open) -> None:
    app = opened(open_page, SAMPLE, "Partitions", partition_draws="500")
    told = sentences(app)
    assert "In groups of 4 documents" in told
    assert "is no standard error" in told
    (figure,) = figures(app)
    assert len(figure["data"]) == 4
    (table,) = tables(app)
    assert table["Group size"].tolist() == [1, 2, 4] * 2
    assert table["Groups"].tolist() == [60, 30, 15] * 2
    assert (table["95 % interval"] != "–").all()
    assert (table["Largest group rate"] >= table["Smallest group rate"]).all()
    before = table[table["Group size"] == 2]
    app.slider(key="group_size").set_value(3).run()
    assert not app.exception
    (table,) = tables(app)
    assert table["Group size"].tolist() == [1, 2, 3, 4] * 2
    assert (table[table["Group size"] == 3]["Left over"] == 6).all()
    assert "documents fill no group" in sentences(app)
    np.testing.assert_array_equal(table[table["Group size"] == 2]["Mean r"], before["Mean r"])


def test_sizes_that_are_known_take_no_place_on_the_page(open_page: Open) -> None:
    app = opened(open_page, SAMPLE, "Partitions", partition_draws="500")
    app.slider(key="group_size").set_value(3).run()
    places = app.run().main.get("empty")
    assert len(places) == 1, "the chosen size has one, and none of those in the table"
    assert len(tables(app)) == 1


def test_the_order_of_presentation_has_its_table_or_says_what_would_open_it(
    open_page: Open, add: Add
) -> None:
    app = opened(open_page, SAMPLE, "Order of presentation")
    assert "got the same judgment" in sentences(app)
    (table,) = tables(app)
    assert set(table["Order"]) == {"D1S2D2", "S1D1D2"}
    assert (table["Same"] + table["Changed"] == table["Judged twice"]).all()
    (figure,) = figures(app)
    assert figure["data"][0]["x"] == pytest.approx(table["Equal"].tolist())
    none = opened(open_page, add(made(2, 2, 3)), "Order of presentation")
    assert "the columns order_label and presentation" in sentences(none)
    ordered = [
        row | {"order_label": "S1D1", "presentation": name}
        for name, surrogate in (("S1", "Human"), ("D1", "Full Text"))
        for row in made(1, 2, 4)
        if row["surrogate"] == surrogate
    ]
    app = opened(open_page, add(ordered, (*ALL, "order_label", "presentation")), "Order of presentation")
    assert "of the documents got the same judgment twice (S1D1: S1 and D1" in sentences(app)
    assert "Human keeps" in sentences(opened(open_page, add(ordered, (*ALL, "order_label", "presentation"))))


def test_rows_of_the_order_study_are_left_out_of_the_others(open_page: Open) -> None:
    app = opened(open_page, SAMPLE)
    assert "120 judgments with an order label are left to" in sentences(app)
    assert (tables(app)[0]["Judgments"] == 600).all()
    assert sum(len(element.proto.spec) for element in app.get("plotly_chart")) < 20_000


def test_two_metrics_are_held_against_the_same_judgments(open_page: Open, add: Add) -> None:
    rows = made(raters=3, documents=3, surrogates=[f"system {at}" for at in range(9)])
    for row in rows:
        row["ROUGE-2"] = round(1 - row["ROUGE-1"] ** 2, 3)
    app = opened(
        open_page,
        add(rows, [*ALL, "ROUGE-2"]),
        "Automatic metrics",
        agreement="LDC Agreement",
        all_columns="true",
    )
    assert "No two metrics clearly differ." in sentences(app)
    (pair,) = tables(app)[1].to_dict("records")
    assert {pair["Metric"], pair["Other metric"]} == {"ROUGE-1", "ROUGE-2"}
    assert pair["n"] == 9
    app.multiselect(key="relevance_metrics_compared").set_value(["ROUGE-1"]).run()
    assert "Choose two metrics or more." in sentences(app)
