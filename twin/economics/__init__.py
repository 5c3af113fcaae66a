"""Money: prices with ranges, what a site consists of, its capital and operation, cash flow, and what GPU time costs."""
