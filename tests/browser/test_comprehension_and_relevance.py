"""Answers and judgments, as researchers follow them: an answer, a control, the same view for a colleague."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitor, acting
from tests.browser.paths import choose, expect_finding, finding
from tests.browser.test_assessors import LINES, leave_out


@pytest.mark.slow
def test_answers_are_followed_to_the_single_question(visitor: Visitor, second_visitor: Visitor) -> None:
    page = visitor.open("/comprehension?d=sample-comprehension&draws=20")
    expect(page.get_by_test_id("stMain")).to_contain_text("of what others found important")
    with acting(page):
        page.get_by_role("radio", name="Author by author").click()
    chart = page.locator(".js-plotly-plot").first
    with acting(page):
        page.get_by_role("radio", name="R", exact=True).click()
    choose(visitor, "Questions of", "D")
    expect(page.get_by_test_id("stMain")).to_contain_text("questions of D on 51 stories")
    page.wait_for_url("**questions_of=D**")  # the address follows what is shown

    other = second_visitor.open(page.url)
    expect_finding(other, finding(visitor))
    assert other.locator(".js-plotly-plot").first.evaluate(LINES) == chart.evaluate(LINES)
    chosen = parse_qs(urlsplit(other.url).query)
    assert (chosen["pair_share"], chosen["questions_of"]) == (["R"], ["D"])


@pytest.mark.slow
def test_judgments_are_followed_to_the_summaries_that_suffice(
    visitor: Visitor, second_visitor: Visitor
) -> None:
    page = visitor.open("/relevance?d=sample-relevance&draws=20")
    expect(page.get_by_test_id("stMain")).to_contain_text("decide as with the full text")
    everyone = finding(visitor)
    leave_out(visitor, "rater 01")
    expect(page.get_by_test_id("stMain")).to_contain_text("Excluded: rater 01")
    assert finding(visitor) != everyone
    with acting(page):
        page.get_by_role("radio", name="Partitions").click()
    slider = page.get_by_role("slider").first
    slider.focus()
    with acting(page):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("stMain")).to_contain_text("groups of 5 documents")

    other = second_visitor.open(page.url)
    expect_finding(other, finding(visitor))
    assert parse_qs(urlsplit(other.url).query)["group_size"] == ["5"]
