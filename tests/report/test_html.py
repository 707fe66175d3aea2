"""How a report looks as HTML: which columns are words, and that nothing leads out of a figure's text."""

import pytest

from findings.tables import Printed
from report.files.html import html, table_html
from report.parts.model import Picture, Report, Section


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["0.42", "−0.3", "–"], False),
        (["0.93 (0.86 to 0.96)", "–"], False),
        (["4 to 8", "1 200"], False),
        (["nobody", "crowd 02, crowd 04"], True),
        (["1 Resources", "3 Sample"], True),
        (["Human", "Full Text"], True),
        (["–", "–"], False),
    ],
)
def test_words_stand_left_and_numbers_right(cells: list[str], words: bool) -> None:
    made = table_html(Printed(("A head",), tuple((cell,) for cell in cells)))
    assert made.count("<td class=text>") == (len(cells) if words else 0)


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
