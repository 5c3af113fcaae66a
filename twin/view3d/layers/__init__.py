"""What is drawn, one drawable each."""
