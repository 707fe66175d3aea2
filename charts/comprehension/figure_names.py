"""How answers, and the levels that they add up to, are written in figures and tables."""

ANSWERS = {"R": "relevant", "P": "partially relevant", "I": "irrelevant", "N": "not found"}
LEVELS = ("R", "R+P")
"""The levels that summaries share, whose intervals are drawn."""
FIGURE_NAMES = {answer: answer for answer in ANSWERS} | {"R+P": "R + P", "found": "found (R + P + I)"}
"""The names of `FIGURES` in words."""
