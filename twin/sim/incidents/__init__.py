"""What happens to the hall: at random, by hand, replayed from a trace."""
