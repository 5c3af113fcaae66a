"""The part of a run that a timeline shows, and where a time is on it. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

LEAST_S = 1.0
"""The shortest part that can be shown [s]."""


@dataclass(frozen=True)
class Scale:
    """A range of time on a strip.

    Parameters
    ----------
    whole_s
        Length of the run [s].
    from_s, to_s
        What is shown of it [s].
    left_px, width_px
        Where it is shown.
    """

    whole_s: float
    from_s: float = 0.0
    to_s: float = 0.0
    left_px: float = 0.0
    width_px: float = 1.0

    @classmethod
    def all(cls, whole_s: float, left_px: float = 0.0, width_px: float = 1.0) -> Scale:
        """Return the whole run."""
        whole_s = max(whole_s, LEAST_S)
        return cls(whole_s, 0.0, whole_s, left_px, max(width_px, 1.0))

    @property
    def span_s(self) -> float:
        """Return how long the part is [s]."""
        return self.to_s - self.from_s

    @property
    def is_whole(self) -> bool:
        """Return whether all of the run is shown."""
        return self.span_s >= self.whole_s

    @property
    def px_s(self) -> float:
        """Return the time that a pixel stands for [s]."""
        return self.span_s / self.width_px

    def x(self, t_s: float) -> float:
        """Return where a time is [px]."""
        return self.left_px + (t_s - self.from_s) / self.px_s

    def t_s(self, x: float) -> float:
        """Return the time at a place [s]."""
        return self.from_s + (x - self.left_px) * self.px_s

    def zoomed(self, about_s: float, factor: float) -> Scale:
        """Return a part `factor` times as long, with a time staying where it is."""
        span_s = min(max(self.span_s * factor, LEAST_S), self.whole_s)
        share = (about_s - self.from_s) / self.span_s
        return self._from(about_s - share * span_s, span_s)

    def panned(self, by_s: float) -> Scale:
        """Return a part so much later."""
        return self._from(self.from_s + by_s, self.span_s)

    def showing(self, t_s: float, margin: float = 0.05) -> Scale:
        """Return a part of the same length in which a time is seen, this one where it is seen already."""
        edge_s = margin * self.span_s
        if self.from_s <= t_s <= self.to_s:
            return self
        return self._from(t_s - edge_s if t_s < self.from_s else t_s + edge_s - self.span_s, self.span_s)

    def over(self, from_s: float, to_s: float) -> Scale:
        """Return the part from one time to another."""
        span_s = min(max(to_s - from_s, LEAST_S), self.whole_s)
        return self._from((from_s + to_s - span_s) / 2.0, span_s)

    def sized(self, left_px: float, width_px: float) -> Scale:
        """Return the same part on a strip of another size."""
        return replace(self, left_px=left_px, width_px=max(width_px, 1.0))

    def of(self, whole_s: float) -> Scale:
        """Return the same part of a run of another length; all of it stays all of it."""
        if self.is_whole:
            return Scale.all(whole_s, self.left_px, self.width_px)
        return replace(self, whole_s=max(whole_s, LEAST_S))._from(self.from_s, self.span_s)

    def _from(self, from_s: float, span_s: float) -> Scale:
        span_s = min(span_s, self.whole_s)
        from_s = min(max(from_s, 0.0), self.whole_s - span_s)
        return replace(self, from_s=from_s, to_s=from_s + span_s)
