"""The fabric dock, its facts and its layer in the hall."""
