"""Reports on two runs: which is better, by how much in money and figures, and how sure that is."""
