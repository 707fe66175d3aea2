"""Does every interval cover, and does every test reject, as often as it says? Simulated studies of known truth."""
