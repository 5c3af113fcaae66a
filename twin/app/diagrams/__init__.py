"""One-line, piping and Sankey diagrams."""
