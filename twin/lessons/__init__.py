"""Lessons: a hall as an exercise, steps with tasks that the machine checks, and results that a class report recomputes.

A lesson file says what is taught, in which hall, and what solves each step; nothing in it executes. `judge` holds a
step against a recorded run, live in the window or recomputed from the acts in a result file: both are the same run.
"""
