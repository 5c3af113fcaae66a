"""Widgets, theme, text and dialogs that know no scene."""
