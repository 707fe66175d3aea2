"""The built-in studies: their design, and the truths planted in them."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from analysis.comparison.comparison import ComparisonSpec, compare
from analysis.repetitions.knee import knee
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import fit
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from data.dataset import SLOT
from data.samples import SAMPLES, summaries

README = Path(__file__).resolve().parents[3] / "data" / "samples" / "README.md"
OTHER_SEEDS = range(500, 520)  # neither calibrated on nor chosen from
ESTIMATES_ONLY = ComparisonSpec(bootstrap=BootstrapSpec(draws=0), permutations=0)


@dataclass(frozen=True)
class Row:
    """One column of the paper's Tables 1 and 2, or the sample's figures in its place."""

    lab: float
    crowd: float
    spearman: float
    u: float
    knee: float | None


PAPER = dict(
    zip(
        [measure.name for measure in summaries.MEASURES],
        [  # Iskender et al. 2020, Tables 1 and 2; OQ's U is misprinted there as 9850.5
            Row(3.313, 3.708, 0.925, 985.0, 7),
            Row(3.438, 3.694, 0.873, 1014.5, 7),
            Row(3.583, 3.833, 0.807, 941.0, 8),
            Row(3.688, 3.877, 0.844, 1046.5, 9),
            Row(3.896, 4.042, 0.852, 1082.0, 8),
            Row(3.417, 3.833, 0.919, 994.0, 7),
            Row(3.708, 3.776, 0.858, 1162.0, 8),
            Row(3.917, 3.833, 0.637, 1231.5, 9),
            Row(3.500, 3.792, 0.808, 876.5, 8),
        ],
        strict=True,
    )
)


def row_of(study: summaries.Table, measure: str, shuffles: int = 200) -> Row:
    """The product's own figures of one measure."""
    groups = {}
    for group in ("crowd", "lab"):
        rows = (study["measure"] == measure) & (study["rater_group"] == group)
        groups[group] = Ratings(*(study[name][rows] for name in ("item_id", "rater_id", "score", "order")))
    lab = groups["lab"].mos()
    compared = compare(groups["crowd"], groups["lab"], ESTIMATES_ONLY)
    reference = dict(zip(lab.items.tolist(), lab.means.tolist(), strict=True))
    curve = fit(simulate(groups["crowd"], reference, RepetitionSpec(shuffles=shuffles)))
    return Row(
        lab=float(np.median(lab.means)),
        crowd=float(np.median(groups["crowd"].mos().means)),
        spearman=compared.spearman.value,
        u=min(compared.u, 50 * 50 - compared.u),
        knee=knee(curve.a, curve.b, curve.c, 24),
    )


@pytest.fixture(scope="module")
def rows(study: summaries.Table) -> dict[str, Row]:
    return {measure: row_of(study, measure) for measure in PAPER}


@pytest.fixture(scope="module")
def other_rows() -> dict[str, list[Row]]:
    """The same figures of studies with the same summaries and parameters, but other raters and votes."""
    studies = [summaries.generate(seed) for seed in OTHER_SEEDS]
    return {measure: [row_of(study, measure) for study in studies] for measure in PAPER}


@pytest.mark.parametrize("measure", PAPER)
def test_figures_come_close_to_the_papers(measure: str, rows: dict[str, Row]) -> None:
    found, printed = rows[measure], PAPER[measure]
    assert found.lab == pytest.approx(printed.lab, abs=0.15)
    assert found.crowd == pytest.approx(printed.crowd, abs=0.15)
    assert found.spearman == pytest.approx(printed.spearman, abs=0.03)
    assert found.knee is not None
    assert abs(found.knee - printed.knee) <= 1


@pytest.mark.parametrize("measure", PAPER)
def test_the_papers_five_shuffles_suffice(study: summaries.Table, measure: str) -> None:
    found = row_of(study, measure, shuffles=5).knee
    assert found is not None
    assert abs(found - PAPER[measure].knee) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("measure", PAPER)
def test_the_parameters_need_no_lucky_seed(measure: str, other_rows: dict[str, list[Row]]) -> None:
    printed = PAPER[measure]
    found = other_rows[measure]
    assert np.mean([row.lab for row in found]) == pytest.approx(printed.lab, abs=0.1)
    assert np.mean([row.crowd for row in found]) == pytest.approx(printed.crowd, abs=0.1)
    assert np.mean([row.spearman for row in found]) == pytest.approx(printed.spearman, abs=0.03)
    assert np.mean([row.knee for row in found]) == pytest.approx(printed.knee, abs=1)


def test_measures_keep_the_papers_order(rows: dict[str, Row]) -> None:
    by_agreement = sorted(PAPER, key=lambda measure: rows[measure].spearman)
    assert by_agreement[0] == "post usefulness"
    assert set(by_agreement[-2:]) == {"overall quality", "structure and coherence"}


@pytest.mark.slow
def test_the_readme_holds_these_figures(rows: dict[str, Row], other_rows: dict[str, list[Row]]) -> None:
    table = comparison_table(rows, other_rows)
    assert table in README.read_text(encoding="utf-8"), f"the table should be:\n{table}"


def comparison_table(rows: dict[str, Row], other_rows: dict[str, list[Row]]) -> str:
    lines = [
        "| measure | median lab | median crowd | Spearman's rho | Mann-Whitney U | knee |",
        "|---|---|---|---|---|---|",
    ]
    for measure, printed in PAPER.items():
        cells = [measure]
        for name, digits in (("lab", 3), ("crowd", 3), ("spearman", 3), ("u", 1), ("knee", 0)):
            others = [getattr(row, name) for row in other_rows[measure]]
            cells.append(
                f"{getattr(printed, name):.{digits}f} / **{getattr(rows[measure], name):.{digits}f}** / "
                f"{np.mean(others):.{max(digits, 1) if name == 'knee' else digits}f}"
            )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def study() -> summaries.Table:
    return summaries.generate()


def rater_figures(study: summaries.Table, group: str) -> dict[str, tuple[float, float]]:
    """Rater -> (correlation of the rater's scores with the means of the others', mean seconds)."""
    table = {name: column[study["rater_group"] == group] for name, column in study.items()}
    cell = np.unique([table["item_id"], table["measure"]], axis=1, return_inverse=True)[1]
    sums, counts = np.bincount(cell, table["score"]), np.bincount(cell)
    others = (sums[cell] - table["score"]) / (counts[cell] - 1)
    found = {}
    for rater in np.unique(table["rater_id"]):
        own = table["rater_id"] == rater
        correlation = np.corrcoef(table["score"][own], others[own])[0, 1]
        found[str(rater)] = (float(correlation), float(table["seconds"][own].mean()))
    return found


def test_the_design_is_the_papers(study: summaries.Table) -> None:
    # Iskender et al. 2020, sections 3.2 and 3.3
    assert {len(column) for column in study.values()} == {21_600}
    assert set(study["score"]) == {1, 2, 3, 4, 5}
    for group, raters in (("crowd", 46), ("lab", 71)):
        of_group = study["rater_group"] == group
        assert len(set(study["rater_id"][of_group])) == raters
        cells = np.char.add(np.char.add(study["item_id"], study["measure"]), group)[of_group]
        names, counts = np.unique(cells, return_counts=True)
        assert len(names) == 50 * 9
        assert set(counts) == {24}
    rows = np.stack([study["item_id"], study["measure"], study["rater_id"]])
    assert np.unique(rows, axis=1).shape[1] == 21_600, "nobody rates the same thing twice"


def test_eight_lab_participants_can_be_tested_for_replacement(study: summaries.Table) -> None:
    rated = study["rater_id"][(study["rater_group"] == "lab") & (study["measure"] == "focus")]
    _, counts = np.unique(rated, return_counts=True)
    assert np.count_nonzero(counts >= 30) == 8


def test_repetitions_are_numbered_within_item_and_group(study: summaries.Table) -> None:
    rows = np.stack([study["item_id"], study["measure"], study["rater_group"], study["order"]])
    assert np.unique(rows, axis=1).shape[1] == 21_600
    assert set(study["order"]) == set(range(1, 25))


def test_time_adds_up_to_the_papers(study: summaries.Table) -> None:
    for group, seconds in (("crowd", 249_884), ("lab", 295_033)):
        total = study["seconds"][study["rater_group"] == group].sum()
        assert total == pytest.approx(seconds, rel=1e-3)
    assert study["seconds"].min() > 0.5
    assert study["seconds"].max() < 600


def test_lengths_and_knowledge_are_the_papers(study: summaries.Table) -> None:
    _, first = np.unique(study["item_id"], return_index=True)
    words = study["summary_words"][first]
    assert words.min() >= 24
    assert words.max() <= 147
    assert words.mean() == pytest.approx(63.32, abs=3)
    raters, first = np.unique(study["rater_id"], return_index=True)
    lab = study["rater_knowledge"][first][np.char.startswith(raters, "lab")]
    shares = [np.mean(lab == knowledge) for knowledge in ("very bad", "bad", "average", "good", "very good")]
    assert shares == pytest.approx([0.10, 0.24, 0.39, 0.25, 0.01], abs=0.015)


def test_careless_workers_agree_least_and_hurry(study: summaries.Table) -> None:
    found = rater_figures(study, "crowd")
    by_agreement = sorted(found, key=lambda rater: found[rater][0])
    assert set(by_agreement[:3]) == set(summaries.CARELESS)
    assert found[by_agreement[2]][0] < 0.1 < 0.2 < found[by_agreement[3]][0]
    times = {careless: [] for careless in (True, False)}
    for rater, (_, seconds) in found.items():
        times[rater in summaries.CARELESS].append(seconds)
    assert max(times[True]) < np.median(times[False]) / 2


def test_the_crowd_is_the_noisier_group(study: summaries.Table) -> None:
    crowd, lab = rater_figures(study, "crowd"), rater_figures(study, "lab")
    careful = [figure for rater, (figure, _) in crowd.items() if rater not in summaries.CARELESS]
    assert np.median(careful) < np.median([figure for figure, _ in lab.values()])


def test_knowledge_shows_where_the_posts_do(study: summaries.Table) -> None:
    careful = ~np.isin(study["rater_id"], summaries.CARELESS)
    little = np.isin(study["rater_knowledge"], ("very bad", "bad"))
    cell = np.unique([study["item_id"], study["measure"], study["rater_group"]], axis=1, return_inverse=True)[
        1
    ]
    off = np.abs(study["score"] - (np.bincount(cell, study["score"]) / np.bincount(cell))[cell])
    for measure, differs in (("post usefulness", True), ("grammaticality", False)):
        rows = careful & (study["measure"] == measure)
        more = off[rows & little].mean() / off[rows & ~little].mean()
        assert (more > 1.1) == differs


def test_a_seed_is_a_study() -> None:
    same, again, other = summaries.generate(3), summaries.generate(3), summaries.generate(4)
    assert all(np.array_equal(same[name], again[name]) for name in summaries.COLUMNS)
    assert not np.array_equal(same["score"], other["score"])


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_file_holds_the_study_and_says_synthetic(sample, tmp_path: Path) -> None:
    assert "synthetic" in sample.name
    file = tmp_path / "sample.csv"
    sample.write(file)
    with file.open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    table = sample.generate()
    assert header == list(table)
    assert [tuple(row) for row in rows] == [
        tuple(str(value) for value in row)
        for row in zip(*(column.tolist() for column in table.values()), strict=True)
    ]
    mapped = [
        source for name, source in sample.mapping.items() if not name.startswith("@") and source != SLOT
    ]
    assert {*np.hstack(mapped).tolist()} <= {*header}


def test_keys_are_unique() -> None:
    assert len({sample.key for sample in SAMPLES}) == len(SAMPLES)
