"""The beginning of a scene that varies lab-16, for tests that add to it."""

HEAD = """\
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:lab-16
title: Mine
duration: 10 h
"""
