"""What a session tells those who listen: one signal for each thing that may change. Knows no widgets."""

from __future__ import annotations

from psygnal import Signal


class Tellings:
    """Signals of `twin.app.session.session.Session`; what each carries stands beside it."""

    opened = Signal(object)  # Path: another scene, of which nothing is known yet
    document_changed = Signal(object)  # Document
    plant_changed = Signal(object)  # Plant
    frame_changed = Signal(object)  # Frame
    figures_changed = Signal(object)  # Frame: `shown`
    events_added = Signal(object)  # list[Event]
    rewound = Signal()  # `events` are fewer or others than were told: begin anew with them
    went_back = Signal(float)  # time [s] that the run stands at again: nothing after it ever happened
    run_started = Signal()  # a new run stands at t = 0; what was shown of the last one is void
    time_changed = Signal(float)  # `shown_s`
    advanced = Signal(float)  # `t_s`
    looked = Signal(object)  # `looking_s`
    playing_changed = Signal(bool)
    speed_changed = Signal(float)
    ended = Signal(object)  # summary
    at_end = Signal()  # it was asked to play, and the run is over
    at_stop = Signal()  # the run stands at `stop_s`, or was asked to go past it
    trouble = Signal(object)  # Trouble
    asked = Signal(object)  # Intervention that the run is asked for now
    broken = Signal(object)  # Intervention that the run has taken
    refused = Signal(object, str)  # Intervention that the run does not take, and why
    mended = Signal(object)  # Intervention that was ahead in the run, and is no more
    not_withdrawn = Signal(object, str)  # Intervention that the run does not let go, and why
    unplayable = Signal(object)  # Unplayable
    recovered = Signal()
    began = Signal(object)  # file the run is recorded in, or None
    cannot_begin = Signal(str)  # why no run can be made of the scene as it stands; "": one can
    edit_applied = Signal(int, float)  # number that `ask_edit` returned, time it acts from [s]
    edit_refused = Signal(int, str)  # number, reason
    branch_wanted = Signal(object)  # Edit or Intervention that was asked of a time that is over
