"""What visitors wait for: first visits, many at once, and some who mean harm."""
