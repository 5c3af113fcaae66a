"""The hall in three dimensions: vispy drawing, level of detail, picking, cameras, colour maps. No Qt widgets."""
