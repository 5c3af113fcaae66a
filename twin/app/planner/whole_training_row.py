"""The row of the planner that goes on from one step to a whole training: tokens a day, days, energy."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from twin.app.planner.draft import DraftEstimate
from twin.app.toolkit.look import label
from twin.app.toolkit.plain_text import plain_tip
from twin.app.toolkit.standing_badge import StandingBadge
from twin.app.toolkit.theme import scaled
from twin.app.world.rows import World
from twin.catalog import Catalog
from twin.language import tr
from twin.planning.job.job_power import all_in_tanks, job_w
from twin.planning.job.whole_training import WholeTraining, tokens_in, tokens_words
from twin.planning.profile.models import load_model
from twin.scenario.schema.work import LlmTraining

_TYPED_PX, _EDGES_PX = 84, 34
_TIP = tr("Tokens of the whole training, such as 15 T or 300 B")
_HOW = tr(
    "Without interruptions. Power of the job's nodes at its step, by the power model of their GPUs; "
    "cooling and losses by the PUE of the run so far, once it runs."
)
_NO_HALL = tr(
    "Without interruptions. Energy is told for GPUs of the open scene, whose nodes and PUE are known."
)


class WholeTrainingRow(QWidget):
    """A field for the tokens of a training, and what they take; hidden for other work."""

    def __init__(self) -> None:
        super().__init__()
        self._judged: DraftEstimate | None = None
        self._model = ""
        self._catalog: Catalog | None = None
        self._pue: float | None = None
        self._in_tank = False
        self.tokens = QLineEdit()
        self.tokens.setPlaceholderText(tr("such as 15 T"))
        self.tokens.setAccessibleName(tr("Tokens of the whole training"))
        self.tokens.setToolTip(_TIP)
        words_px = self.tokens.fontMetrics().horizontalAdvance(self.tokens.placeholderText())
        self.tokens.setFixedWidth(max(scaled(_TYPED_PX), words_px + scaled(_EDGES_PX)))
        self.tokens.textEdited.connect(lambda _: self._show())
        self.words, self.standing = label("", wrap=True), StandingBadge()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(label(tr("Train on"), "muted"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.tokens, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label(tr("tokens"), "muted"), 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        row.addWidget(self.standing, 0, Qt.AlignmentFlag.AlignTop)

    def set_hall(self, world: World | None) -> None:
        """Take the parts of the open hall; None: no hall is open."""
        self._catalog, self._pue = world.catalog if world is not None else None, None
        self._in_tank = world is not None and all_in_tanks(world.plant)

    def follow(self, pue: float | None) -> None:
        """Reckon with the PUE of the run so far; None: it has none yet."""
        if pue != self._pue:
            self._pue = pue
            self._show()

    def show_judged(self, judged: DraftEstimate) -> None:
        """Show what a training with this estimate takes."""
        self._judged = judged
        workload = judged.draft.workload
        model = workload.model if isinstance(workload, LlmTraining) else ""
        if model != self._model:  # the published count of another model, where there is one
            self._model = model
            preset = load_model(model, judged.draft.hardware.catalog) if model else None
            known = preset.trained_tokens if preset is not None else None
            self.tokens.setText(tokens_words(known) if known else "")
            source = (
                tr("\nPublished: {trained_source}", trained_source=preset.trained_source)
                if preset is not None and known
                else ""
            )
            self.tokens.setToolTip(plain_tip(_TIP + source))
        self._show()

    def _show(self) -> None:
        judged = self._judged
        estimate = judged.estimate if judged is not None else None
        self.setVisible(bool(self._model) and estimate is not None)
        if judged is None or estimate is None or not self._model:
            return
        self.standing.show_standing(estimate.standing, estimate.standing_tip)
        scene, text = judged.draft.hardware.scene, self.tokens.text().strip()
        tokens = tokens_in(text) if text else math.nan
        if tokens is None:
            self.words.setText(tr("This is no number of tokens; give one such as 15 T or 300 B."))
            return
        whole = WholeTraining(tokens, estimate.rate_s)
        if scene is not None and self._catalog is not None:
            fp8 = getattr(judged.draft.workload, "precision", "bf16") != "bf16"
            nodes_w = job_w(
                self._catalog, scene.node, estimate.gpus, estimate.parts, fp8=fp8, in_tank=self._in_tank
            )
            whole = replace(whole, nodes_w=nodes_w, pue=self._pue, pue_of="of this run")
        self.words.setText(whole.words)
        self.words.setToolTip(plain_tip(_HOW if whole.nodes_w is not None else _NO_HALL))
