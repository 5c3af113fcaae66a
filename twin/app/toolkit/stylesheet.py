"""The stylesheet: spacing, corners and states of every kind of widget, in the colours of a theme.

Widgets that stand out carry the dynamic property ``role``; nothing else is styled by name.
"""

from __future__ import annotations

import re
from string import Template

from twin.app.toolkit.theme import Theme

_TEMPLATE = Template("""
* { outline: none; }
QMainWindow, QDialog { background: $ground; }
QMainWindow::separator { background: $ground; width: 5px; height: 5px; }
QMainWindow::separator:hover { background: $accent; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 5px 7px; }

QMenuBar { background: $ground; color: $muted; padding: 2px 6px; }
QMenuBar::item { padding: 6px 10px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: $hover; color: $text; }
QMenu { background: $raised; color: $text; border: 1px solid $border; border-radius: 8px; padding: 5px; }
QMenu::item { padding: 6px 26px 6px 12px; border-radius: 5px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 5px 8px; }
QMenu::icon { padding-left: 8px; }

QDockWidget { color: $muted; font-weight: 600; }
QWidget[role="docktitle"] { background: $surface; border-bottom: 1px solid $border; }
QLabel[role="looking"] { color: $warning; font-weight: 600; }
QLabel[role="live"] { color: $ok; font-weight: 600; }
QLabel[role="dockname"] { color: $text; font-weight: 600; background: transparent; }
QWidget[role="panel"] { background: $surface; }
QTabBar { background: $ground; qproperty-drawBase: 0; qproperty-elideMode: ElideNone;
  qproperty-usesScrollButtons: true; }
QTabBar::tab { background: transparent; color: $muted; padding: 6px 14px; margin: 2px 2px 0 0; border: none;
  border-top-left-radius: 6px; border-top-right-radius: 6px; }
QTabBar::tab:selected { background: $surface; color: $text; border-bottom: 2px solid $accent; }
QTabBar::scroller { width: 40px; }
QTabBar::tear { width: 0; border: none; image: none; }
QTabBar QToolButton { background: $surface; border: none; border-radius: 4px; padding: 0; margin: 3px 1px; }
QTabBar QToolButton::left-arrow { image: url($icons/back-$name.png); width: 12px; height: 12px; }
QTabBar QToolButton::right-arrow { image: url($icons/forward-$name.png); width: 12px; height: 12px; }
QTabBar::tab:hover:!selected { color: $text; background: $hover; }

QStatusBar { background: $ground; color: $muted; border-top: 1px solid $border; }
QStatusBar::item { border: none; }

QPushButton, QToolButton { background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
  padding: 5px 11px; }
QPushButton:hover, QToolButton:hover { background: $hover; border-color: $faint; }
QPushButton:pressed, QToolButton:pressed { background: $selection; }
QPushButton:focus, QToolButton:focus, QComboBox:focus, QLineEdit:focus { border: 1px solid $accent; }
QPushButton:disabled, QToolButton:disabled { color: $faint; background: transparent; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border: 1px solid $accent;
  font-weight: 600; }
QPushButton[role="primary"]:hover { background: $accent; border-color: $text; }
QPushButton[role="primary"]:disabled { background: $raised; color: $faint; border: 1px solid $border; }
QToolButton[role="flat"], QPushButton[role="flat"] { background: transparent; border: 1px solid transparent; }
QToolButton[role="flat"] { padding: 4px; }
QStatusBar QToolButton[role="flat"] { padding: 0; }
QToolButton[role="flat"]:hover, QPushButton[role="flat"]:hover { background: $hover; }
QToolButton[role="flat"]:focus, QPushButton[role="flat"]:focus { border: 1px solid $accent; }
QToolButton[role="flat"]:checked { background: $selection; }
QFileDialog QToolButton { padding: 2px; }
QFileDialog { backward-icon: url($icons/back-$name.png);
  forward-icon: url($icons/forward-$name.png);
  filedialog-parent-directory-icon: url($icons/up-$name.png);
  filedialog-new-directory-icon: url($icons/open-$name.png);
  filedialog-listview-icon: url($icons/list-$name.png);
  filedialog-detailedview-icon: url($icons/layout-$name.png); }
QToolButton[role="chip"] { padding: 3px 9px; border-radius: 11px; background: transparent; color: $muted; }
QToolButton[role="chip"]:hover { color: $text; }
QToolButton[role="chip"]:checked { background: $selection; color: $text; border-color: $accent; }
QToolButton[role="play"] { background: $accent; border: none; border-radius: 19px; }
QToolButton[role="play"]:hover { border: 2px solid $text; }
QToolButton[role="play"]:focus { border: 2px solid $text; }
QToolButton[role="play"]:disabled { background: $raised; }
QToolButton::menu-indicator { image: none; }
QPushButton[role="link"] { background: transparent; border: none; color: $accent; padding: 0;
  text-align: left; }
QPushButton[role="link"]:hover, QPushButton[role="link"]:focus { text-decoration: underline; }

QComboBox { background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
  padding: 4px 10px; }
QComboBox:hover { border-color: $faint; background: $hover; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url($chevron); width: 14px; height: 14px; }
QComboBox QAbstractItemView { background: $raised; color: $text; border: 1px solid $border; padding: 4px;
  selection-background-color: $selection; }
QLineEdit { background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
  padding: 5px 9px; selection-background-color: $selection; }

QSpinBox, QDoubleSpinBox { background: $raised; color: $text; border: 1px solid $border; border-radius: 6px;
  padding: 3px 8px; selection-background-color: $selection; }
QSpinBox:hover, QDoubleSpinBox:hover { border-color: $faint; }
QSpinBox:focus, QDoubleSpinBox:focus { border: 1px solid $accent; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; background: transparent; width: 18px; }
QAbstractSpinBox::up-button { subcontrol-position: top right; border-top-right-radius: 5px; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; border-bottom-right-radius: 5px; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: $hover; }
QAbstractSpinBox::up-arrow { image: url($up); width: 12px; height: 12px; }
QAbstractSpinBox::down-arrow { image: url($chevron); width: 12px; height: 12px; }
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled { color: $faint; background: $surface; }
QCheckBox { color: $text; spacing: 8px; padding: 2px 0; }
QCheckBox::indicator, QTableView::indicator { width: 15px; height: 15px; border: 1px solid $faint;
  border-radius: 4px; background: $raised; }
QCheckBox::indicator:hover, QTableView::indicator:hover { border-color: $accent; }
QCheckBox::indicator:checked, QTableView::indicator:checked { background: $accent; border-color: $accent;
  image: url($tick); }
QListView[role="lines"]::indicator { width: 13px; height: 13px; border: 1px solid $faint; border-radius: 4px;
  background: $raised; }
QListView[role="lines"]::indicator:checked { background: $accent; border-color: $accent; image: url($tick); }
QCheckBox:disabled { color: $faint; }
QCheckBox:focus { color: $accent; }
QRadioButton { color: $text; spacing: 8px; padding: 2px 0; }
QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid $faint; border-radius: 8px;
  background: $raised; }
QRadioButton::indicator:hover { border-color: $accent; }
QRadioButton::indicator:checked { background: $raised; border: 5px solid $accent; width: 6px; height: 6px; }
QRadioButton:focus { color: $accent; }
QTabWidget::pane { background: $surface; border: none; border-top: 1px solid $border; }

QTableView, QTreeView, QListView, QPlainTextEdit { background: $surface; color: $text; border: none;
  gridline-color: $border; alternate-background-color: $surface; selection-background-color: $selection;
  selection-color: $text; }
QPlainTextEdit[role="writing"] { background: $raised; border: 1px solid $border; border-radius: 6px;
  padding: 3px 5px; }
QPlainTextEdit[role="writing"]:focus { border: 1px solid $accent; }
QListView[role="lines"]::item { padding: 4px 6px; }
QTableView::item { padding: 3px 8px; border-bottom: 1px solid $raised; }
QTableView[role="dense"]::item { padding: 3px 3px; }
QTableView[role="dense"] QHeaderView::section { padding: 4px 3px; }
QTableView::item:hover, QListView::item:hover { background: $hover; }
QTableView::item:selected, QListView::item:selected { background: $selection; }
QListView[role="suggestions"] { background: $raised; border: 1px solid $border; padding: 4px; }
QListView[role="suggestions"]::item { padding: 4px 6px; border-radius: 4px; }
QHeaderView { background: $surface; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $border;
  padding: 5px 8px; font-weight: 600; }
QTableCornerButton::section { background: $surface; border: none; }

QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget { background: transparent; }
QScrollBar { background: transparent; width: 10px; height: 10px; margin: 0; }
QScrollBar::handle { background: $hover; border-radius: 4px; margin: 2px; min-height: 26px; min-width: 26px; }
QScrollBar::handle:hover { background: $faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSlider::groove:horizontal, QSlider::sub-page:horizontal { height: 4px; background-clip: padding;
  border: 0 solid transparent; border-top-width: 6px; border-bottom-width: 6px; }
QSlider::groove:horizontal { background-color: $hover; }
QSlider::sub-page:horizontal { background-color: $accent; }
QSlider::handle:horizontal { background: $text; width: 12px; height: 12px; margin: -4px 0;
  border-radius: 6px; }
QSlider:focus { border: 1px solid $accent; border-radius: 4px; }
QSlider::sub-page:horizontal:disabled { background: $faint; }
QSlider::handle:horizontal:disabled { background: $faint; }

QToolBar { background: $surface; border: none; padding: 0; spacing: 0; }
QWidget[role="transport"] { background: $surface; border-bottom: 1px solid $border; }
QFrame[role="tile"] { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame[role="card"] { background: $surface; border: 1px solid $border; border-radius: 12px; }
QFrame[role="card"]:hover, QFrame[role="card"]:focus { border: 1px solid $accent; background: $raised; }
QFrame[role="owncard"] { border: 2px dashed $border; border-radius: 12px; }
QFrame[role="owncard"]:hover { border: 2px dashed $accent; }
QFrame[role="rule"] { background: $border; border: none; max-height: 1px; min-height: 1px; }
QFrame[role="bar"] { background: $border; border: none; max-width: 1px; min-width: 1px; }
QFrame[role="popup"] { background: $raised; border: 1px solid $border; border-radius: 10px; }
QFrame[role="popup"] QLineEdit { background: $surface; font-size: 14px; padding: 9px 11px; }
QFrame[role="popup"] QListView { background: transparent; }
QFrame[role="segments"] { background: $raised; border: 1px solid $border; border-radius: 8px; }
QToolButton[role="segment"] { background: transparent; color: $muted; border: 1px solid transparent;
  border-radius: 5px; padding: 1px 13px; }
QToolButton[role="segment"]:hover { color: $text; background: $hover; }
QToolButton[role="segment"]:checked { background: $selection; color: $text; border-color: $accent;
  font-weight: 600; }
QWidget[role="side"] { background: $surface; border-right: 1px solid $border; }
QFrame[role="said"] { background: $raised; border: 1px solid $border; border-left: 4px solid $notice;
  border-radius: 6px; }
QFrame[role="said"][tone="solved"] { border-left-color: $ok; }
QFrame[role="said"][tone="not yet"] { border-left-color: $warning; }
QFrame[role="said"][tone="so far"] { border-left-color: $ok; }
QFrame[role="note"] { background: $raised; border: 1px solid $border; border-radius: 8px; }

QLabel { background: transparent; }
QLabel[role="title"] { font-size: 15px; font-weight: 600; color: $text; }
QLabel[role="headline"] { font-size: 18px; font-weight: 600; color: $text; }
QLabel[role="display"] { font-size: 30px; font-weight: 600; color: $text; }
QLabel[role="prose"] { font-size: 13px; color: $text; }
QLabel[role="lead"] { font-size: 14px; color: $muted; }
QLabel[role="section"] { font-size: 10px; font-weight: 700; color: $faint; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="faint"] { color: $faint; font-size: 11px; }
QLabel[role="value"] { color: $text; font-weight: 600; }
QLabel[role="tone"] { color: $notice; font-weight: 600; }
QLabel[role="tone"][tone="solved"], QLabel[role="tone"][tone="so far"] { color: $ok; }
QLabel[role="tone"][tone="not yet"] { color: $warning; }
QLabel[role="mark"] { color: $faint; font-weight: 600; }
QLabel[role="mark"][state="met"], QLabel[role="mark"][state="so far"] { color: $ok; }
QLabel[role="mark"][state="broken"] { color: $alarm; }
QLabel[role="kpi"] { font-size: 17px; font-weight: 600; color: $text; }
QLabel[role="clock"] { font-size: 16px; font-weight: 600; color: $text; }
QLabel[role="fault"] { color: $alarm; font-size: 11px; }
QLabel[role="badge"] { border: 1px solid $border; border-radius: 7px; padding: 1px 6px; color: $muted;
  font-size: 10px; }
QLabel[role="badge"][doubt="ok"] { border-color: $ok; color: $ok; }
QLabel[role="badge"][doubt="notice"] { border-color: $notice; color: $notice; }
QLabel[role="badge"][doubt="warning"] { border-color: $warning; color: $warning; }
""")


def stylesheet(
    theme: Theme,
    chevron: str = "",
    tick: str = "",
    text_scale: float = 1.0,
    up: str = "",
    icon_folder: str = "",
) -> str:
    """Return the application stylesheet in the colours of `theme`.

    Parameters
    ----------
    chevron, tick
        Files of the combo boxes' arrow and of the mark of a box that is checked.
    text_scale
        Size of text beside the one written here.
    up
        File of the arrow that points up, of fields for numbers.
    icon_folder
        Where the icons of the dialog of files lie, in the colours of the theme: Qt's own are dark on dark.
    """
    colours = {name: value for name, value in vars(theme).items() if isinstance(value, str)}
    sheet = _TEMPLATE.substitute(colours, chevron=chevron, tick=tick, up=up, icons=icon_folder)
    return re.sub(
        r"font-size: (\d+)px",
        lambda size: f"font-size: {round(int(size[1]) * text_scale)}px",
        sheet,
    )
