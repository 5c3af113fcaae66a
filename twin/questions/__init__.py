"""Questions in words of the trade: what each needs to know, and its answer in figures with ranges and one chart."""
