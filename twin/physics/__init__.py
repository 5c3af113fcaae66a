"""Pure vectorised models of a GPU data centre: no I/O, no clock, no state of their own."""
