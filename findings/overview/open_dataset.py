"""What the Overview says of the open data set: how much it holds, and where there is nothing to compare."""

from features.words import Sentence

SYNTHETIC: Sentence = (
    "This built-in study is synthetic: made to resemble published results, not collected. "
    "Upload your own on the Data page.",
    {},
)
SAME_GROUP: Sentence = (
    "Candidate and reference are the same group. Choose another reference in the sidebar.",
    {},
)
