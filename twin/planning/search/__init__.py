"""Layouts, batches and scenes searched for a job, and advice where none fits."""
