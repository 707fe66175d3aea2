"""The formats of platforms that are recognised in a table of text; the first that knows a table makes its own of it."""

from data.formats import joined_ids, surveys
from data.formats.annotation import (
    answer_lists,
    argilla,
    doccano,
    label_studio,
    potato,
    prodigy,
)
from data.formats.crowd import figure_eight, mturk, toloka
from data.formats.experiments import sureal, trials, voice_mos, webmushra
from data.formats.language_models import alt_test, arena, traces
from data.formats.parts.format import Format
from data.formats.parts.table import Table
from data.formats.translation import appraise, mqm

FORMATS: tuple[Format[Table], ...] = (
    mturk.FORMAT,
    toloka.FORMAT,
    figure_eight.FORMAT,
    *label_studio.FORMATS,
    prodigy.FORMAT,
    argilla.FORMAT,
    doccano.FORMAT,
    *potato.FORMATS,
    *surveys.FORMATS,
    webmushra.FORMAT,
    sureal.FORMAT,
    voice_mos.FORMAT,
    *trials.FORMATS,
    mqm.FORMAT,
    appraise.FORMAT,
    arena.FORMAT,
    alt_test.FORMAT,
    *traces.FORMATS,
    answer_lists.FORMAT,
    joined_ids.FORMAT,
)
