"""Teaching in the window: a lesson beside the hall, what it says of what a person does there, and its results."""
