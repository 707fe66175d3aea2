"""The page Automatic metrics: columns, joined files, ROUGE, and what is missing."""

import json

import numpy as np
import pytest

from analysis.assessors.automatic_metrics import MetricScores, metric_agreement
from analysis.correlation.metric_comparison import compare_metrics
from analysis.values.estimate import BootstrapSpec
from data.store.store import Store
from tests.pages.conftest import figures, sentences, statuses
from tests.pages.metrics.summaries import WORKSPACE, box, calm, leave_out, opened, study

pytestmark = pytest.mark.usefixtures("workspace")
METRICS = "metrics.py"
HOSTILE = "<img src=x onerror=alert(1)>"


def test_a_numeric_column_is_held_against_the_raters(open_page, add_table, last_finding):
    header, rows = study()
    app = opened(open_page, METRICS, add_table("ratings", header, rows, "six systems"))
    item, rater, system, topic, score, bleu = (
        np.array(column) for column in list(zip(*rows, strict=True))[:6]
    )
    expected = metric_agreement(MetricScores(bleu, item, system, topic, rater, score))
    assert box(app, "Metric").value == "bleu"
    over_systems, single = app.dataframe[0].value["Correlation"]
    assert over_systems == pytest.approx(expected.system_level.before.value)
    assert single == pytest.approx(expected.summary_level.before.value)
    assert float(last_finding().headline[1]["value"]) == pytest.approx(over_systems, abs=0.005)
    assert "6 systems" in sentences(app)
    (figure,) = figures(app)
    assert len(figure["data"][0]["x"]) == 6


def test_an_exclusion_is_compared_with_everyone(open_page, add_table):
    app = leave_out(
        opened(open_page, METRICS, add_table("ratings", *study(), "six systems"), all_columns="true"), "Bob"
    )
    table = app.dataframe[0].value
    np.testing.assert_allclose(table["After"] - table["Before"], table["Difference"])
    assert table["n after"].tolist() == [6, 1]
    assert sentences(app).index("Without Bob, r of bleu and score changes by") < sentences(app).index(
        "Metric bleu"
    )
    names = [trace["name"] for trace in figures(app)[0]["data"]]
    assert names == ["Move", "Everyone", "Without them"]
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
    first = app.dataframe[0].value["Correlation"].tolist()
    calm(box(app, "Metric").set_value("ROUGE-1 of the texts").run())
    assert app.dataframe[0].value["Correlation"].tolist() != first
    assert app.dataframe[0].value["n"].tolist() == [6, 2]


def test_a_file_of_metrics_is_joined_by_item_and_by_the_address(open_page, add_table):
    d = add_table("ratings", *study(text=False, number=False), "bare")
    assert statuses(opened(open_page, METRICS, d)) == ["not enough data"]
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
    assert "correlation needs at least 3 systems; there are 2" in sentences(app)
    flat = [(*row[:4], 3, row[5]) for row in rows]
    app = opened(open_page, METRICS, add_table("ratings", header, flat, "constant"))
    assert "ll systems have the same score" in sentences(app)
    assert "2 raters of a measure the correlation is undefined" in sentences(app)


def test_without_systems_items_are_ranked(open_page, add_table, last_finding):
    rng = np.random.default_rng(1)
    rows = [
        (f"clip {i}", who, i % 5 + rng.normal(), i % 5) for i in range(12) for who in ("Ann", "Bob", "Cy")
    ]
    app = opened(open_page, METRICS, add_table("ratings", "item_id,rater_id,score,gold", rows, "clips"))
    assert last_finding().headline[1]["metric"] == "Metric gold"
    assert "12 items" in sentences(app)
    assert app.dataframe[0].value["Over"].tolist() == ["items", "single items of a rater"]


def several(systems):
    """Systems rated by two persons on four topics; one metric sees quality, one does not, one is an error rate."""
    rng = np.random.default_rng(3)
    rows = []
    for system in range(systems):
        quality = rng.normal()
        tastes = 0.2 * rng.normal(), 3 * rng.normal(), 0.5 * rng.normal()
        for topic in range(4):
            seen = [quality + taste + 0.1 * rng.normal() for taste in tastes]
            for who in ("Ann", "Bob"):
                score = quality + 0.3 * rng.normal()
                rows.append(
                    (f"s{system}t{topic}", who, f"sys {system}", f"T{topic}", score, *seen[:2], -seen[2])
                )
    return "item_id,rater_id,system,topic,score,good,bad,errors", rows


def test_metrics_are_compared_on_the_same_scores(open_page, add_table):
    header, rows = several(14)
    app = opened(
        open_page, METRICS, add_table("ratings", header, rows, "fourteen"), draws="100", all_columns="true"
    )
    _, _, system, topic, score, good, bad, errors = (np.array(column) for column in zip(*rows, strict=True))
    metrics = {"good": good, "bad": bad, "errors": errors}
    expected = compare_metrics(metrics, system, topic, score, bootstrap=BootstrapSpec(100))
    (table,) = (each.value for each in app.dataframe if "PERM-BOTH, p" in each.value)
    assert table["Metric"].tolist() == [pair.better for pair in expected]
    np.testing.assert_allclose(table["Difference"], [pair.difference.value for pair in expected])
    np.testing.assert_allclose(table["p (Holm)"], [pair.p_holm for pair in expected])
    np.testing.assert_allclose(table["PERM-BOTH, p"], [pair.p_permuted for pair in expected])
    assert "pairs of metrics clearly differ" in sentences(app)
    assert "Most clearly: good and bad on score" in sentences(app)
    assert "14 systems" in sentences(app)
    assert sentences(app).endswith("errors.")
    one = calm(app.multiselect(key="metrics_compared").set_value(["good"]).run())
    assert "Choose two metrics or more" in sentences(one)


def test_below_eight_systems_no_metric_is_named(open_page, add_table):
    app = opened(open_page, METRICS, add_table("ratings", *several(7), "seven"), draws="100")
    assert "not enough data" in statuses(app)
    assert "7 systems, it needs 8" in sentences(app)


def test_real_ratings_of_three_systems_with_two_metrics(open_page, add_rows, shared_data):
    """SQuALITY has no metric: two are made of its items' names and topics."""
    lines = (shared_data / "squality_summary_ratings.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split(",") for line in lines]
    with_metrics = [
        (*(row[at] for at in (0, 1, 2, 3, 5, 6)), len(row[0]), sum(map(ord, row[0])) % 97) for row in rows
    ]
    key = add_rows("item,rater,measure,score,system,topic,length,hash", with_metrics, "ratings")
    app = opened(open_page, METRICS, key, draws="50")
    assert "not enough data" in statuses(app)
    assert "3 systems, it needs 8" in sentences(app)
    assert "an interval needs at least" in sentences(app)


def test_a_study_without_metrics_says_what_to_do(open_page, add_study, shared_data):
    app = opened(open_page, METRICS, add_study(shared_data / "squality_summary_ratings.csv"))
    assert statuses(app) == ["not enough data"]
    assert not app.dataframe


def test_systems_can_be_machines_only(open_page, add_table):
    header, rows = study(text=False)
    kinds = [(*row, "machine" if row[2] < "sys 4" else "person") for row in rows]
    d = add_table("ratings", f"{header},system_kind", kinds, "kinds")
    app = opened(open_page, METRICS, d)
    assert box(app, "Systems").options == ["all systems", "only machine", "only person"]
    assert app.dataframe[0].value["n"][0] == 4
    assert opened(open_page, METRICS, d, systems_of="all systems").dataframe[0].value["n"][0] == 6


@pytest.mark.parametrize(
    ("question", "page", "finding"),
    [
        ("Automatic metrics", "Automatic metrics", "Metric rouge1 correlates"),
        ("Pyramid", "Pyramid", "below the automatic Pyramid"),
        ("Training a metric", "Training a metric", "The metric trained for Pyramid"),
    ],
)
def test_former_addresses_lead_to_the_pages_with_their_parameters(open_page, question, page, finding):
    address = {"metric": "rouge1", "training_measure": "Pyramid", "training_features": "rouge1"}
    app = open_page("assessors.py", d="sample-assessors", question=question, draws="20", **address)
    assert app.title[0].value == page
    assert finding in sentences(app)
    assert "question" not in app.query_params


def test_two_values_of_a_metric_are_compared_from_the_address(open_page, add_table):
    rng = np.random.default_rng(4)
    quality = rng.normal(0, 1, 12)
    metric = np.round(quality + rng.normal(0, 0.4, 12), 3)
    rows = [
        (
            f"s{system} t{topic}",
            "ann",
            f"s{system:02}",
            f"t{topic}",
            round(quality[system] + rng.normal(0, 0.5), 2),
            metric[system],
        )
        for system in range(12)
        for topic in range(6)
    ]
    key = add_table("ratings", "item,rater,system,topic,score,comet", rows, "twelve systems")
    app = open_page(METRICS, d=key, about="Worth of a difference", metric_value_1="0.1", metric_value_2="0.9")
    needed, accuracy = (frame.value for frame in app.dataframe[:2])
    assert needed["Prefer"].is_monotonic_increasing
    assert accuracy["Metric"].tolist() == ["comet"]
    assert accuracy["Pairwise accuracy"][0] > 0.7
    assert "people prefer the higher with" in sentences(app)
    assert len(figures(app)) == 1
