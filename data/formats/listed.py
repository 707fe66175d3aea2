"""The formats of platforms that are recognised in a table of text; the first that knows a table makes its own of it."""

from data.formats.crowd import mturk, toloka
from data.formats.parts.format import Format
from data.formats.parts.table import Table

FORMATS: tuple[Format[Table], ...] = (mturk.FORMAT, toloka.FORMAT)
