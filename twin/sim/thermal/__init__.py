"""GPU groups, their clocks and heat, and the machines that cool them."""
