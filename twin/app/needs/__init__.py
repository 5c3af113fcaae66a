"""From a need to designs, in the window."""
