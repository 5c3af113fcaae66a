"""One form for all that can be set: fields as the schema describes them, what is typed into them, their rows."""
