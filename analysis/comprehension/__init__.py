"""The cross comprehension test."""

from analysis.comprehension.answer_shares import Shares, shares

__all__ = ["Shares", "shares"]
