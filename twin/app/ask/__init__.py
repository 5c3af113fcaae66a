"""Questions in words of the trade: a form, made of the table of questions, and the page with its answer."""
