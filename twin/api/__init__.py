"""The public interface: what ``import twin`` offers, one module for each question; the commands ask the same ones."""
