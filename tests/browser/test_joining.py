"""A second file is joined to a saved study in the browser: matches are shown, and its figures appear on the pages."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting
from tests.browser.paths import dataset_key, unfold, upload

QUESTION = "about=Against+known+answers&label_draws=20&label_model_draws=2"


@pytest.mark.slow
def test_gold_from_a_second_file_becomes_a_figure(
    visitor: Visitor, second_visitor: Visitor, shared_data: Path
) -> None:
    labels = shared_data / "formats" / "crowdkit_task_worker_label.csv"
    truth = shared_data / "formats" / "crowdkit_ground_truth.csv"
    with truth.open(encoding="utf-8", newline="") as file:
        items = len({row["task"] for row in csv.DictReader(file)})
    before = upload(visitor, labels)
    page = visitor.go_to("Data")
    unfold(visitor, "Add a file to the open data set")
    with acting(page):
        page.locator("input[type=file]").nth(1).set_input_files(truth)
    main = page.get_by_test_id("stMain")
    expect(main).to_contain_text(f"gold for {items} of {items} items")
    page.get_by_role("button", name="Save as a new version").click()
    page.wait_for_function(
        "before => ![null, before].includes(new URL(location).searchParams.get('d'))",
        arg=before,
        timeout=120_000,
    )
    after = dataset_key(visitor)

    visitor.open(f"/systems?d={after}&{QUESTION}")
    expect(main).to_contain_text(f"{items} items with gold")
    other = second_visitor.open(f"/systems?d={before}&{QUESTION}").get_by_test_id("stMain")
    expect(other).to_contain_text("no item has gold")  # whoever has the old address sees the old study

    visitor.open("/data")
    page.get_by_role("button", name="More").first.click()
    with acting(page):
        page.get_by_role("button", name="Import report").first.click()
    expect(page.get_by_role("dialog")).to_contain_text(f"{labels.stem} + {truth.name}")
