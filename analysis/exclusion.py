"""Scores and rankings of systems with and without some raters."""

from analysis.assessors.exclusion import ExclusionSpec, exclusion, system_scores
from analysis.assessors.exclusion_intervals import RankingChange, compare_rankings
from analysis.assessors.leave_one_out import random_drops

__all__ = ["ExclusionSpec", "RankingChange", "compare_rankings", "exclusion", "random_drops", "system_scores"]
