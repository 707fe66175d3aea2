"""The main job, as a researcher does it: upload the speech study, find the answer, send the address on."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Visitor, settle
from tests.browser.paths import choose, choose_file, expect_finding, lower, unfold


def test_from_the_file_to_the_answer_and_on_to_a_colleague(
    visitor: Visitor, second_visitor: Visitor, shared_data: Path
) -> None:
    choose_file(visitor, shared_data / "speech_mos_lab_vs_crowd.csv")
    report = visitor.page.get_by_test_id("stMain")
    unfold(visitor, "What was set aside")
    expect(report).to_contain_text("trap or gold question: stored, but enters no figure")
    expect(report).to_contain_text("616 ratings repeat what the same rater had already rated")
    visitor.page.get_by_role("button", name="Save", exact=True).click()
    expect(visitor.page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settle(visitor.page)

    visitor.go_to("Groups compared")
    for group, rho in (("crowd_mturk_en", "0.90"), ("crowd_mturk_es", "0.82")):
        choose(visitor, "Candidate group", group)
        expect(visitor.page.get_by_test_id("stMain")).to_contain_text(f"ρ = {rho}")

    page = visitor.go_to("Repetitions")
    lower(visitor, "shuffles", 195)
    choose(visitor, "Correlation", "Pearson")
    finding = page.get_by_test_id("stMain").get_by_test_id("stHtml").first.inner_text()
    assert "crowd_mturk_es" in page.url

    other = second_visitor.open(page.url)
    expect_finding(other, finding)
    assert other.get_by_role("slider").first.input_value() == "195"
    assert other.url == page.url


def test_a_broken_file_gets_a_sentence_and_another_try(visitor: Visitor, tmp_path: Path) -> None:
    broken = tmp_path / "picture.csv"
    broken.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    page = visitor.open("/data")
    page.locator("input[type=file]").first.set_input_files(broken)
    expect(page.get_by_role("alert")).to_be_visible()
    again = page.get_by_role("button", name="Choose another file")
    expect(again).to_be_visible()
    again.click()
    expect(page.locator("input[type=file]").first).to_be_attached()
