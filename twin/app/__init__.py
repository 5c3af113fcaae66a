"""The window: docks, actions and session around the 3D view. Never imports the engine."""
