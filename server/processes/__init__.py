"""Several processes behind one address: who shows which visitor's pages, and how a connection gets to that process."""
