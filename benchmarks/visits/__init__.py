"""Waiting times of visitors: first visits, many concurrent visitors, and attackers."""
