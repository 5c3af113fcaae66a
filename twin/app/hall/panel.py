"""The 3D view in its place: tool strip on top, legend and marks over it, drops, the drawing timer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from psygnal import Signal
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QDragEnterEvent,
    QDropEvent,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from twin.app.fabric.layer import FabricLayer
from twin.app.hall.announcer import Announcer
from twin.app.hall.compact_plates import ROOMY_PX, fewer, is_low, room_of_words, shorter, tip_place
from twin.app.hall.context_menu import ThingMenus
from twin.app.hall.facility_overlay import AlarmBadge, ToldPlate
from twin.app.hall.legend_plate import LegendPlate
from twin.app.hall.measure_tool import MeasureTool
from twin.app.hall.overlay import HoverPlate, SimulatedMark, Ticker
from twin.app.hall.plate_layout import place_at_top, place_legends
from twin.app.hall.redraw_first import PictureDue
from twin.app.hall.rulers import Rulers
from twin.app.hall.site_map import SiteMap
from twin.app.hall.story import Story
from twin.app.hall.strip import HallStrip
from twin.app.hall.trace_layer import Told, TraceLayer
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import Theme
from twin.app.world.rows import World
from twin.plant.cable_names import describe_bundle
from twin.plant.graph import describe, find
from twin.plant.tables import Plant
from twin.record.alarms import Alarms
from twin.record.events import Event, Severity
from twin.record.frame import Frame
from twin.view3d.base.ownership import NO_GROUPS, OwnerNames
from twin.view3d.base.state import CablesBy, TilesBy, ViewState
from twin.view3d.colour.legend import Legend, coolant_legend, legend_for, power_legend
from twin.view3d.gl.program_pool import forget_idle
from twin.view3d.place.building_parts import building_box
from twin.view3d.place.hidden_plant import seen
from twin.view3d.place.picking import Hit
from twin.view3d.view.hall_view import HallView

_TICK_MS = 33
_LEGEND_EVERY_S = 0.25


class HallPanel(QWidget):
    """Hosts the HallView and feeds it from the session.

    Parameters
    ----------
    state_text
        Returns in a few words how the thing with an id is doing.
    world
        Returns scene and newest frame; None without a scene.
    """

    hovered = Signal(str)  # name and state of what is under the pointer, "" for nothing
    dropped = Signal(str)  # path of a file dropped on the window

    def __init__(
        self,
        look: Look,
        session: Session,
        state_text: Callable[[str], str],
        world: Callable[[], World | None],
    ) -> None:
        super().__init__()
        self._look, self._session, self._state_text = look, session, state_text
        self._hit: Hit | None = None
        self._legend_due_s = 0.0
        self._plates: list[QRect] = []
        self._made_room_for: tuple[object, ...] = ()
        self.cards: list[QWidget] = []  # of others, that stand over the hall as well
        self.steady = False  # plates that come and go move no camera: somebody else leads it
        self._shown_legends = 0  # of cables, power, coolant; a small view has no room for them
        self.groups = NO_GROUPS
        self._told: Told | None = None  # what goes on, in all its lines
        self._at_plates = False  # the pointer is there: they show all they have
        self._map_wanted = False
        self._ticked = False  # the ticker was shown when plates were placed
        self.state = ViewState(theme=look.theme.name, rulers=True)
        self.view = HallView(self.state, keys="app")
        self.picture_due = PictureDue(self.view, lambda: session.asks)
        self.fabric = FabricLayer(session, self.view, self.state, world)
        self.trace = TraceLayer(session, self.view, self.state)
        self.menus = ThingMenus(session, self.view, self.trace, self.state)
        self.floor_menu: Callable[[QMenu, tuple[float, float]], None] = lambda menu, at: None
        self.selection_menu: Callable[[QWidget], QMenu | None] = lambda parent: self.menus.menu(
            self.state.selection[-1], parent
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.strip = HallStrip(look, self.view, session)
        column.addWidget(self.strip)
        column.addWidget(self.view.native, 1)
        self.rulers = Rulers(look, self.view, self)  # under all plates
        self.legend = LegendPlate(look, self)
        self.more_legends = tuple(LegendPlate(look, self) for _ in range(4))
        for plate in (self.legend, *self.more_legends):
            plate.hide()
        self.site_map = SiteMap(look, self.view, self)
        self.mark = SimulatedMark(look, self)
        self.hover_plate = HoverPlate(look, self)
        self.ticker = Ticker(look, self)
        self.alarm_badge = AlarmBadge(look, self)
        self.trace_plate, self.story_plate = ToldPlate(look, self), ToldPlate(look, self)
        self.measure = MeasureTool(look, self.view, self, self._place_tip)
        self.story, self._world = Story(), world
        self.view.native.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.view.native.setAcceptDrops(True)
        self.view.native.installEventFilter(self)
        self.announcer = Announcer(self.view, session, state_text)
        self._connect()
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self.tick)
        self._ticker.start()

    def _connect(self) -> None:
        session = self._session
        session.opened.connect(self._on_opened)
        session.plant_changed.connect(self._on_new_plant)
        session.run_started.connect(self._on_run_started)
        session.frame_changed.connect(self._on_frame)
        session.events_added.connect(self._on_events)
        session.rewound.connect(self._on_rewound)
        session.looked.connect(self._show_mark)
        session.playing_changed.connect(self._show_mark)
        self.state.events.colour_by.connect(self._show_legend)
        self.state.events.cables_by.connect(self._show_legend)
        self.state.events.layers.connect(self._show_legend)
        self.state.events.hidden.connect(self._on_hidden)
        self.state.events.only.connect(self._on_hidden)
        self.fabric.changed.connect(self._show_legend)
        self.trace.changed.connect(self._on_trace)
        self.state.events.selection.connect(self._show_legend)
        self.view.menu_wanted.connect(self._on_menu)
        session.broken.connect(self._show_mark)
        session.mended.connect(self._show_mark)
        self.view.hovered.connect(self._on_hovered)
        self._look.changed.connect(self._on_theme)

    # -- what others ask ----

    def shows(self, layer: str) -> bool:
        """Return whether a layer is shown."""
        return layer in self.state.layers

    def is_coloured_by(self, channel: str) -> bool:
        """Return whether the GPUs carry the colours of a channel."""
        return self.state.colour_by == channel

    def cables_are_by(self, by: CablesBy) -> bool:
        """Return whether the cables carry the colours of their rail or of their load."""
        return self.state.cables_by == by

    def tiles_are_by(self, by: TilesBy) -> bool:
        """Return whether racks, rows and halls are drawn in their mean or in their worst from afar."""
        return self.state.tiles_by == by

    def has(self, id: str) -> bool:
        """Return whether a thing, or a wall, column or door is in the scene, also where it is hidden."""
        plant = self._session.plant
        return plant is not None and (find(plant, id) is not None or building_box(plant, id) is not None)

    def toggle_layer(self, layer: str) -> None:
        """Show a hidden layer, hide a shown one."""
        self.strip.set_layer(layer, layer not in self.state.layers)

    def close_view(self) -> None:
        """Stop drawing and free the GL objects."""
        self._ticker.stop()
        self.view.native.removeEventFilter(self)
        self.view.close()

    # -- following the session ----

    def _on_new_plant(self, plant: Plant) -> None:
        self._on_plant(plant)
        self.view.framing.follow()

    def _on_plant(self, plant: Plant) -> None:
        self._on_hovered(None)  # it was a thing of the hall before
        self.state.selection = tuple(item for item in self.state.selection if find(plant, item) is not None)
        document = self._session.document
        self.groups = OwnerNames.of(document.scenario, plant) if document is not None else NO_GROUPS
        self.picture_due.expect()
        self.view.set_plant(seen(plant, self.state.hidden, self.state.only), self.groups)
        self.measure.forget()
        self.strip.show_way()
        self._show_legend()

    def _on_hidden(self, *_ids: object) -> None:
        if self._session.plant is not None:
            self._on_plant(self._session.plant)
            self.view.set_frame(self._session.frame)

    def _on_opened(self, _path: object) -> None:
        forget_idle(self.view.canvas)
        self.measure.end()
        self.state.selection = ()
        self.state.focus_job = None
        self.state.camera = None
        plant = self._session.plant
        if (
            plant is not None and not plant.gpus.present.any()
        ):  # what coloured the last hall has no GPUs to colour here
            self.state.colour_by = ViewState().colour_by

    def _on_run_started(self) -> None:
        self.view.set_frame(None)
        document, plant = self._session.document, self._session.plant
        if document is not None and plant is not None and document.scenario.streams:
            self.groups = OwnerNames.of(document.scenario, plant)  # another seed, other jobs
            self.view.set_groups(self.groups)
        self.state.focus_job = None
        self.ticker.hide()
        self.mark.show_by_hand(0)
        self.story.forget()
        self._told = None
        self.story_plate.show_told(None)
        self._show_legend()

    def _on_frame(self, frame: Frame) -> None:
        if self.isVisible():
            if self._session.replay.scrubbing:
                self.view.look(self.view.pose)  # ornaments are left out as while the camera moves
            self.view.set_frame(frame)
            if time.monotonic() >= self._legend_due_s:
                self._show_legend()
                self._tell_hover()

    def _on_events(self, events: list[Event]) -> None:
        worst = max(reversed(events), key=lambda event: event.severity)
        scrubs = self._session.looking_s is not None and not self._session.playing
        if worst.severity >= Severity.WARNING and not scrubs:
            self.ticker.show_event(worst)

    def legends(self, plant: Plant) -> tuple[Legend, list[Legend]]:
        """Return the legend of what is coloured, and those of cables, power and coolant as they are shown."""
        main = self.trace.legend() or legend_for(
            self.state.colour_by, plant, self._session.frame, self.groups
        )
        more = self.fabric.legends()
        more += [power_legend(plant, self._session.frame)] if self.view.shows_power else []
        more += [coolant_legend()] if self.shows("pipes") and len(plant.loops.ids) else []
        return main, more

    def _show_legend(self, *_change: object) -> None:
        plant, document = self._session.plant, self._session.document
        if plant is None or document is None:
            return
        self._legend_due_s = time.monotonic() + _LEGEND_EVERY_S
        main, more = self.legends(plant)
        for plate, each in zip((self.legend, *self.more_legends), (main, *more), strict=False):
            plate.show_legend(fewer(each) if self._brief else each, self._is_small, self._brief)
        self._shown_legends = min(len(more), len(self.more_legends))
        self.place_overlays()

    def _on_theme(self, theme: Theme) -> None:
        self.state.theme = theme.name

    def tick(self) -> None:
        """Show the newest frame, where the panel is seen."""
        if (
            not self.isVisible() or self.picture_due()
        ):  # light and words of a changed hall come behind its picture
            return
        self.view.tick(time.monotonic(), self._way)
        self.site_map.follow()
        if self.rulers.follow() or (self.site_map.wanted and self._map_wanted != self._wants_map()):
            self.place_overlays()
        pointer, plates = self._pointer(), (self.story_plate, self.legend, *self.more_legends)
        at = any(plate.isVisibleTo(self) and plate.geometry().contains(pointer) for plate in plates)
        if at != self._at_plates:
            self._at_plates = at
            self._show_legend()
            self._show_story()
        if self._ticked != self.ticker.isVisibleTo(self):
            self.place_overlays()

    @property
    def _way(self) -> int:
        """Direction of time on screen: 1 forward, 0 paused, -1 backward."""
        session = self._session
        return 0 if not session.playing else -1 if session.replay.backwards else 1

    @property
    def _brief(self) -> bool:
        """Whether plates show the least: the view is small and nobody points at them."""
        return not self._at_plates and self._is_small

    @property
    def _is_small(self) -> bool:
        native = self.view.native
        return bool(native.width() * native.height() < ROOMY_PX)

    def show_alarms(self, active: int, unseen: int, alarms: Alarms) -> None:
        """Show the number of alarms, and the status where the past is on screen: no figures may follow."""
        if self._session.looking_s is not None:
            self.tell(alarms)
        self.alarm_badge.show_counts(active, unseen)
        self.place_overlays()

    def tell(self, alarms: Alarms) -> None:
        """Show the status in a few lines."""
        world = self._world()
        self._told = self.story.tell(world, alarms) if world is not None else None
        self._show_story()

    def _show_story(self) -> None:
        """Show the status; in a small view only the first line, beside a trace the title, until pointed at."""
        story = self._told
        if story is not None and self._brief:
            low = is_low(self.view.native.rect(), self.mark.scale)
            story = shorter(story, int(self.trace.told is None), titled=not low)
        if story != self.story_plate.told:
            self.story_plate.show_told(story)
            self.place_overlays()

    def _on_trace(self) -> None:
        self.trace_plate.show_told(self.trace.told)
        self._show_story()
        self._show_legend()

    def _on_rewound(self) -> None:
        self.ticker.hide()
        self.place_overlays()

    def _show_mark(self) -> None:
        """Say that this is simulated, what was done by hand, which time is shown, and how old the picture of it is."""
        session = self._session
        at, as_of, frame = "", "", session.frame
        if (
            session.looking_s is not None and session.document is not None
        ):  # the first scene may not have begun
            at = session.clock.says(session.shown_s)
            if frame is not None and session.replay.behind(frame.t_s):
                as_of = session.clock.says_beside(frame.t_s, session.shown_s)
        self.mark.show_by_hand(len(session.by_hand), at, as_of)
        self.place_overlays()

    def _on_menu(self, hit: Hit | None, place: tuple[float, float]) -> None:
        """Offer what can be done with the thing under a right click, and with what is selected with it."""
        chosen = self.state.selection
        if hit is not None:
            others = tuple(id for id in chosen if id != hit.id) if hit.id in chosen else ()
            self.state.selection = (*others, hit.id)
        self._offer(hit is not None, QPoint(round(place[0]), round(place[1])))

    def _menu_by_key(self) -> None:
        """Offer what can be done with what is selected, in the middle of the view."""
        self._offer(bool(self.state.selection), self.view.native.rect().center())

    def _offer(self, selection: bool, place: QPoint) -> None:
        menu = self.selection_menu(self) if selection else self.thing_menu(None)
        at = None if selection else self.view.edit.floor_at(place.x(), place.y())
        if menu is not None and at is not None:
            self.floor_menu(menu, at)
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.view.native.mapToGlobal(place))

    def thing_menu(self, thing: str | None) -> QMenu | None:
        """Return the menu of a thing, None: of the whole site; None without a scene."""
        return self.menus.menu(thing, self)

    # -- pointer ----

    def _on_hovered(self, hit: Hit | None) -> None:
        self._hit = None if self.view.edit.ghost.boxes else hit  # while something is carried it alone is told
        self._tell_hover()

    def _tell_hover(self) -> None:
        at = self.view.native.mapFromGlobal(QCursor.pos())
        if self.view.native.underMouse():
            self.rulers.point(at.x(), at.y())
        plant = self._session.plant
        if self._hit is None or plant is None:
            self.hover_plate.hide()
            self.hovered.emit("")
            return
        if self._hit.kind == "bundle":
            name = describe_bundle(plant, self._hit.slot)
        else:
            name = describe(plant, self._hit.kind, self._hit.slot)
        state = self._state_text(self._hit.id)
        at = self._pointer()
        self.hover_plate.show_text(name, state, at)
        self._place_tip(self.hover_plate, at)
        self.hovered.emit(f"{name}: {state}" if state else name)

    def _on_moved(self, event: QMouseEvent) -> None:
        """Let the rulers follow a pointer that drags or measures: nothing is hovered meanwhile."""
        if event.buttons() or self.view.pointing.tool is not None:
            self.rulers.point(event.position().x(), event.position().y())

    def _place_tip(self, tip: QWidget, at: QPoint) -> None:
        """Put what is said of a place beside it, where it lies on nothing else."""
        tip.move(tip_place(tip.size(), at, self.rect(), self._plates))

    def _pointer(self) -> QPoint:
        return self.mapFromGlobal(QCursor.pos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take files dropped on the canvas; follow a pointer that names nothing, and forget one that leaves."""
        if isinstance(event, QDropEvent) and dropped_file(event) is not None:
            event.acceptProposedAction()
            if not isinstance(event, QDragEnterEvent) and event.type() == QEvent.Type.Drop:
                self.dropped.emit(dropped_file(event))
            return True
        if isinstance(event, QContextMenuEvent) and event.reason() == QContextMenuEvent.Reason.Keyboard:
            self._menu_by_key()
            return True
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._on_moved(event)
        if event.type() == QEvent.Type.Leave:
            self._on_hovered(None)
            self.rulers.point_nowhere()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the plates in their corners."""
        super().resizeEvent(event)
        self.hover_plate.hide()  # what it spoke of is elsewhere now
        self.place_overlays()

    def place_overlays(self) -> None:
        """Put the plates over the picture where they leave each other room, and the hall room beside them."""
        native = self.view.native.geometry()
        edge = self.rulers.thick_px
        picture = native.adjusted(edge, edge, 0, 0)
        told_plates = (self.trace_plate, self.story_plate)
        low = self._brief and is_low(native, self.mark.scale)
        maps = [self.site_map] if self._wants_map() else []
        self.site_map.take_site(small=self._is_small)
        more = self.more_legends[: self._shown_legends]
        for plate in (self.legend, *more):
            plate.keep_within(native.width() * (1 + low))  # as a strip it takes half of that
        # Strips come first: a map stands above them.
        rest = [*more, *maps] if self._brief else [*maps, *more]
        strips = (self.legend, *more) if self._brief else ()
        shown = place_legends(picture, self.legend, rest, strips, low)
        for each in (self.legend, self.site_map, *self.more_legends):
            each.setVisible(each in shown)
        lowest = min((plate.y() for plate in shown if plate.x() < native.width() // 3), default=self.height())
        place_at_top(self, picture, lowest, self.mark, self.alarm_badge, self.ticker, told_plates, low)
        self._ticked = self.ticker.isVisibleTo(self)
        tops = (self.mark, self.alarm_badge, self.ticker, *told_plates)
        around = [plate.geometry() for plate in (*tops, *self.cards) if plate.isVisibleTo(self)]
        for legend in shown:  # words of the moment go before what can be looked up
            legend.setVisible(not any(legend.geometry().intersects(other) for other in around))
        legends = [plate for plate in shown if plate.isVisibleTo(self)]
        beside = (*around, *self.rulers.areas)
        plates = [*(plate.geometry() for plate in legends), *beside]
        if plates != self._plates:
            self._plates = plates
            self.view.keep_clear(self._in_view(plates))
        # A map comes and goes with what is framed: it takes no room of that where there is little.
        lasting = [plate for plate in legends if not (self._is_small and plate is self.site_map)]
        cards = [card.geometry() for card in self.cards if card.isVisibleTo(self)]
        key = (native.size(), len(lasting), self.trace_plate.isVisibleTo(self), cards)
        if key != self._made_room_for and not self._at_plates:  # words that come and go move no camera
            self._made_room_for = key
            if self._is_small:
                stay = [
                    plate.geometry() for plate in (self.mark, self.trace_plate) if plate.isVisibleTo(self)
                ]
                beside = (room_of_words(picture, self.mark.scale), *stay, *cards, *self.rulers.areas)
            areas = self._in_view([*(plate.geometry() for plate in lasting), *beside])
            self.view.framing.keep(areas, anew=not self.steady)

    def _in_view(self, plates: Sequence[QRect]) -> list[tuple[float, float, float, float]]:
        """Return rectangles of the panel as left, top, width and height in the view."""
        top = self.view.native.y()
        return [(each.x(), each.y() - top, each.width(), each.height()) for each in plates]

    def _wants_map(self) -> bool:
        """Return whether there are halls to find the way between, and room for the map or halls out of the picture."""
        self._map_wanted = self.site_map.wanted and not (self._is_small and self.site_map.shows_nothing_new)
        return self._map_wanted


def dropped_file(event: QDropEvent) -> str | None:
    """Return the local file a drag carries, if it is one."""
    urls = event.mimeData().urls()
    return urls[0].toLocalFile() or None if len(urls) == 1 else None
