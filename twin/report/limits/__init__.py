"""How near a site is to its limits, and what happens with one machine, feed or switch lost."""
