"""The engine beside the app: messages, the worker process, the client, and the same engine in process."""
