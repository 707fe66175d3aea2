"""Agreement of judgments with gold, and Relevance Prediction."""

from analysis.relevance.agreements import Agreement, agreement, relevance_prediction

__all__ = ["Agreement", "agreement", "relevance_prediction"]
