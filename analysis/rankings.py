"""Rankings: how far raters who rank agree, and one scale from their rankings."""

from analysis.ranking.concordance import KendallsW, kendalls_w
from analysis.ranking.plackett_luce import plackett_luce

__all__ = ["KendallsW", "kendalls_w", "plackett_luce"]
