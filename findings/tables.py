"""Tables as they are shown: unrounded numbers, and how each column is written."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

Written = Callable[[float], str] | Sequence[str]
"""How a column is written: a number after the other, or the text of each cell where it holds more than its number."""
Shown = tuple[pd.DataFrame, Mapping[str, Written]]
"""A table and how its columns are written."""
