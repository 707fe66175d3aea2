"""Attributes of raters: shares, quantities, and values compared, in a stored study with a planted difference."""

from pathlib import Path

import numpy as np
import pytest

from analysis.values.estimate import InputError
from data.dataset import Filter
from data.kinds.definitions import columns_to_filter
from data.settings import Settings
from data.store.store import Store
from features.blocks import Figure, Finding, Status, Table
from features.notices import filters_in_words
from features.plotting.theme import Look
from features.raters.attributes_results import (
    AGREEMENT,
    LEVEL,
    AttributesSpec,
    attributes_of,
    describe_raters,
)
from features.raters.attributes_section import attributes_section
from features.raters.exclusion_rules import read, ruled
from features.raters.workers import WorkersSpec, workers_section
from features.study import Scenario, Session, Study, open_study, query, use_session
from tests.features.studies import said

HEADER = "item_id,rater_id,rater_group,score,rater_gender,rater_age,rater_device"


@pytest.fixture
def store(tmp_path: Path):
    settings = Settings(database=str(tmp_path / "s.duckdb"), spool=tmp_path / "spool", threads=1)
    with Store(settings=settings) as store, use_session(Session(store)):
        yield store


def study(store: Store, folder: Path, women: int = 12, men: int = 10) -> Study:
    """Crowd workers whose gender moves their scores by 1; the lab's age and device are not known."""
    rng = np.random.default_rng(4)
    quality, lines = rng.normal(4, 1, 30), [HEADER]
    for rater in range(women + men):
        gender = "f" if rater < women else "m"
        severity = rng.normal(0, 0.3) + (gender == "f")
        told = f"{gender},{20 + rater},{'phone' if rater % 2 else 'desktop'}"
        for item in range(30):
            score = quality[item] + severity + rng.normal(0, 0.5)
            lines.append(f"i{item},w{rater:02d},crowd,{score:.3f},{told}")
    for rater in range(4):
        lines += [f"i{item},l{rater},lab,{quality[item]:.3f},f,," for item in range(30)]
    lines.append("i0,w00,crowd,5,m,20,desktop")  # once, another gender
    file = folder / "study.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return open_study(store.add(file), candidate="crowd", reference="lab")


def test_shares_and_quantities_are_those_of_the_file(store: Store, tmp_path: Path) -> None:
    opened = study(store, tmp_path)
    gender, age, device = attributes_of(opened)
    assert gender.shares == {
        ("crowd", "f"): (12, 361),
        ("crowd", "m"): (10, 300),
        ("lab", "f"): (4, 120),
    }
    assert gender.changing == 1
    assert (age.numbers is None, device.numbers is None) == (False, True)
    of_crowd = age.summaries()["crowd"]
    assert (of_crowd.n, of_crowd.mean, of_crowd.lowest, of_crowd.highest) == (22, 30.5, 20, 41)
    assert "lab" not in age.summaries()
    assert device.shares["lab", ""] == (4, 120)
    assert age.ordered[-1] == ""
    assert age.ordered[0].startswith("20 to ")


def test_a_planted_difference_is_found_and_none_where_there_is_none(store: Store, tmp_path: Path) -> None:
    opened = study(store, tmp_path)
    blocks = list(attributes_section(opened, AttributesSpec("rater_gender")))
    level, agreement, curves = (block for block in blocks if isinstance(block, Finding))
    assert said(level) == "Raters with gender f have higher scores than those with m."
    assert [one.status for one in (level, agreement, curves)] == [Status.CLEAR, *[Status.UNCERTAIN] * 2]
    figure = next(block for block in blocks if isinstance(block, Figure) and block.name == "value-curves")
    assert [len(line["x"]) for line in figure.draw(Look())["data"]] == [12, 10]
    found = describe_raters(opened, AttributesSpec("rater_gender"))
    assert found.curve_name == "ρ after 9 ratings"
    assert found.compared[found.curve_name].means[1].value == pytest.approx(found.curves["m"][8])
    pair = found.compared[LEVEL].difference(*found.compared[LEVEL].largest)
    assert pair.difference.low < 1 < pair.difference.high
    assert [mean.n for mean in found.compared[AGREEMENT].means] == [12, 10]
    other = next(iter(attributes_section(opened, AttributesSpec("rater_device"))))
    assert other.status is Status.UNCERTAIN
    names = [block.name for block in blocks if isinstance(block, Table)]
    assert names == ["values", "value-pairs", "rater-attributes", "rater-quantities"]


def test_raters_are_excluded_and_filtered_by_an_attribute(store: Store, tmp_path: Path) -> None:
    opened = study(store, tmp_path)
    rule = read("raters whose gender is m")
    assert rule is not None
    found = ruled(opened, rule)
    assert found.names == tuple(f"w{rater:02d}" for rater in range(12, 22))  # w00 said m once
    assert ruled(opened, read("raters whose is f") or rule).names == tuple(f"w{r:02d}" for r in range(12))
    low, *_ = attributes_of(opened)[1].ordered
    by_band = ruled(opened, read(f"raters whose age is {low} | not known") or rule)
    assert by_band.names == tuple(f"w{rater:02d}" for rater in range(6))
    with pytest.raises(InputError, match="no attribute of raters called 'shoe size'"):
        ruled(opened, read("raters whose shoe size is 40") or rule)
    assert "rater_device" in columns_to_filter(opened.whole)
    assert query(opened.whole, "names_to_filter", column="rater_device")["name"].tolist() == [
        "desktop",
        "phone",
    ]
    phones = opened.whole.keeping((Filter("rater_device", ("phone",)),))
    assert query(phones, "overview")["rows"][0] == 11 * 30
    assert filters_in_words(phones.only) == "device phone"


def test_few_raters_are_not_compared(store: Store, tmp_path: Path) -> None:
    level = next(iter(attributes_section(study(store, tmp_path, women=6, men=4), AttributesSpec())))
    assert level.status is Status.NOT_ENOUGH_DATA
    assert "f 6 and m 4" in said(level.evidence)


def test_choices_show_shares_and_exclude_by_attribute(store: Store, tmp_path: Path) -> None:
    rows = [
        f"i{item},w{rater},{'ab'[(item * rater) % 3 == 1]},{'de' if rater < 4 else 'at'}"
        for item in range(12)
        for rater in range(6)
    ]
    file = tmp_path / "choices.csv"
    file.write_text("\n".join(["item_id,rater_id,choice,rater_country", *rows]), encoding="utf-8")
    opened = open_study(store.add(file, "choices"))
    tables = [one for one in workers_section(opened, Scenario(), WorkersSpec()) if isinstance(one, Table)]
    shares = next(one for one in tables if one.name == "rater-attributes").frame
    assert shares[["Value", "Raters", "Ratings"]].values.tolist() == [["de", 4, 48], ["at", 2, 24]]
    rule = read("raters whose country is at")
    assert rule is not None
    assert ruled(opened, rule).names == ("w4", "w5")
