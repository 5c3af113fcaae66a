"""The network: its state, outages and traffic."""
