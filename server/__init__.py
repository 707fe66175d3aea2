"""Layers between the network and the pages: headers, cookies, limits, health, logs."""
