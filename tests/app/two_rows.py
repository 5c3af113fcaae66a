"""Two rows of racks for tests that build, move and name things; each adds the power and cooling it needs."""

ROWS = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: two rows to work on
halls:
  - id: main
    rows:
      - id: gpu   # kept
        count: 2
        at: {x: 3 m, y: 3 m}
        pitch: 4.2 m
        racks: {count: 4, nodes: [{part: DGX-H100, count: 2}]}
"""
