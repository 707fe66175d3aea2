"""How far raters agree beyond chance: Krippendorff's alpha, kappas, intraclass correlations."""

from analysis.agreement.alpha import cohen_kappa, fleiss_kappa, interval_alpha, krippendorff_alpha
from analysis.agreement.intraclass import Intraclass, icc

__all__ = ["Intraclass", "cohen_kappa", "fleiss_kappa", "icc", "interval_alpha", "krippendorff_alpha"]
