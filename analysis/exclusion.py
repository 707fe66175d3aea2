"""Scores and rankings of systems with and without some raters."""

from analysis.assessors.exclusion import ExclusionSpec, exclusion, system_scores
from analysis.assessors.random_drops import random_drops
from analysis.assessors.ranking_change import RankingChange, compare_rankings

__all__ = ["ExclusionSpec", "RankingChange", "compare_rankings", "exclusion", "random_drops", "system_scores"]
