"""Tables as they are shown: unrounded numbers, and how each column is written."""

from collections.abc import Callable, Mapping

import pandas as pd

Shown = tuple[pd.DataFrame, Mapping[str, Callable[[float], str]]]
"""A table and how its columns are written."""
