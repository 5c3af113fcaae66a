"""What runs amount to: whole scenes beside published figures."""
