"""A step of a control beside a bare script that draws the same picture."""
