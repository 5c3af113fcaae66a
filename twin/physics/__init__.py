"""Pure vectorised models of what a GPU data centre does: no I/O, no clock, no state of their own."""
