"""Fair share: recent use of each tenant against its share; past use counts half after each half-life."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Floats


class FairShare:
    """Decayed use of every tenant.

    Parameters
    ----------
    shares
        Weight of each tenant, shape (tenants,); 0: it is none and is due nothing.
    half_life_s
        After which use counts half [s].
    """

    def __init__(self, shares: Floats, half_life_s: float) -> None:
        self.due = shares / shares.sum()
        self.half_life_s = half_life_s
        self.used_gpu_s = np.zeros(len(shares))
        self.at_s = 0.0

    def advance(self, t_s: float, gpus: Floats) -> None:
        """Book `gpus` GPUs of each tenant that it held since the last call, until `t_s` [s]."""
        passed_s = t_s - self.at_s
        if passed_s > 0:
            kept = 0.5 ** (passed_s / self.half_life_s)
            whole_s = self.half_life_s / math.log(2)  # what one GPU held for ever amounts to
            self.used_gpu_s = kept * self.used_gpu_s + (1 - kept) * whole_s * gpus
            self.at_s = t_s

    def factor(self) -> Floats:
        """Return the factor of each tenant, 0..1, shape (tenants,).

        Notes
        -----
        ``2^(-(used / used of all) / due)``: 1 unused, ``2^-1`` at its due, ``2^-2`` at twice that.

        References
        ----------
        .. [1] Slurm, priority_multifactor, "the fair-share factor", F = 2^(-Ue / S).
        """
        total = self.used_gpu_s.sum()
        result = np.ones(len(self.due))
        if total > 0:
            due = self.due > 0
            result[due] = 2.0 ** (-(self.used_gpu_s[due] / total) / self.due[due])
        return result

    def state(self) -> dict[str, object]:
        """Return the state for a snapshot."""
        return {"used_gpu_s": self.used_gpu_s.tolist(), "at_s": self.at_s}

    def restore(self, state: dict[str, object]) -> None:
        """Restore the output of `state`."""
        self.used_gpu_s = np.array(state["used_gpu_s"], float)
        self.at_s = float(state["at_s"])  # type: ignore[arg-type]
