"""Steps of a control compared with a bare script that draws the same figure."""
