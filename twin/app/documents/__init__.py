"""What leaves the window for a contractor or buyer: lists."""
