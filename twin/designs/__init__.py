"""From a need to designs: what is asked for, what could meet it, the best of those, and their scenes."""
