"""Scheduling policies: which jobs get which GPUs when; pure, without a clock of their own."""
