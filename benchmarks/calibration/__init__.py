"""Simulated studies of known truth, which count how often intervals cover and tests reject."""
