"""How the page Standing in is computed, with its sources."""

EXPLANATION = """
**The test.** Each rater of the reference group is held against the *other* raters of the same items, and so is the
candidate, who has one value per item (of a group its mean; of equal answers its commonest). On an item the one wins who
is nearer to the others: by the root mean squared difference, or by the share of equal answers. A one-sided t test asks
whether the rater wins on more than ε of the items more than the candidate does; refuted, the candidate replaces this
rater. p values are adjusted so that at most a share q of all replacements named are wrong (Benjamini and Yekutieli
2001). The **winning rate** is the share of tested raters that the candidate replaces; from ½ on it may stand in. The
**advantage** is the share of items on which it does at least as well as the rater, ties included, over all tested
raters: the figure to compare candidates by. *Source: Calderon, Reichart and Dror 2025, "The alternative annotator test
for LLM-as-a-judge", arXiv 2501.10970, section 3.* The interval of the advantage is ours: over items and raters, each
left out once, less each rating left out; who is tested stays the same in it.

**Choices** are held against each other by equal answers: labels, or, of pairs, the system chosen, whichever stood
first; each pair and design is an item of its own. A group answers what most of it chose. Worth, order and level are not
asked of choices.

**Repeats.** A rater who rated an item more than once has one value, the mean or, of choices, the most frequent; so has
each rater of a candidate group.

**Who is tested.** Raters with as many items as *Fewest items* asks for (30 in the paper), each rated by another rater
and by the candidate. Who has fewer still counts among the others. Fewer than three tested raters allow no verdict.

**Where raters hardly agree.** A candidate passes easily where the raters of the reference do not agree with each other.
Where the 95% CI of their Krippendorff's alpha (of equal answers nominal, else interval) includes 0, or ends below .2,
nobody is said to pass. Gold answers are what raters are measured by, and no candidate.

**What a pass does not say.** Not that the candidate is right: where raters err alike, so may it. Nor that it tells
items apart: who always answers the middle of the scale is seldom far from anybody. So **worth** stands beside it: the
mean of how many reference raters goes as well with the truth as the candidate's value (Spearman 1910; Brown 1910);
level and units do not count. Its interval is Fieller's over items and raters, and may have no upper end.

**Another scale.** A number that cannot be on the scale of the ratings is not near or far from them. Its order and worth
are told; it is tested only when put on the scale by a straight line, drawn for each item without that item. Its level
is then the reference's own and not shown.

**Shared errors.** The correlation of two candidates' errors, once the variance that chance gives the reference's means
is taken from all their variances and covariances: without that, independent candidates seem to err alike. The mean of k
candidates whose errors correlate by r is worth k / (1 + (k − 1) r) independent ones (Kish 1965). Intervals over items
and raters, with Student's t.

**Corrected scores.** With the candidate's value f of all N items and the reference's mean y of n of them,
θ = mean of y − λf over the n, plus λ times the mean of f over all N; its variance is s²(y − λf) / n + (2λ s_yf − λ²
s_f²) / N, with Student's t of n − 2 degrees. λ = s_yf / s_f² unless it is typed. *Source: Angelopoulos, Bates,
Fannjiang, Jordan and Zrnic 2023, "Prediction-powered inference"; Angelopoulos, Duchi and Zrnic 2023, "PPI++".*

**Order and level** are those of the page that compares groups: Spearman's ρ over the items' means, the mean difference,
and two one-sided tests of equality within a margin of a quarter of the SD of single reference ratings. Their intervals
are drawn for the candidate that the sentences tell of, and for all once the table shows all columns.
"""
