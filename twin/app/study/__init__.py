"""The Study window: what varies, runs in the background, linked pictures of points, and their runs in the hall."""
