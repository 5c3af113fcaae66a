"""The window: docks, actions and session around the 3D view.

It never imports the engine: runs are in the worker, and a typical year asks for parts of the engine by dotted name.
"""
