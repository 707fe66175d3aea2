"""PCC-H worker reliability."""

from analysis.workers.pcch import PccH, fit

__all__ = ["PccH", "fit"]
