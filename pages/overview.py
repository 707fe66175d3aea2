"""Overview: the open data set at a glance, and each page's finding with a small picture."""

from features.doubts import NEVER_CHECKED, looks_wrong
from features.results import query
from findings.captions import size
from findings.code import overview as program
from findings.overview.open_dataset import SYNTHETIC
from panels.overview import answers, choices, judgments, ratings
from ui.conclusions import doubts, how_computed, show_code, was_checked
from ui.visit.study import study
from ui.words import note, say, warn

OVERVIEWS = {
    "ratings": ratings,
    "choices": choices,
    "comprehension": answers,
    "relevance": judgments,
}

opened = study()
say(*size(opened, query(opened.dataset, "overview")))
if doubts():
    warn(*looks_wrong(doubts()))
if not (was_checked() or opened.synthetic):
    note(*NEVER_CHECKED)
if opened.synthetic:
    note(*SYNTHETIC)
OVERVIEWS[opened.dataset.kind].show(opened)
if doubts():
    how_computed(lambda: None)
show_code(lambda: program.code(opened))
