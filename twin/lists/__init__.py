"""Lists of what a scene consists of, for buyers and contractors: parts, cables, ports, racks."""
