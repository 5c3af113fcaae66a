"""Adding, moving, arranging and deleting items of a hall."""
