"""Who gets which GPUs when: policies of a queue, pure and without a clock of their own."""
