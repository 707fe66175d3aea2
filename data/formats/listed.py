"""The formats of platforms that are recognised in a table of text; the first that knows a table makes its own of it."""

from data.formats.annotation import label_studio, potato
from data.formats.crowd import figure_eight, mturk, toloka
from data.formats.experiments import trials, webmushra
from data.formats.language_models import arena, traces
from data.formats.parts.format import Format
from data.formats.parts.table import Table
from data.formats.surveys import limesurvey, qualtrics, sosci
from data.formats.translation import appraise, mqm

FORMATS: tuple[Format[Table], ...] = (
    mturk.FORMAT,
    toloka.FORMAT,
    figure_eight.FORMAT,
    label_studio.FORMAT,
    potato.FORMAT,
    qualtrics.FORMAT,
    sosci.FORMAT,
    limesurvey.FORMAT,
    webmushra.FORMAT,
    *trials.FORMATS,
    mqm.FORMAT,
    appraise.FORMAT,
    arena.FORMAT,
    *traces.FORMATS,
)
