"""Replacing raters: can a crowd's mean, one rater or a model replace a reference rater?"""
