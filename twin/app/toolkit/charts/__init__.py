"""Charts that are painted by hand: their base, its painter, their axes, and the small ones that several rooms show."""
