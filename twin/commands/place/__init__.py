"""Adding, moving, arranging and deleting what stands in a hall."""
