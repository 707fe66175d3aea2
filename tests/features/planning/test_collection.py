"""Tests of further judgments: goals of ratings, pairs and labels, their assignments, and findings."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.items.rating_spread import item_mean, rating_spread
from analysis.planning.collection import STRATEGIES
from analysis.planning.promises import RatingsSource
from analysis.ratings import Ratings
from data.export import csv_bytes
from data.formats import recognise
from data.settings import Settings
from data.store import Store
from features.blocks import Figure, Finding, Status, Table
from features.planning.collection_findings import (
    NOISY_ITEMS,
    assignments_note,
    axes_of,
    collection_finding,
    collection_notes,
    promise_finding,
    strategies_table,
)
from features.planning.collection_results import (
    ALL_SYSTEMS,
    CONSISTENCY,
    ITEMS,
    LABELS_RIGHT,
    RELIABILITY,
    SCALE,
    TWO_ON_SCALE,
    TWO_SYSTEMS,
    CollectionSpec,
    collection_template,
    compare_promise,
    goals,
    plan_collection,
    repeating_raters,
)
from features.planning.section import collection_section
from features.planning.stopping import RULE
from features.study import Session, Study, use_session
from features.words import WHY, plain
from report.settings import ReportSettings, open_report_study
from tests.features.planning.plans import line_of
from tests.features.studies import said
from tests.golden.content import numbers_in

ITEM_COUNT, RATERS = 24, 9


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[Store]:
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def study_of(store: Store, path: Path, header: str, rows: list[str], kind: str = "ratings") -> Study:
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return open_report_study(store.add(path, kind), "", ReportSettings())[0]


def rated() -> list[tuple[int, int, float]]:
    """Items of unequal noise, of whom 6 of 9 raters rate each."""
    rng = np.random.default_rng(6)
    noise, means = np.where(np.arange(ITEM_COUNT) < 4, 2.0, 0.5), rng.normal(5, 1, ITEM_COUNT)
    return [
        (item, rater, round(float(means[item] + noise[item] * rng.standard_normal()), 2))
        for item in range(ITEM_COUNT)
        for rater in range(RATERS)
        if (item + rater) % 3
    ]


def ratings_study(store: Store, tmp_path: Path) -> Study:
    rows = [f"i{item:02},r{rater},s{item % 3},t{item // 3},{score}" for item, rater, score in rated()]
    return study_of(store, tmp_path / "r.csv", "item_id,rater_id,system,topic,score", rows)


def pairs_study(store: Store, tmp_path: Path) -> Study:
    """Four systems on 12 items each pair; a beats b, b beats c mostly, d is hardly compared."""
    rng, strength, rows = np.random.default_rng(7), {"a": 1.5, "b": 0.8, "c": 0.0, "d": -0.5}, []
    for first, second, items in (("a", "b", 12), ("b", "c", 12), ("a", "c", 12), ("c", "d", 5)):
        win = 1 / (1 + np.exp(strength[second] - strength[first]))
        for item in range(items):
            for rater in range(4):
                choice = first if rng.random() < win else second
                rows.append(f"{first}{second}{item},w{rater},{choice},{first},{second}")
    return study_of(store, tmp_path / "p.csv", "item_id,rater_id,choice,option_a,option_b", rows, "choices")


def labels_study(store: Store, tmp_path: Path, gold: bool = True) -> Study:
    rng, rows = np.random.default_rng(8), []
    for item in range(40):
        truth = item % 2
        for rater in rng.permutation(12)[:5]:
            label = truth if rng.random() < 0.7 else 1 - truth
            rows.append(f"i{item},w{rater},{'ny'[label]}" + (f",{'ny'[truth]}" if gold else ""))
    head = "item_id,rater_id,choice" + (",gold" if gold else "")
    return study_of(store, tmp_path / "l.csv", head, rows, "choices")


def test_the_goal_is_on_the_half_widths_of_the_items_page(own_store: Store, tmp_path: Path) -> None:
    study = ratings_study(own_store, tmp_path)
    item, rater, score = (np.array(each) for each in zip(*rated(), strict=True))
    spread = rating_spread(Ratings(item, rater, score))
    each = [item_mean(score[item == at], rater[item == at], spread=spread) for at in range(ITEM_COUNT)]
    widest = max((one.high - one.low) / 2 for one in each)
    found = plan_collection(study, CollectionSpec(ITEMS, "", 0.5, 40))
    assert found.source.now == pytest.approx(widest)
    assert found.curves["targeted"][1][0].value == pytest.approx(widest)
    noisy = np.isin(found.plans["targeted"].item, range(4))
    assert noisy.mean() > 0.8, "the items whose ratings vary most"
    assert found.after.low < found.after.value < found.after.high
    finding = collection_finding(found)
    assert f"{found.after.value:.2f}" in said(finding)
    assert "24 items · 9 raters" in line_of(finding.evidence)
    narrower = collection_finding(replace(found, source=replace(found.source, now=found.after.value)))
    assert found.after.excludes(found.wanted)
    assert narrower.status is Status.UNCERTAIN, "today's value lies within the interval"
    assert "not clearly" in said(narrower)
    reached = collection_finding(replace(found, wanted=widest + 1))
    assert reached.status is Status.CLEAR
    assert "is reached" in said(reached)


def test_raters_who_are_all_new_are_called_so_and_equal_gains_are_not_told(
    own_store: Store, tmp_path: Path
) -> None:
    study = ratings_study(own_store, tmp_path)
    spec = CollectionSpec(ITEMS, "", 0.5, 20, raters="new raters")
    found = plan_collection(study, spec)
    told = plain(assignments_note(found, collection_template(study, spec, found)))
    assert "new rater" in told.split(".")[0]
    assert ", " not in told.split(".")[0]
    plan, gain = found.by_raters["new raters"]
    alike = replace(found, by_raters=dict.fromkeys(found.by_raters, (plan, gain)))
    assert sum("new raters" in plain(one.text) for one in collection_notes(alike)) == 0


@pytest.mark.parametrize("goal", [ITEMS, RELIABILITY, ALL_SYSTEMS, TWO_SYSTEMS])
def test_further_ratings_bring_more_and_the_file_is_read_as_ratings(
    own_store: Store, tmp_path: Path, goal: str
) -> None:
    study = ratings_study(own_store, tmp_path)
    assert goal in goals(study)
    spec = CollectionSpec(goal, "", 1e-3 if goal != RELIABILITY else 0.999, 60, systems=("s0", "s2"))
    found = plan_collection(study, spec)
    for strategy in STRATEGIES:
        x, curve = found.curves[strategy]
        assert x[0] == 0
        assert x[-1] == len(found.plans[strategy])
        better = curve[-1].value - curve[0].value
        assert better > 0 if found.source.rises else better < 0
    best, even = (found.curves[one][1][-1].value for one in ("targeted", "evenly"))
    assert best >= even - 1e-9 if found.source.rises else best <= even * 1.05
    rows = collection_template(study, spec, found)
    rows["score"] = [1 + at % 5 for at in range(len(rows))]
    path = tmp_path / "assignments.csv"
    path.write_bytes(csv_bytes(rows))
    kind = recognise(path)
    assert kind.kind == "ratings"
    there = {(f"i{item:02}", f"r{rater}") for item, rater, _ in rated()}
    assert not there & set(zip(rows["item_id"], rows["rater_id"], strict=True))
    assert not rows.duplicated(["item_id", "rater_id"]).any()
    assert own_store.add(path, name="assigned").rows_kept == len(rows)


def test_the_program_of_the_page_and_its_blocks_have_the_same_numbers(
    own_store: Store, tmp_path: Path
) -> None:
    study = ratings_study(own_store, tmp_path)
    spec = CollectionSpec(ITEMS, "", 0.2, 30)
    found = plan_collection(study, spec)
    blocks = list(collection_section(study, spec))
    (figure,) = (block for block in blocks if isinstance(block, Figure))
    assert figure.name == "by-strategy"
    tables = {block.name: block.frame for block in blocks if isinstance(block, Table)}
    assert tables["strategies"].loc[2, "Half-width"] == found.after.value
    assert tables["assignments"]["Further"].sum() == 30
    assert RULE in blocks


def test_pairs_are_compared_where_the_scale_is_least_known(own_store: Store, tmp_path: Path) -> None:
    study = pairs_study(own_store, tmp_path)
    assert goals(study) == [SCALE, TWO_ON_SCALE]
    spec = CollectionSpec(SCALE, "", 1.0, 60)
    found = plan_collection(study, spec)
    best, even, so_far = (found.curves[one][1][-1].value for one in ("targeted", "evenly", "as before"))
    assert best <= even < so_far
    of_d = [name for name in found.source.units[found.plan.item] if "d" in name.split(" – ")]
    assert len(of_d) > 30
    rows = collection_template(study, spec, found)
    assert set(rows.columns) >= {"rater_id", "item_id", "option_a", "option_b", "choice"}
    assert (rows["option_a"] != rows["option_b"]).all()
    judged = rows[~rows["item_id"].str.startswith("new item")]
    assert not judged.duplicated(["item_id", "rater_id"]).any()
    two = plan_collection(study, CollectionSpec(TWO_ON_SCALE, "", 1.0, 60, systems=("a", "b")))
    assert set(two.source.units[two.plan.item]) <= {"a – b", "a – c", "b – c"}
    assert numbers_in(said(collection_finding(found))) == [pytest.approx(found.after.value, abs=0.06)]


def test_labels_that_are_least_sure_are_voted_on_again(own_store: Store, tmp_path: Path) -> None:
    study = labels_study(own_store, tmp_path)
    assert goals(study) == [LABELS_RIGHT]
    spec = CollectionSpec(LABELS_RIGHT, "", 0.99, 40)
    found = plan_collection(study, spec)
    before, after = found.source.each(found.plan)
    asked = np.bincount(found.plan.item, minlength=40) > 0
    assert before[asked].mean() < before[~asked].mean()
    assert after[asked].mean() > before[asked].mean()
    best, even = (found.curves[one][1][-1].value for one in ("targeted", "evenly"))
    assert best >= even > found.source.now
    finding = collection_finding(found)
    assert "answers of 40 known" in line_of(finding.evidence)
    unknown = collection_finding(plan_collection(labels_study(own_store, tmp_path, False), spec))
    assert unknown.status is Status.UNCERTAIN
    assert "share no errors" in line_of(unknown.evidence)


def test_too_few_ratings_or_votes_say_so(own_store: Store, tmp_path: Path) -> None:
    single = [f"i{at},r{at},3" for at in range(12)]
    study = study_of(own_store, tmp_path / "one.csv", "item_id,rater_id,score", single)
    finding = collection_finding(plan_collection(study, CollectionSpec()))
    assert finding.status is Status.NOT_ENOUGH_DATA
    votes = [f"i{at},w{at % 3},{'ab'[at % 2]}" for at in range(12)]
    study = study_of(own_store, tmp_path / "two.csv", "item_id,rater_id,choice", votes, "choices")
    finding = collection_finding(plan_collection(study, CollectionSpec(LABELS_RIGHT)))
    assert finding.status is Status.NOT_ENOUGH_DATA
    assert next(iter(collection_section(study, CollectionSpec(LABELS_RIGHT)))) == finding


def test_a_goal_that_is_reached_asks_for_nothing_more(own_store: Store, tmp_path: Path) -> None:
    study = ratings_study(own_store, tmp_path)
    for wanted, drawn in ((0.2, True), (50.0, False)):
        blocks = list(collection_section(study, CollectionSpec(ITEMS, "", wanted, 10)))
        assert any(isinstance(block, Figure | Table) for block in blocks) is drawn


def test_a_promise_is_compared_with_what_the_next_version_has(own_store: Store, tmp_path: Path) -> None:
    study = ratings_study(own_store, tmp_path)
    spec = CollectionSpec(ITEMS, "", 0.2, 72, seed=1)
    found = plan_collection(study, spec)
    rng, old = np.random.default_rng(9), rated()
    means = {item: np.mean([score for of, _, score in old if of == item]) for item in range(ITEM_COUNT)}
    rows = collection_template(study, spec, found)
    noise = rows["item_id"].str[1:].astype(int).map(lambda item: 2.0 if item < 4 else 0.5)
    centers = rows["item_id"].str[1:].astype(int).map(means)
    rows["score"] = (centers + noise * rng.standard_normal(len(rows))).round(2)
    lines = (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines()
    columns = ["item_id", "rater_id", "system", "topic", "score"]
    lines += [",".join(map(str, row)) for row in rows[columns].itertuples(index=False)]
    path = tmp_path / "again.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    again = open_report_study(own_store.add(path), "", ReportSettings())[0]
    later = plan_collection(again, spec)
    kept = compare_promise(later, again, study.whole)
    assert kept is not None
    assert (kept.n, kept.now) == (72, later.source.now)
    assert kept.promise == found.after
    finding = promise_finding(later, kept)
    assert f"{kept.now:.2f}" in said(finding)
    assert kept.promise.low <= kept.now <= kept.promise.high
    assert said(finding).endswith("as promised.")
    assert compare_promise(found, study, again.whole) is None, "the version before has more"
    assert any(block == finding for block in collection_section(again, spec, study.whole))


def test_systems_without_a_difference_say_so(own_store: Store, tmp_path: Path) -> None:
    """The third system has one rating; a study of one system is offered no difference."""
    rows = [f"i{item:02},r{rater},s{item % 2},t{item // 2},{score}" for item, rater, score in rated()]
    header = "item_id,rater_id,system,topic,score"
    study = study_of(own_store, tmp_path / "s.csv", header, [*rows, "x,r1,s9,t1,4"])
    spec = CollectionSpec(TWO_SYSTEMS, "", 0.1, 10, systems=("s0", "s9"))
    found = plan_collection(study, spec)
    assert collection_finding(found).status is Status.NOT_ENOUGH_DATA
    assert plan_collection(study, replace(spec, systems=("s0", "nobody"))).reason
    assert plan_collection(study, replace(spec, goal=ALL_SYSTEMS)).plans
    single = [row.replace(",s1,", ",s0,") for row in rows]
    assert goals(study_of(own_store, tmp_path / "1.csv", header, single)) == [ITEMS, RELIABILITY]


def test_no_strategy_is_named_where_all_bring_the_same(own_store: Store, tmp_path: Path) -> None:
    """Items of one spread with two raters each: any 24 further ratings of 24 items by new raters are alike."""
    rng = np.random.default_rng(3)
    rows = [f"i{item:02},r{rater},{rng.integers(1, 6)}" for item in range(ITEM_COUNT) for rater in range(2)]
    study = study_of(own_store, tmp_path / "two.csv", "item_id,rater_id,score", rows)
    spec = CollectionSpec(ITEMS, wanted=0.01, further=ITEM_COUNT, raters="new raters")
    found = plan_collection(study, spec)
    template, _ = collection_finding(found).headline
    assert "targeted" not in template
    assert len(found.by_raters["raters so far"][0]) == 0, "who have judged all they may"
    unequal = ratings_study(own_store, tmp_path)
    template, _ = collection_finding(plan_collection(unequal, replace(spec, wanted=0.01))).headline
    assert "targeted" in template


def test_a_rater_judges_topics_again_and_the_file_is_read_as_repeats(
    own_store: Store, tmp_path: Path
) -> None:
    """Two raters judged 8 of 40 items twice; of the one with the wider interval 10 further repeats are planned."""
    rng, rows = np.random.default_rng(8), []
    for rater, noise in (("careful", 0.3), ("careless", 1.0)):
        for item in range(40):
            for _ in range(2 if item % 5 == 0 else 1):
                score = item % 7 + noise * rng.standard_normal()
                rows.append(f"i{item:02},{rater},t{item % 4},{score:.2f},{len(rows)}")
    study = study_of(own_store, tmp_path / "again.csv", "item_id,rater_id,topic,score,order", rows)
    assert CONSISTENCY in goals(study)
    assert [*repeating_raters(study, study.measures[0])] == ["careless", "careful"]
    spec = CollectionSpec(CONSISTENCY, wanted=0.05, further=10)
    found = plan_collection(study, spec)
    named = repeating_raters(study, study.measures[0])["careless"]
    assert found.source.now == pytest.approx((named.high - named.low) / 2)
    assert found.after.value < found.source.now
    table = collection_template(study, spec, found)
    assert table["rater_id"].unique().tolist() == ["careless"]
    assert not {int(name[1:]) % 5 for name in table["item_id"]} & {0}
    assert len(table) == table["item_id"].nunique() == 10
    (note,) = collection_notes(found)
    assert {*note.text[1]} == {"chosen", "even"}
    again = collection_finding(plan_collection(study, replace(spec, rater="nobody")))
    assert again.status is Status.NOT_ENOUGH_DATA


def test_a_reliability_after_targeted_ratings_is_said_to_come_out_lower(
    own_store: Store, tmp_path: Path
) -> None:
    study = ratings_study(own_store, tmp_path)
    spec = CollectionSpec(RELIABILITY, wanted=0.99)
    for how in STRATEGIES:
        notes = [one.text for one in collection_notes(plan_collection(study, replace(spec, strategy=how)))]
        assert ((NOISY_ITEMS, {}) in notes) == (how == "targeted")


def test_no_width_beyond_the_scale_is_promised(own_store: Store, tmp_path: Path) -> None:
    """Three of 30 items have two ratings, whose variance has so few degrees of freedom that widths pass the scale."""
    rng = np.random.default_rng(3)
    rows = [
        f"i{item},r{(item + at) % 6},{1 + 4 * at if item > 26 else rng.integers(1, 6)}"
        for item in range(30)
        for at in range(1 + (item > 26))
    ]
    study = study_of(own_store, tmp_path / "few.csv", "item_id,rater_id,score", rows)
    blocks = list(collection_section(study, CollectionSpec()))
    assert [block.status for block in blocks if isinstance(block, Finding)] == [Status.NOT_ENOUGH_DATA]
    assert not any(isinstance(block, Figure | Table) for block in blocks)

    found = plan_collection(ratings_study(own_store, tmp_path), CollectionSpec(ITEMS, "", 0.2, 30))
    assert isinstance(found.source, RatingsSource)
    narrow = replace(found.source, widest=0.9 * found.after.high)
    promised = narrow.promise(found.plan)
    assert not promised.defined
    assert promised.reason
    curves = {one: (x, (*curve[:-1], promised)) for one, (x, curve) in found.curves.items()}
    undefined = replace(found, source=narrow, curves=curves)
    assert collection_finding(undefined).status is Status.NOT_ENOUGH_DATA
    table = strategies_table(undefined).frame
    assert np.isnan(table["Half-width"][:3]).all()
    assert (table[WHY][:3] == promised.reason).all()
    assert np.isfinite(axes_of(undefined).highest or np.nan)


def test_raters_who_may_judge_nothing_more_have_no_row(own_store: Store, tmp_path: Path) -> None:
    rows = [f"i{item},r{rater},{(item + rater * item) % 5}" for item in range(12) for rater in range(3)]
    study = study_of(own_store, tmp_path / "all.csv", "item_id,rater_id,score", rows)
    found = plan_collection(study, CollectionSpec(ITEMS, "", 0.1, 12))
    assert len(found.by_raters["raters so far"][0]) == 0
    assert len(strategies_table(found).frame) == len(STRATEGIES)
