"""Sentence of the Overview on built-in studies."""

from features.words import Sentence

SYNTHETIC: Sentence = (
    "This built-in study is synthetic: made to resemble published results, not collected. "
    "Upload your own on the Data page.",
    {},
)
