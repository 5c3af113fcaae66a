"""`twin bench`: how fast this machine simulates and draws."""
