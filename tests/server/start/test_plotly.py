"""The cut Plotly has what our figures are made of; tests/browser/test_figures.py draws with it."""

import ast
from pathlib import Path

from server.start.elements import _STATIC
from server.start.plotly import CHANGED, KINDS, cut

ROOT = Path(__file__).resolve().parents[3]
NO_TRACES = {"line", "rect", "data", "log", "category"}
"""Shapes, error bars and axes have a type, too."""
PROGRAM = (
    'var a=_({"node_modules/a.js"(e,t){t.exports=1}}),'
    'b=_({"lib/core.js"(e,t){var n=a();t.exports=n}}),'
    'c=_({"lib/pie.js"(e,t){t.exports=d()}}),'
    'd=_({"src/pie.js"(e,t){t.exports=2}}),'
    'e=_({"lib/bar.js"(e,t){t.exports=f()}}),'
    'f=_({"src/bar.js"(e,t){t.exports=2}}),'
    'g=_({"lib/violin.js"(e,t){t.exports=3}});function h(){}var '
    'i=_({"lib/heatmap.js"(e,t){t.exports=h()}});'
    'return _({"lib/index.js"(e,t){var n=b();n.register([c(),e(),g(),i()]),t.exports=n}})()'
)


def test_what_nobody_asks_for_is_left_out_and_what_stands_between_stays() -> None:
    assert cut(PROGRAM) == CHANGED + (
        'var a=_({"node_modules/a.js"(e,t){t.exports=1}}),'
        'b=_({"lib/core.js"(e,t){var n=a();t.exports=n}}),'
        'e=_({"lib/bar.js"(e,t){t.exports=f()}}),'
        'f=_({"src/bar.js"(e,t){t.exports=2}}),'
        'g=_({"lib/violin.js"(e,t){t.exports=3}});function h(){}var '
        'i=_({"lib/heatmap.js"(e,t){t.exports=h()}});'
        'return _({"lib/index.js"(e,t){var n=b();n.register([e(),i()]),t.exports=n}})()'
    )


def test_a_program_of_another_make_comes_as_it_is() -> None:
    for other in ("", PROGRAM.replace("lib/bar.js", "lib/bars.js"), PROGRAM.replace("register", "add")):
        assert cut(other) == other


def test_of_the_installed_program_less_than_half_is_left_and_it_gives_what_it_gave() -> None:
    whole = next(_STATIC.glob("static/js/PlotlyChart.*.js")).read_text(encoding="utf-8")
    program = cut(whole)
    begins, ends = whole.index("src/version.js"), len(whole) - whole.index('"lib/index.js"')
    assert program.startswith(CHANGED + whole[:begins])
    assert program.split("register(")[-1].split("])", 1)[1] == whole[-ends:].split("])", 1)[1]
    assert len(program) < len(whole) / 2


def test_our_figures_are_made_of_kinds_that_are_left() -> None:
    types = {
        value.value
        for path in (ROOT / "charts").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "type" and isinstance(value, ast.Constant)
    }
    assert types - NO_TRACES == {"scatter", *KINDS}
