"""Report as HTML: columns of words are recognized, and nothing breaks out of a figure's text."""

import re

import pandas as pd
import pytest

from features.words import Printed
from report.blocks import Picture, Report, Section, Table
from report.files import FONT_SIZE, MIN_FONT_SIZE, html, table_html


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["0.42", "−0.3", "–"], False),
        (["0.93 (0.86 to 0.96)", "–"], False),
        (["4 to 8", "1,200"], False),
        (["nobody", "crowd 02, crowd 04"], True),
        (["1 Resources", "3 Sample"], True),
        (["Human", "Full Text"], True),
        (["ITU-R BT.500", "ITU-T P.913"], True),
        (["1.1.1", "1.3.1.1–1.3.1.3"], True),
        (["< .001", ".034"], False),
        (["–", "–"], True),  # as in Markdown: nothing says that they are numbers
    ],
)
def test_words_stand_left_and_numbers_right(cells: list[str], words: bool) -> None:
    made = table_html(Printed(("A head",), tuple((cell,) for cell in cells)))
    assert made.count('<td class="text">') == (len(cells) if words else 0)


def test_a_table_is_printed_small_only_where_it_does_not_fit() -> None:
    rows = tuple(("summary informativeness", *["0.925"] * 9) for _ in range(9))
    fits = Printed(("Measure", *[f"R² shuffle {at}" for at in range(9)]), rows)
    assert '<table class="short">' in table_html(fits)
    too_many = Printed((*fits.heads, *"abcde"), tuple((*row, *["0.925"] * 5) for row in rows))
    size = re.search(r'<table class="short" style="font-size:(0[.]\d+)em">', table_html(too_many))
    assert size is not None
    assert MIN_FONT_SIZE < float(size[1]) < FONT_SIZE


def test_only_long_words_are_broken_into_lines() -> None:
    name, long = "crowd 07", "crowd 02, crowd 04, crowd 06 and 25 more"
    made = table_html(Printed(("Rater", "Left out"), ((name, long),)))
    assert f'<td class="text">{name}</td><td class="text long">{long}</td>' in made


def test_a_name_in_a_figure_ends_no_script() -> None:
    figure = {"data": [{"type": "scatter", "text": ["</script><b>&"]}], "layout": {"title": {"text": "<!--"}}}
    report = Report(
        "T",
        "",
        [Section("s", "S", pictures=[Picture("p", ("A {x}", {"x": "<i>"}), lambda look: figure)])],
        [],
    )
    body = html(report).partition("<body>")[2].partition("<script>/**")[0]
    assert '<li><a href="#made">Appendix: how this report was made</a></li></ol>' in body
    assert "</script><b>" not in body
    assert "\\u003c/script\\u003e\\u003cb\\u003e\\u0026" in body
    assert "<!--" not in body
    assert "<figcaption>A &lt;i&gt;</figcaption>" in body


def test_words_from_outside_are_text_wherever_they_stand() -> None:
    hostile = "</title></pre><script>alert(1)</script>"
    frame = pd.DataFrame({hostile: [hostile]})
    table = Table("t", ("A {x}", {"x": hostile}), (frame, {}), notes=[("{x}", {"x": hostile})])
    section = Section('s"><script>alert(1)</script>', hostile, tables=[table])
    page = html(Report(hostile, hostile, [section], [(hostile, hostile)]))
    assert "<script" not in page
    places = ("title", "h1", "h2", "a", "caption", "th", "td", "p")
    assert [tag for tag in places if not re.search(f"<{tag}[^>]*>[^<]*&lt;script&gt;", page)] == []
