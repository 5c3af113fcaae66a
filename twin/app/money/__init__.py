"""What the hall on screen costs: the dock Money, its charts, and prices that are typed."""
