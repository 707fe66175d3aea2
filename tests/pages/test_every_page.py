"""Every page on its samples, on real studies and in undefined states: figures counted by hand, or the reason why."""

import html
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.samples import SAMPLES, Sample
from features.blocks import Finding, Status, sentence_of
from features.words import Sentence, of_many, plain
from tests.golden.views import SMALL
from tests.pages.conftest import figures, sentences
from tests.pages.test_shown_figures import NOT_PLAIN, TOLD, unexplained, without_a_row, without_a_view
from tests.reference.counted import counted
from ui.visit.pages import PAGES, PageEntry

Open = Callable[..., AppTest]
Rows = list[tuple[object, ...]]
OF_RATINGS = ("overview.py", "distributions.py", "crowd_vs_lab.py", "repetitions.py")
FEW = {"draws": "20", "shuffles": "20", "permutations": "100"}
"""For tests of anything but intervals; a page takes what it has of these."""
MORE_OF = {"repetitions.py": {"all_columns": "true"}}
CLOSED = {
    ("systems.py", "sample-summaries"),
    *((page, "sample-votes") for page in ("crowd_vs_lab.py", "standing_in.py", "assessors.py")),
}
"""Pages that say what a sample lacks: systems, a second group, names of raters."""
SHOWN = [
    (page, sample)
    for page in PAGES
    for sample in SAMPLES
    if page.needs_dataset and sample.kind in page.kinds and (page.script, sample.key) not in CLOSED
]
FINDINGS = {
    ("overview.py", "sample-summaries"): "21,600 ratings of 50 items by 117 raters in 2 groups",
    ("overview.py", "sample-assessors"): "14,256 ratings of 4,752 items by 8 raters",
    ("overview.py", "sample-comparisons"): "1,320 choices of 60 items by 10 raters",
    ("overview.py", "sample-comprehension"): "4,628 answers of 51 stories by 5 authors",
    ("overview.py", "sample-relevance"): "1,920 judgments of 80 documents by 12 raters",
    ("overview.py", "sample-rankings"): "1,000 ranks of 40 tasks by 20 raters",
    ("workers.py", "sample-rankings"): "1 of 20 raters is clearly less consistent than the typical rater.",
    ("systems.py", "sample-rankings"): "System Atlas ranks above the other 4 systems.",
    (
        "study_report.py",
        "sample-rankings",
    ): "has 4 sections",
    ("overview.py", "sample-label-sets"): "360 label sets of 60 items by 12 raters",
    ("agreement.py", "sample-label-sets"): "with an alpha of 0.42, below the usual minimum",
    ("workers.py", "sample-label-sets"): "1 of 12 raters is clearly less consistent than the typical rater.",
    ("systems.py", "sample-label-sets"): "The crowd's label sets match gold exactly on 82% of items.",
    (
        "study_report.py",
        "sample-label-sets",
    ): "has 5 sections",
    ("overview.py", "sample-votes"): "1,821 ratings of 180 items.",
    ("distributions.py", "sample-votes"): "The median MOS is 2.80.",
    ("agreement.py", "sample-votes"): "with an alpha of 0.60, possibly below the usual minimum",
    ("repetitions.py", "sample-votes"): "Score needs about 3 ratings per item.",
    ("systems.py", "sample-votes"): "System codec A ranks above the other 11 systems.",
    ("items.py", "sample-votes"): "No item clearly stands out for disagreement on score.",
    ("metrics.py", "sample-votes"): "Not enough data to compare a metric with raters",
    ("pyramid.py", "sample-votes"): "Not enough data to score pyramids",
    ("training.py", "sample-votes"): "Not enough data to train a metric",
    ("planning.py", "sample-votes"): "Further targeted ratings bring every item's mean to",
    (
        "study_report.py",
        "sample-votes",
    ): "has 7 sections",
    ("distributions.py", "sample-summaries"): "Crowd medians are higher on all 9 measures.",
    ("distributions.py", "sample-assessors"): "The median MOS is 3.00 for Readability.",
    (
        "crowd_vs_lab.py",
        "sample-summaries",
    ): "Crowd and lab correlate least on post usefulness, ρ = 0.61.",
    ("crowd_vs_lab.py", "sample-assessors"): "ρ = 0.57.",
    (
        "agreement.py",
        "sample-summaries",
    ): "Single crowd ratings reach an alpha of at most",
    (
        "agreement.py",
        "sample-assessors",
    ): "Not enough data to say whether raters agree.",
    (
        "standing_in.py",
        "sample-summaries",
    ): "Crowd can replace a lab rater on overall quality.",
    ("standing_in.py", "sample-comparisons"): "Expert can replace a rater.",
    ("standing_in.py", "sample-assessors"): "no item was rated by two reference raters",
    (
        "repetitions.py",
        "sample-summaries",
    ): "Post usefulness needs most, about 19 ratings per item.",
    ("repetitions.py", "sample-assessors"): "This page needs at least two ratings per item.",
    (
        "repetitions.py",
        "sample-comparisons",
    ): "On AW vs UI, 2-choice, the majority matches the expert's answer on 73% of items.",
    **{
        ("planning.py", sample): told
        for sample, told in (
            ("sample-summaries", "Further targeted ratings bring every item's mean to"),
            ("sample-assessors", "Further ratings bring the consistency of rater E to"),
            ("sample-comparisons", "Further targeted comparisons bring differences on the scale to"),
        )
    },
    (
        "assessors.py",
        "sample-summaries",
    ): "2 of 45 raters are clearly less consistent than the typical rater on overall quality.",
    (
        "assessors.py",
        "sample-assessors",
    ): "1 of 8 raters is clearly more consistent than the typical rater on Responsiveness.",
    (
        "workers.py",
        "sample-comparisons",
    ): "2 of 10 raters are clearly less consistent than the typical rater.",
    (
        "systems.py",
        "sample-assessors",
    ): "System human 2 ranks first",
    ("systems.py", "sample-comparisons"): "Wins 69% against an average system",
    (
        "items.py",
        "sample-summaries",
    ): "No item clearly stands out for disagreement on overall quality.",
    ("items.py", "sample-assessors"): "Not enough data to compare disagreement on Readability",
    ("metrics.py", "sample-summaries"): "Metric summary_words correlates",
    ("metrics.py", "sample-assessors"): "Metric rouge2 correlates best with Pyramid",
    ("pyramid.py", "sample-summaries"): "Not enough data to score pyramids",
    ("pyramid.py", "sample-assessors"): "Rater C misses content, scoring 0.045 below the automatic Pyramid.",
    ("training.py", "sample-summaries"): "Not enough data to train a metric",
    ("training.py", "sample-assessors"): "The metric trained for Readability correlates with it at r = ",
    (
        "study_report.py",
        "sample-summaries",
    ): "has 11 sections",
    (
        "study_report.py",
        "sample-assessors",
    ): "has 12 sections",
    (
        "study_report.py",
        "sample-comparisons",
    ): "has 8 sections",
    (
        "study_report.py",
        "sample-comprehension",
    ): "has 3 sections",
    (
        "study_report.py",
        "sample-relevance",
    ): "has 4 sections",
    ("comprehension.py", "sample-comprehension"): "share 61% of what others found important",
    (
        "relevance.py",
        "sample-relevance",
    ): "Readers of Human summaries decide as with the full text 81% of the time.",
}


WITHOUT_VERDICT = ("overview.py", "study_report.py")
"""Pages that begin with what the data set or the report holds."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """The findings that pages show, as they are shown."""
    findings = list[Finding]()

    def note(finding: Finding) -> Sentence:
        findings.append(finding)
        return sentence_of(finding)

    monkeypatch.setattr("ui.render.sentence_of", note)
    return findings


@pytest.mark.parametrize(
    ("page", "sample"), SHOWN, ids=lambda of: getattr(of, "script", getattr(of, "key", ""))
)
def test_the_samples_have_their_finding_figures_that_plotly_accepts_and_rows_of_calibration(
    open_page: Open, page: PageEntry, sample: Sample, shown: list[Finding]
) -> None:
    app = open_page(page.script, d=sample.key, **SMALL)
    main = FINDINGS[page.script, sample.key]
    assert main in html.unescape(sentences(app))
    assert page.script in WITHOUT_VERDICT or any(
        main in f"{plain(one.headline)} {plain(one.evidence)}" for one in shown
    )
    assert all(one.status in Status for one in shown)
    for figure in figures(app):
        go.Figure(figure)  # figures go to the page unchecked, so what Plotly refuses must show here
    undefined = "can be ranked" in sentences(app) or "cannot be told" in sentences(app)
    undefined = undefined or "not enough" in sentences(app).casefold()
    assert figures(app) or undefined or page.script == "study_report.py"
    assert len(figures(app)) >= 2 or page.script != "overview.py"
    assert "This data set holds" not in sentences(app)
    assert not without_a_row(page.script, [app]), TOLD
    assert not unexplained(app), NOT_PLAIN
    assert not without_a_view(app, page.script, sample.kind)


def test_a_real_study_has_the_counts_of_its_file(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    """79 items, as its source says; of two groups, the next test."""
    file = shared_data / "video_mos_nflx_public.csv"
    key = add_study(file)
    ratings, _, _ = counted(file, propose(sniff(file), "ratings").mapping)
    overview, distributions, crowd_vs_lab, repetitions = opened(open_page, key)
    assert f"{ratings:,} ratings of 79 items" in sentences(overview)
    assert set(distributions.dataframe[0].value["Items"]) == {79}
    assert set(repetitions.dataframe[0].value["Items"]) == {79}
    assert "There is nothing to compare these ratings with" in sentences(crowd_vs_lab)
    assert not figures(crowd_vs_lab)


def test_the_speech_study_shows_the_known_correlations(
    open_page: Open, add_study: Callable[..., str], shared_data: Path
) -> None:
    key = add_study(shared_data / "speech_mos_lab_vs_crowd.csv")
    for group, rho, items in (
        ("crowd_clickworker_de", 0.897, 200),
        ("crowd_mturk_en", 0.896, 199),
        ("crowd_mturk_es", 0.822, 200),
    ):
        app = open_page("crowd_vs_lab.py", d=key, candidate=group)
        table = app.dataframe[0].value
        assert round(float(table["Spearman ρ"].iloc[0]), 3) == rho
        assert int(table["Items"].iloc[0]) == items


def test_an_unknown_data_set_is_not_found(open_page: Open) -> None:
    app = open_page("overview.py", d="ffffffffffffffffffffffffffffffff")
    assert app.title[0].value == "Not found"
    assert not figures(app)
    assert "no data set under this address" in sentences(app)


def opened(open_page: Open, key: str) -> list[AppTest]:
    return [open_page(page, d=key, **FEW, **MORE_OF.get(page, {})) for page in OF_RATINGS]


def without_knees(app: AppTest) -> bool:
    """Return True where no table of a page has a knee."""
    return all(table.value["Knee"].isna().all() for table in app.dataframe if "Knee" in table.value)


def medians(rows: Rows) -> dict[object, str]:
    """The median of the items' means by group, written as the pages do."""
    scores = defaultdict(lambda: defaultdict(list))
    for item, _, *group, score in rows:
        scores[group[0] if group else ""][item].append(score)
    return {group: f"{median(map(mean, of.values())):.2f}" for group, of in scores.items()}


STATES = {
    "one rating": ([("i1", "r1", 3)], "needs at least two ratings per item"),
    "one item": ([("i1", f"r{r}", r % 5 + 1) for r in range(6)], "one item alone has no correlation"),
    "one rater": (
        [(f"i{i}", "r1", i % 5 + 1) for i in range(12)],
        "needs at least two ratings per item",
    ),
    "all scores equal": (
        [(f"i{i}", f"r{r}", 3) for i in range(12) for r in range(8)],
        "all ratings are equal, so no correlation is defined",
    ),
    "two items": (
        [(f"i{i}", f"r{r}", (i + r) % 5 + 1) for i in range(2) for r in range(8)],
        "no positive Pearson correlation",
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_odd_studies_of_one_group_get_their_counts_and_the_reason(
    open_page: Open, add_rows: Callable[..., str], state: str
) -> None:
    rows, reason = STATES[state]
    overview, distributions, crowd_vs_lab, repetitions = opened(open_page, add_rows("item,rater,score", rows))
    items, raters = len({row[0] for row in rows}), len({row[1] for row in rows})
    assert (
        f"{of_many(len(rows), 'ratings')} of {of_many(items, 'items')} by {of_many(raters, 'raters')}"
        in sentences(overview)
    )
    of_items = (
        f"you have {of_many(items, 'items')}"
        if items < 10
        else f"MOS of {medians(rows)['']}."
        if len({row[2] for row in rows}) == 1
        else f"MOS is {medians(rows)['']}."
    )
    assert of_items in sentences(distributions)
    assert "There is nothing to compare these ratings with" in sentences(crowd_vs_lab)
    assert reason in sentences(repetitions)
    assert without_knees(repetitions)


GROUPS = {
    "no shared item": [
        (f"{g}{i}", f"{g}r{r}", g, (i + r) % 5 + 1) for g in "ab" for i in range(9) for r in range(7)
    ],
    "a constant candidate": [
        (f"i{i}", f"{g}r{r}", g, 3 if g == "a" else (i + r) % 5 + 1)
        for g in "ab"
        for i in range(9)
        for r in range(7)
    ],
    "the same raters in both": [
        (f"i{i}", f"r{r}", g, (i * r + ord(g)) % 5 + 1) for g in "ab" for i in range(9) for r in range(7)
    ],
    "one shared item": [("i0", f"{g}r{r}", g, r % 5 + 1) for g in "ab" for r in range(7)],
}


UNDEFINED = {
    "no shared item": (0, "A and b share no item", "no item has both ratings and a reference"),
    "a constant candidate": (9, "Not enough data to correlate a with b", "all ratings are equal"),
    "the same raters in both": (
        9,
        "do not clearly correlate on score",
        "in some orders all items have the same",
    ),
    "one shared item": (1, "correlation needs at least 3 items", "one item alone has no correlation"),
}
"""Items that both groups rated, and what two pages say."""


@pytest.mark.parametrize("state", GROUPS)
def test_odd_studies_of_two_groups_get_their_counts_and_the_reason(
    open_page: Open, add_rows: Callable[..., str], state: str
) -> None:
    rows = GROUPS[state]
    shared, compared, simulated = UNDEFINED[state]
    overview, distributions, crowd_vs_lab, repetitions = opened(
        open_page, add_rows("item,rater,group,score", rows)
    )
    items, raters = len({row[0] for row in rows}), len({row[1] for row in rows})
    of_items = "1 item" if items == 1 else f"{items} items"
    assert f"{len(rows)} ratings of {of_items} by {raters} raters in 2 groups" in sentences(overview)
    in_each = len({row[0] for row in rows if row[2] == "a"})
    few = "1 item" if in_each == 1 else f"{in_each} items"
    assert f"you have {few}, it needs 10" in sentences(distributions)
    items_shared = [table.value["Items"].tolist() for table in crowd_vs_lab.dataframe[:1]]
    assert items_shared == ([[shared]] if shared else [])
    assert compared in sentences(crowd_vs_lab)
    assert simulated in sentences(repetitions)
    assert without_knees(repetitions)


def test_a_measure_that_one_group_did_not_rate_is_undefined_not_an_error(
    open_page: Open, add_rows: Callable[..., str]
) -> None:
    rows = [
        (f"i{i}", f"{g}r{r}", g, m, (i + r) % 5 + 1)
        for g in "ab"
        for m in ("focus", "clarity")
        for i in range(9)
        for r in range(7)
        if (g, m) != ("b", "clarity")
    ]
    key = add_rows("item,rater,group,measure,score", rows)
    overview, distributions, crowd_vs_lab, repetitions = opened(open_page, key)
    assert "189 ratings of 9 items by 14 raters" in sentences(overview)
    assert len(distributions.dataframe[0].value) == 3
    table = crowd_vs_lab.dataframe[0].value.set_index("Measure")
    assert table["Items"].to_dict() == {"focus": 9, "clarity": 0}
    assert table.at["focus", "Spearman ρ"] == pytest.approx(1)
    assert table["Spearman ρ"].isna().to_dict() == {"focus": False, "clarity": True}
    assert repetitions.dataframe[0].value.set_index("Measure")["Items"].to_dict() == {
        "focus": 9,
        "clarity": 0,
    }


def test_candidate_against_itself_asks_for_another_reference(open_page: Open) -> None:
    for page in ("crowd_vs_lab.py", "repetitions.py"):
        app = open_page(page, candidate="lab", reference="lab")
        assert "Choose another reference" in sentences(app)
        assert not figures(app)
