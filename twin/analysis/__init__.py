"""Results of runs: comparisons, explanations, exports, verification, and validation against published figures."""
