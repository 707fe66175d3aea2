"""How agreement with the other raters and with the reference is worked out, in words."""

EXPLANATION = r"""
**Agreement with the others**, r_w: Pearson's correlation of a rater's scores with the mean of all other raters on the
same items, at least three; severity does not enter. Intervals are Fisher's z over the rater's items, for these raters.
Raters stand in the order of the lower end of the interval, so that nobody leads by a handful of ratings; of those who
share at least *Fewest items* with others, the highest lower end is named best and the lowest upper end least, unless
these two overlap. Diamonds are raters whose interval holds 0 or less.

**Agreement with the reference**, e_w: the correlation of a rater's scores with the reference chosen in the sidebar
(another group's MOS or a number of the items). r_w measures agreement only: where most are wrong alike, who is right
comes last.

**Repeats**: a rater who rated an item more than once counts once in both, with the mean of its ratings.

**Over raters**: Spearman's $\rho$ of both figures, with an interval on Fisher's z from the larger of Bonett and
Wright's error and the jackknife's.

Sources: Habibi and Popescu-Belis 2012, section 5.1, Eq. 1, on numeric ratings; Fisher 1921; Bonett and Wright 2000.
"""
