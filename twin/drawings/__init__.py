"""Drawings of a scene on paper: strokes and words in millimetres, then PDF or SVG."""
