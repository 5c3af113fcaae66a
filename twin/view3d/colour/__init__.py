"""From values to colours and legends."""
