"""All parts of a run, made and wired."""
