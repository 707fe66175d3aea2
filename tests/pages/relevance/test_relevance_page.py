"""The Relevance page in all states: a made study, little of it, and names that must stay inert."""

from collections.abc import Callable, Sequence
from html import unescape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from features.blocks import Status
from tests.pages.conftest import LastFinding, after_doubts, figures, sentences, statuses

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
    """Save judgments with these columns."""

    def save(told: list[dict[str, Any]], columns: Sequence[str] = ALL) -> str:
        return add_rows(
            ",".join(columns), [tuple(row[name] for name in columns) for row in told], "relevance"
        )

    return save


def without(*columns: str) -> list[str]:
    return [name for name in ALL if name not in columns]


def opened(open_page: Open, key: str, about: str = "Which summaries suffice", **address: str) -> AppTest:
    app = open_page("relevance.py", d=key, about=about, all_columns="true", **address)
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


def verdict(app: AppTest) -> str:
    """Return the first sentence of the page, without doubts about its data."""
    return after_doubts(unescape(sentences(app)))


def test_both_agreements_are_compared(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()))
    assert "Human" in verdict(app)
    assert statuses(app)[0] == "clear"
    side, speed = figures(app)
    assert [trace["name"] for trace in side["data"]] == ["LDC Agreement", "Relevance Prediction"]
    assert [len(trace["x"]) for trace in side["data"]] == [3, 2]
    assert [trace.get("name") for trace in speed["data"]][:2] == ["LDC Agreement", "Relevance Prediction"]
    both, test, events = tables(app)
    assert len(both) == 5
    assert (both["TP"] + both["TN"] + both["FP"] + both["FN"] == both["Judgments"]).all()
    np.testing.assert_allclose(both["Accuracy"], (both["TP"] + both["TN"]) / both["Judgments"])
    assert (both["Accuracy from"] < both["Accuracy"]).all()
    assert test["Surrogate"].tolist() == ["Headline", "Human"] * 3
    assert test["Figure"].tolist()[::2] == ["Accuracy", "Precision", "F"]
    assert (test["Raters"] == 5).all()
    assert len(events) == 15
    assert set(events["Event"]) == {"e0", "e1", "e2"}


def test_the_number_of_the_verdict_is_in_the_first_figure(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()))
    best = max(figures(app)[0]["data"][1]["x"])
    assert f"{100 * best:.0f}% of the time" in verdict(app)


def test_another_figure_and_other_draws_can_be_asked_for(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()))
    before = tables(app)[0]["Accuracy from"].tolist()
    app.selectbox(key="relevance_figure").select("Recall").run()
    assert not app.exception
    assert "Recall" in figures(app)[0]["layout"]["xaxis"]["title"]["text"]
    app.number_input(key="relevance_seed").set_value(5).run()
    assert not app.exception
    assert tables(app)[0]["Accuracy from"].tolist() != before


def test_without_gold_only_relevance_prediction(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(), without("gold")))
    assert verdict(app).startswith("Readers of Human summaries")
    assert [trace.get("name") for trace in figures(app)[0]["data"]] == ["Relevance Prediction"]
    assert len(tables(app)) == 2


def test_without_full_text_only_ldc_agreement(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(surrogates=("Headline", "Human"))))
    assert "as gold says" in verdict(app)
    assert app.selectbox(key="full_text").value == "none of them"
    assert len(figures(app)) == 1


def test_without_either_truth_there_is_a_next_step(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(surrogates=("Headline", "Human")), without("gold")))
    assert verdict(app).startswith("Not enough data")
    assert [link.proto.label for link in app.get("page_link")] == ["Map a column to gold"]
    assert not figures(app)
    assert not tables(app)


def test_without_seconds_there_is_no_speed(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made(), without("seconds")))
    assert len(figures(app)) == 1
    assert "Seconds" not in tables(app)[0]


def test_what_is_set_aside_is_counted(open_page: Open, add: Add) -> None:
    study = made()
    for at, row in enumerate(study):
        if at % 6 == 0:
            row["gold"] = ""
    study = [row for row in study if not (row["rater_id"] == "r0" and row["surrogate"] == "Full Text")]
    app = opened(open_page, add(study))
    aside = tables(app)[0].set_index(["Surrogate", "Compared with"])["Set aside"]
    assert aside["Headline", "own full text (RP)"] == 24
    assert aside["Headline", "gold (LDC)"] > 0
    assert "Set aside for Relevance Prediction: 48 judgments" in sentences(app)


@pytest.mark.parametrize(("events", "raters"), [(1, 4), (3, 1)])
def test_one_event_or_one_rater(open_page: Open, add: Add, events: int, raters: int) -> None:
    app = opened(open_page, add(made(raters, events)))
    assert ("Event by event" in [header.value for header in app.header]) == (events > 1)
    assert ("a test over raters needs two of them" in sentences(app)) == (raters == 1)


def test_one_surrogate_alone(open_page: Open, add: Add) -> None:
    assert "no summaries" in verdict(opened(open_page, add(made(surrogates=("Full Text",)))))
    assert "Headline" in verdict(opened(open_page, add(made(surrogates=("Headline",)))))


def test_excluded_raters_are_stated_above_the_verdict(open_page: Open, add: Add) -> None:
    key = add(made())
    assert ". Without rater r3, " in verdict(opened(open_page, key, without="r3"))
    assert "Without rater" not in sentences(opened(open_page, key))
    several = open_page("relevance.py", d=key, without=["r3", "r1"])
    assert ". Without the 2 excluded raters, " in verdict(several)


def test_an_exclusion_names_the_agreement_before_and_after(open_page: Open, add: Add) -> None:
    key = add(made())
    shares = [
        tables(opened(open_page, key, **excluded))[0].set_index(["Surrogate", "Compared with"])["Accuracy"]
        for excluded in ({}, {"without": "r3"})
    ]
    before, after = (of[:, "own full text (RP)"] for of in shares)
    most = (after - before).abs().idxmax()
    told = f"agreement on {most} is {100 * after[most]:.0f}% instead of {100 * before[most]:.0f}%."
    assert told in sentences(opened(open_page, key, without="r3"))


def test_full_text_judged_by_others_opens_on_measures_that_are_defined(open_page: Open, add: Add) -> None:
    study = [row for row in made(4, 3, 6) if (row["rater_id"] < "r2") == (row["surrogate"] == "Full Text")]
    key = add(study)
    app = opened(open_page, key, "Significant differences")
    assert app.selectbox(key="compared_measure").value == "Accuracy (LDC)"
    metrics = opened(open_page, key, "Automatic metrics")
    assert len(tables(metrics)[0]) == 8
    assert "LDC Agreement" in sentences(metrics)


def test_a_measure_without_a_test_is_not_the_first(open_page: Open, add: Add) -> None:
    app = opened(open_page, add([row | {"judgment": 0} for row in made()]), "Significant differences")
    assert app.selectbox(key="compared_measure").value == "Seconds"


def test_names_from_uploads_are_inert(open_page: Open, add: Add) -> None:
    names = {"Headline": BAD, "Human": BAD + "2"}
    study = [
        row | {"surrogate": names.get(row["surrogate"], row["surrogate"]), "rater_id": BAD + row["rater_id"]}
        for row in made(3, 2, 4)
    ]
    inert(opened(open_page, add(study)))


def test_raters_agree_in_three_forms_of_kappa(open_page: Open, add: Add) -> None:
    app = opened(open_page, add(made()), "Do raters agree")
    assert "Two raters decide alike on" in verdict(app)
    (kappas,) = figures(app)
    assert len(kappas["data"]) == 3
    (table,) = tables(app)
    assert table["Pairs of raters"].tolist() == [10, 10, 10]
    assert (table["Pairs of judgments"] == 240).all()
    before = table["With gold"]
    app.number_input(key="chance").set_value(0.0).run()
    assert not app.exception
    after = tables(app)[0]["With gold"]
    np.testing.assert_allclose(before, 2 * after - 1)


@pytest.mark.parametrize(
    ("figure", "subjects"),
    [("Accuracy (RP)", "raters"), ("F (LDC)", "events"), ("Seconds", "raters"), ("Seconds", "events")],
)
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
        assert set(pairs["Higher"]) == {"Full Text", "Human"}
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
    "full text alone": lambda: (made(3, 2, 4, ("Full Text",)), ALL),
    "no gold": lambda: (made(3, 2, 4), without("gold")),
    "no full text": lambda: (made(3, 2, 4, ("Headline", "Human")), ALL),
    "neither, and nothing else": lambda: (
        made(3, 2, 4, ("Headline", "Human")),
        without("gold", "seconds", "ROUGE-1"),
    ),
    "always no": lambda: ([row | {"judgment": 0} for row in made(3, 2, 4)], ALL),
    "gold for some": lambda: ([row | ({"gold": ""} if at % 5 else {}) for at, row in enumerate(made())], ALL),
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


YES, LITTLE, NONE = "a verdict", "not enough data", "not applicable"
VERDICTS: dict[str, tuple[str, ...]] = {
    "one event": (YES, YES, YES, LITTLE, LITTLE),
    "full text alone": (NONE, YES, LITTLE, NONE, NONE),
    "no gold": (YES, YES, YES, YES, LITTLE),
    "no full text": (YES, YES, YES, YES, LITTLE),
    "neither, and nothing else": (LITTLE, YES, LITTLE, LITTLE, LITTLE),
    "always no": (YES, YES, YES, LITTLE, LITTLE),
    "gold for some": (YES, YES, YES, YES, YES),
    "no metric": (YES, YES, YES, LITTLE, LITTLE),
    "one rater": (YES, LITTLE, LITTLE, YES, LITTLE),
    "one document": (YES, LITTLE, LITTLE, LITTLE, LITTLE),
    "full text by others": (LITTLE, YES, LITTLE, LITTLE, LITTLE),
    "hostile names": (YES, YES, YES, YES, LITTLE),
}
"""Kind of verdict of the first questions in each state, in the order of `PANELS`."""


def kind_of(told: str) -> str:
    """Return the kind of a verdict from its first words."""
    return LITTLE if told.startswith("Not enough data") else NONE if told.startswith("There are no") else YES


TOLD_APART = {
    "one event",
    "full text alone",
    "no gold",
    "no full text",
    "one rater",
    "full text by others",
}
"""States that other tests of this file open; the second tier asks each of them every question."""


@pytest.mark.parametrize(
    "state",
    [pytest.param(one, marks=pytest.mark.journey) if one in TOLD_APART else one for one in STATES],
)
def test_every_question_has_a_verdict_in_any_state(open_page: Open, add: Add, state: str) -> None:
    key = add(*STATES[state]())
    found = []
    for about in PANELS[:5]:
        app = opened(open_page, key, about, relevance_draws="20", partition_draws="100")
        found.append(kind_of(verdict(app)))
        inert(app)
    assert found == [*VERDICTS[state]]


SAMPLE = "sample-relevance"


def test_a_metric_is_compared_with_judging_at_three_levels(open_page: Open) -> None:
    app = opened(open_page, SAMPLE, "Automatic metrics", agreement="LDC Agreement")
    assert "LDC Agreement" in sentences(app)
    against, means = figures(app)
    assert [trace["name"] for trace in against["data"]] == ["Headline", "Human"]
    assert [len(trace["x"]) for trace in against["data"]] == [3, 3]
    assert len(means["data"][0]["x"]) == 2
    correlations, of_metric, of_outcomes = tables(app)
    assert of_outcomes["Outcome"].tolist() == ["TP", "TN", "FP", "FN"] * 2
    assert len(correlations) == 8
    assert correlations["Surrogates"].isna().all()
    assert of_metric["Surrogate"].tolist() == ["Human", "Headline"]
    assert of_outcomes["Judgments"].sum() == 1200
    app.toggle(key="keep_full_text").set_value(True).run()
    assert not app.exception
    assert tables(app)[0]["Surrogates"].notna().any()
    assert len(tables(app)[1]) == 3


def test_partitions_of_all_sizes_have_intervals(open_page: Open) -> None:
    app = opened(open_page, SAMPLE, "Partitions", partition_draws="500")
    assert "rouge1" in verdict(app).casefold()
    (figure,) = figures(app)
    assert len(figure["data"]) == 4
    (table,) = tables(app)
    assert table["Group size"].tolist() == [1, 2, 4] * 2
    assert table["Groups"].tolist() == [60, 30, 15] * 2
    assert (table["Mean r from"] < table["Mean r"]).all()
    assert (table["Largest group rate"] >= table["Smallest group rate"]).all()
    before = table[table["Group size"] == 2]
    app.slider(key="group_size").set_value(3).run()
    assert not app.exception
    (table,) = tables(app)
    assert table["Group size"].tolist() == [1, 2, 3, 4] * 2
    assert (table[table["Group size"] == 3]["Left over"] == 6).all()
    np.testing.assert_array_equal(table[table["Group size"] == 2]["Mean r"], before["Mean r"])


def test_the_order_of_presentation_has_its_table_or_its_missing_columns(open_page: Open, add: Add) -> None:
    app = opened(open_page, SAMPLE, "Order of presentation")
    (table,) = tables(app)
    assert set(table["Order"]) == {"D1S2D2", "S1D1D2"}
    assert (table["Same"] + table["Changed"] == table["Judged twice"]).all()
    (figure,) = figures(app)
    assert figure["data"][0]["x"] == pytest.approx(table["Equal"].tolist())
    none = opened(open_page, add(made(2, 2, 3)), "Order of presentation")
    assert "order_label and presentation" in verdict(none)
    ordered = [
        row | {"order_label": "S1D1", "presentation": name}
        for name, surrogate in (("S1", "Human"), ("D1", "Full Text"))
        for row in made(1, 2, 4)
        if row["surrogate"] == surrogate
    ]
    key = add(ordered, (*ALL, "order_label", "presentation"))
    assert "got the same judgment twice" in verdict(opened(open_page, key, "Order of presentation"))
    assert "Readers of Human summaries" in verdict(opened(open_page, key))


def test_rows_of_the_order_study_are_left_out_of_the_others(open_page: Open) -> None:
    app = opened(open_page, SAMPLE)
    assert "120 judgments with an order label" in sentences(app)
    assert (tables(app)[0]["Judgments"] == 600).all()
    assert sum(len(element.proto.spec) for element in app.get("plotly_chart")) < 20_000


@pytest.mark.parametrize(("measure", "term"), [("Accuracy", "accuracy"), ("Precision", "precision")])
def test_two_metrics_are_compared_on_the_chosen_measure(
    open_page: Open, add: Add, measure: str, term: str, last_finding: LastFinding
) -> None:
    rows = made(raters=3, documents=3, surrogates=[f"system {at}" for at in range(9)])
    for row in rows:
        row["ROUGE-2"] = round(1 - row["ROUGE-1"] ** 2, 3)
    key = add(rows, [*ALL, "ROUGE-2"])
    app = opened(open_page, key, "Automatic metrics", agreement="LDC Agreement", judging=measure)
    assert last_finding("comparison").status is Status.UNCERTAIN
    (pair,) = tables(app)[1].to_dict("records")
    assert pair["Measure"] == term
    assert {pair["Metric"], pair["Other metric"]} == {"ROUGE-1", "ROUGE-2"}
    assert pair["n"] == 9
    app.multiselect(key="relevance_metrics_compared").set_value(["ROUGE-1"]).run()
    assert not app.exception
    assert "Correlation" in tables(app)[0]
    assert "Metric" not in tables(app)[1]
