"""Answers and judgments, as researchers follow them: upload, an answer, a control, the same view for a colleague."""

import csv
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from data.samples import SAMPLES
from tests.browser.conftest import Visitor, acting
from tests.browser.paths import choose, upload
from tests.browser.test_assessors import LINES, finding, leave_out


def sample_file(kind: str, folder: Path) -> Path:
    """The built-in study of a kind as the file that somebody would upload."""
    sample = next(each for each in SAMPLES if each.kind == kind)
    file = folder / f"our_{kind}.csv"
    sample.write(file)
    return file


def test_answers_are_followed_from_the_file_to_the_single_question(
    visitor: Visitor, second_visitor: Visitor, tmp_path: Path
) -> None:
    upload(visitor, sample_file("comprehension", tmp_path))
    page = visitor.page
    expect(page.get_by_test_id("stMain")).to_contain_text("answers of 51 stories")
    page = visitor.go_to("Comprehension")
    expect(page.get_by_test_id("stMain")).to_contain_text("of what others found important")
    with acting(page):
        page.get_by_role("radio", name="Author by author").click()
    chart = page.locator(".js-plotly-plot").first
    with acting(page):
        page.get_by_role("radio", name="R", exact=True).click()
    choose(visitor, "Questions of", "D")
    expect(page.get_by_test_id("stMain")).to_contain_text("answers of D on 51 stories")

    other = second_visitor.open(page.url)
    expect(other.get_by_test_id("stMain").get_by_test_id("stHtml").first).to_have_text(finding(visitor))
    assert other.locator(".js-plotly-plot").first.evaluate(LINES) == chart.evaluate(LINES)
    chosen = parse_qs(urlsplit(other.url).query)
    assert (chosen["pair_share"], chosen["questions_of"]) == (["R"], ["D"])


def test_judgments_are_followed_to_the_summaries_that_suffice(
    visitor: Visitor, second_visitor: Visitor, tmp_path: Path
) -> None:
    upload(visitor, sample_file("relevance", tmp_path))
    page = visitor.go_to("Relevance")
    expect(page.get_by_test_id("stMain")).to_contain_text("of the raters' judgments on the full text")
    everyone = finding(visitor)
    leave_out(visitor, "rater 01")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Left out: rater 01")
    assert finding(visitor) != everyone
    with acting(page):
        page.get_by_role("radio", name="Partitions").click()
    slider = page.get_by_role("slider").first
    slider.focus()
    with acting(page):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("stMain")).to_contain_text("In groups of 5 documents")

    other = second_visitor.open(page.url)
    expect(other.get_by_test_id("stMain").get_by_test_id("stHtml").first).to_have_text(finding(visitor))
    assert parse_qs(urlsplit(other.url).query)["group_size"] == ["5"]


def test_a_wide_table_of_judgments_is_recognised(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["rater", "event", "document", "gold", "Headline", "Human", "Full Text"])
        for rater in range(4):
            for document in range(12):
                truth = document % 2
                headline = truth if (rater + document) % 3 else 1 - truth
                writer.writerow([f"r{rater}", "flood", f"d{document}", truth, headline, truth, truth])
    upload(visitor, file)
    page = visitor.go_to("Relevance")
    expect(page.get_by_test_id("stMain")).to_contain_text("Human keeps 100 %")
