"""Imports and pages of millions of ratings."""
