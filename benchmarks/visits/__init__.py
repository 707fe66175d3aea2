"""Waiting times of visitors: first visits, many at once, and some who mean harm."""
