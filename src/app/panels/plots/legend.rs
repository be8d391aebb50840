//! The legend above a plot, or within a low one: title, names and values, in rows.

use eframe::egui::{self, Color32, FontId, Pos2, Rect, RichText, ScrollArea, Sense, Ui, pos2, vec2};

use super::curves::{self, Overlay};
use super::menu;
use super::plot::{swatch_ui, value_of, value_text};
use super::state::{PlotRef, PlotsPanelState};
use crate::app::action::Action;
use crate::app::doc::plots::{DraggedSignal, PlotKind, PlotSpec, Trace, address_text};
use crate::app::ui::chart::AxisSide;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL, Theme};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::element_name;

/// The width of a button beside a title.
const BUTTON: f32 = 28.0;

/// Returns the title of a plot.
pub fn title_of(spec: &PlotSpec, number: usize) -> String {
    match spec.title.is_empty() {
        true => format!("Plot {}", number + 1),
        false => spec.title.clone(),
    }
}

/// One name in a legend.
#[derive(Clone)]
enum Item<'a> {
    Curve(&'a Trace),
    /// An element of a vector or bus: its trace, number, name and colour.
    Element(&'a Trace, usize, String, Color32),
    /// The number of elements that are not listed.
    Further(usize),
    Other(&'a Overlay<'a>),
}

/// The names of a plot in rows, and those for which there is no room.
pub struct Legend<'a> {
    placed: Vec<(Item<'a>, Rect)>,
    rest: Vec<Item<'a>>,
    /// Where the rest is listed.
    more: Rect,
    head: Rect,
    title_width: f32,
    pub height: f32,
}

/// The height of a row.
const ROW: f32 = 22.0;
/// The maximum number of vector elements in the legend.
const ELEMENTS: usize = 12;
/// The width of a name without its text: swatch and margins.
const SWATCH: f32 = 27.0;
/// The width that values have at least, so that names do not move with each digit.
const VALUE: f32 = 58.0;
const LONGEST: f32 = 220.0;
const MORE: f32 = 74.0;

impl<'a> Legend<'a> {
    /// Places the names in up to `rows` rows of `width` points, from the upper left corner of `at`.
    pub fn of(
        ui: &Ui,
        state: &PlotsPanelState,
        plot: PlotRef<'a>,
        (at, width): (Pos2, f32),
        rows: usize,
    ) -> Legend<'a> {
        let PlotRef { view, number, spec } = plot;
        let title = title_of(spec, number);
        let kind = kind_text(spec);
        let buttons = if view.list.plots.len() < 2 { BUTTON } else { 2.0 * BUTTON };
        let beside = if kind.is_empty() { 0.0 } else { text_width(ui, &kind, style::plain(TEXT_SMALL)) + SPACE };
        let title = text_width(ui, &title, style::strong(TEXT_SMALL)) + 10.0;
        // A long title is cut, so that names and buttons beside it stay in the panel.
        let title_width = title.min(0.5 * (width - buttons - beside)).max(BUTTON);
        let head = Rect::from_min_size(at, vec2(title_width + beside, ROW));
        let items = items(theme_of(ui.ctx()), plot);
        let first = head.right() + 2.0 * SPACE;
        let end = |row: usize| at.x + width - if row == 0 { buttons } else { 0.0 };
        let mut legend = Legend { placed: Vec::new(), rest: Vec::new(), more: head, head, title_width, height: ROW };
        let (mut x, mut row) = (first, 0);
        let mut items = items.into_iter().peekable();
        while let Some(item) = items.next() {
            let wide = width_of(ui, state, plot, &item);
            let room = |row: usize, has_more: bool| end(row) - if has_more && row + 1 == rows { MORE } else { 0.0 };
            if x + wide > room(row, items.peek().is_some()) {
                if row + 1 == rows || wide > width {
                    legend.rest = std::iter::once(item).chain(items).collect();
                    break;
                }
                (row, x) = (row + 1, at.x + SPACE);
            }
            legend.placed.push((item, Rect::from_min_size(pos2(x, at.y + row as f32 * ROW), vec2(wide, ROW))));
            x += wide + SPACE;
        }
        let more = pos2(x.min(end(row) - MORE), at.y + row as f32 * ROW);
        legend.more = Rect::from_min_size(more, vec2(MORE, ROW));
        legend.height = (row + 1) as f32 * ROW;
        legend
    }

    /// Draws title, names and buttons. `over` is the colour behind them where they lie on the curves.
    pub fn show_ui(
        &self,
        ui: &mut Ui,
        state: &mut PlotsPanelState,
        plot: PlotRef,
        (width, over): (f32, Option<Color32>),
        actions: &mut Vec<Action>,
    ) {
        if let Some(color) = over {
            let behind = |rect: Rect| {
                ui.painter().rect_filled(rect, 4.0, color);
            };
            behind(self.head);
            self.placed.iter().for_each(|(_, rect)| behind(*rect));
        }
        head_ui(ui, state, plot, (self.head, self.title_width, width), actions);
        for (item, rect) in &self.placed {
            item_ui(ui, *rect, state, plot, item, actions);
        }
        if plot.spec.traces.is_empty() {
            let room = Rect::from_min_size(self.head.right_top() + vec2(2.0 * SPACE, 0.0), vec2(width, ROW));
            let text = "Drag a signal, a port or a wire here";
            widgets::text_in(ui, room, text, style::plain(TEXT_SMALL), theme_of(ui.ctx()).text_weak);
        }
        self.rest_ui(ui, state, plot, actions);
    }

    /// Draws a button that lists the names without room.
    fn rest_ui(&self, ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
        if self.rest.is_empty() {
            return;
        }
        let text = RichText::new(format!("{} more", self.rest.len())).size(TEXT_SMALL);
        let more = ui.put(self.more.shrink2(vec2(0.0, 1.0)), egui::Button::new(text).small());
        let more = more.on_hover_text("List the other curves of this plot");
        let stays = egui::PopupCloseBehavior::CloseOnClickOutside;
        egui::Popup::menu(&more).close_behavior(stays).show(|ui| {
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for item in &self.rest {
                    let (rect, _) = ui.allocate_exact_size(vec2(LONGEST + SWATCH + VALUE, ROW), Sense::hover());
                    item_ui(ui, rect, state, plot, item, actions);
                }
            });
        });
    }
}

fn text_width(ui: &Ui, text: &str, font: FontId) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), font, Color32::WHITE).size().x
}

/// Returns what a plot is, if it is not one of curves over a linear time axis.
fn kind_text(spec: &PlotSpec) -> String {
    match (spec.kind, spec.kind.can_be_log().1 && spec.left_is_log) {
        (PlotKind::Time, false) => String::new(),
        (PlotKind::Time, true) => "log".to_owned(),
        // Words start in lower case within a line, abbreviations do not.
        (PlotKind::Xy | PlotKind::Phase, _) => spec.kind.label().to_owned(),
        (kind, _) => kind.label().to_lowercase(),
    }
}

/// Returns the names of a plot: its curves, each with its elements, and the other runs.
fn items<'a>(theme: &Theme, plot: PlotRef<'a>) -> Vec<Item<'a>> {
    let PlotRef { view, spec, .. } = plot;
    let mut items = Vec::new();
    for trace in &spec.traces {
        items.push(Item::Curve(trace));
        // Elements have names before the first sample, so that nothing moves when it arrives.
        let of = curves::recorded_type(view.program, view.recording, &trace.signal);
        if (of.width < 2 && of.bus.is_none()) || trace.is_hidden {
            continue;
        }
        let colors = curves::element_colors(view.list, trace, of.width, theme);
        for (number, color) in colors.into_iter().take(ELEMENTS).enumerate() {
            let name = element_name("", number, &of);
            let name = name.strip_prefix('.').unwrap_or(&name).to_owned();
            items.push(Item::Element(trace, number, name, color));
        }
        if of.width > ELEMENTS {
            items.push(Item::Further(of.width - ELEMENTS));
        }
    }
    if spec.kind == PlotKind::Time && !spec.traces.is_empty() {
        items.extend(view.others.iter().map(Item::Other));
    }
    items
}

/// Returns the text of an item, and its value at the pointer, else at the shown step.
fn texts(ui: &Ui, state: &PlotsPanelState, plot: PlotRef, item: &Item) -> (String, String) {
    let PlotRef { view, spec, .. } = plot;
    let time = state.common.pointed.or(view.chosen);
    match item {
        Item::Curve(trace) => {
            let name = view.derived.name_of(&trace.signal);
            let value = value_text(&view.source(theme_of(ui.ctx())), &trace.signal, time);
            match (trace.side, spec.kind) {
                (AxisSide::Right, PlotKind::Time) => (format!("{name} (right)"), value),
                _ => (name, value),
            }
        }
        Item::Element(trace, number, name, _) => {
            let column = view.recording.columns(&trace.signal).get(*number);
            let value = column.and_then(|of| value_of(of, view.recording.delta, time)).unwrap_or_default();
            (name.clone(), value)
        }
        Item::Further(count) => (format!("and {count} more"), String::new()),
        Item::Other(other) if other.is_ghost => (format!("Previous run ({})", other.name), String::new()),
        Item::Other(other) => (other.name.to_owned(), String::new()),
    }
}

fn width_of(ui: &Ui, state: &PlotsPanelState, plot: PlotRef, item: &Item) -> f32 {
    let (name, value) = texts(ui, state, plot, item);
    let name = text_width(ui, &name, style::plain(TEXT_SMALL + 0.5)).min(LONGEST);
    let value = match item {
        Item::Curve(_) | Item::Element(..) => text_width(ui, &value, FontId::monospace(TEXT_SMALL)).max(VALUE) + SPACE,
        _ => 0.0,
    };
    SWATCH + name.ceil() + value.ceil() + 2.0
}

fn item_ui(ui: &mut Ui, rect: Rect, state: &PlotsPanelState, plot: PlotRef, item: &Item, actions: &mut Vec<Action>) {
    let theme = theme_of(ui.ctx());
    let swatch = Rect::from_center_size(rect.left_center() + vec2(13.0, 0.0), vec2(15.0, 8.0));
    let room = Rect::from_min_max(rect.left_top() + vec2(SWATCH, 0.0), rect.max);
    let (name, value) = texts(ui, state, plot, item);
    let name_ui = |ui: &Ui, color: Color32| {
        let value = if value.is_empty() { 0.0 } else { VALUE + SPACE };
        let room = room.with_max_x(room.right() - value.min(room.width() * 0.5));
        widgets::text_in(ui, room, &name, style::plain(TEXT_SMALL + 0.5), color)
    };
    let value_ui = |ui: &Ui, after: f32| {
        let font = FontId::monospace(TEXT_SMALL);
        let at = pos2(room.left() + after + SPACE, rect.center().y);
        ui.painter().text(at, egui::Align2::LEFT_CENTER, &value, font, theme.text_weak);
    };
    let label = |text: String| move || egui::WidgetInfo::labeled(egui::Role::Label, true, text.clone());
    match item {
        Item::Curve(trace) => curve_ui(ui, rect, plot, (trace, &value), (&name_ui, &value_ui), actions),
        Item::Element(trace, number, _, color) => {
            let response = ui.interact(rect, ui.scope_id().with(("element", &trace.signal, number)), Sense::hover());
            response.widget_info(label(format!("Element {name} {value}").trim_end().to_owned()));
            swatch_ui(ui, swatch, trace, *color);
            let after = name_ui(ui, theme.text_weak);
            value_ui(ui, after);
        }
        Item::Further(_) => {
            name_ui(ui, theme.text_weak);
        }
        Item::Other(other) => {
            let response = ui.interact(rect, ui.scope_id().with(("run", other.name)), Sense::hover());
            response.widget_info(label(format!("Other run: {}", other.name)));
            let color = style::mix(theme.panel, theme.text, other.strength.max(0.4) * 0.8);
            let points = [swatch.left_center(), swatch.right_center()];
            crate::app::ui::chart::stroke_ui(ui.painter(), swatch.expand(2.0), &points, other.line, 1.2, color);
            name_ui(ui, theme.text_weak);
        }
    }
}

fn head_ui(
    ui: &mut Ui,
    state: &mut PlotsPanelState,
    plot: PlotRef,
    (head, title_width, width): (Rect, f32, f32),
    actions: &mut Vec<Action>,
) {
    let PlotRef { view, number, spec } = plot;
    let title = title_of(spec, number);
    if state.renaming.as_ref().is_some_and(|(renamed, _)| *renamed == number) {
        rename_ui(ui, state, plot, head, actions);
        return;
    }
    let is_single = view.list.plots.len() < 2;
    let text = RichText::new(&title).font(style::strong(TEXT_SMALL));
    let is_target = state.target == number && !is_single;
    let room = Rect::from_min_size(head.min, vec2(title_width, ROW)).shrink2(vec2(0.0, 1.0));
    let centred = egui::Layout::left_to_right(egui::Align::Center);
    let choose = ui.scope_builder(egui::UiBuilder::new().max_rect(room).layout(centred), |ui| {
        ui.spacing_mut().button_padding = vec2(5.0, 1.0);
        ui.spacing_mut().interact_size.y = 18.0;
        ui.add(egui::Button::selectable(is_target, text).truncate())
    });
    let choose = choose.inner;
    if choose.clicked() {
        state.target = number;
    }
    if choose.double_clicked() {
        state.renaming = Some((number, spec.title.clone()));
    }
    choose.on_hover_text(format!("{title}\nNew signals go into the selected plot\nDouble-click to rename"));
    let beside = head.with_min_x(room.right() + SPACE * 0.5);
    widgets::text_in(ui, beside, &kind_text(spec), style::plain(TEXT_SMALL), theme_of(ui.ctx()).text_weak);
    let buttons = Rect::from_min_size(head.min, vec2(width, ROW));
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    ui.scope_builder(egui::UiBuilder::new().max_rect(buttons).layout(layout), |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        if !is_single {
            let close = widgets::icon_button_ui(ui, Icon::Close, &format!("Remove {title}"));
            if close.on_hover_text("Remove this plot").clicked() {
                let change = view.list.without_plot(number).change("Remove plot", view.simulation);
                actions.push(Action::Apply(change));
            }
        }
        let more = widgets::icon_button_ui(ui, Icon::More, &format!("Options of {title}"));
        let more = more.on_hover_text("Kind, axes, trigger, export");
        egui::Popup::menu(&more).show(|ui| menu::show_ui(ui, state, view, number, actions));
    });
}

/// Draws the field for a new title.
fn rename_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, head: Rect, actions: &mut Vec<Action>) {
    let PlotRef { view, number, .. } = plot;
    let Some((_, text)) = &mut state.renaming else { return };
    let room = Rect::from_min_size(head.min, vec2(180.0, ROW));
    let edit = ui.put(room, egui::TextEdit::singleline(text).hint_text("Title of the plot"));
    edit.request_focus();
    let (is_done, is_left) =
        ui.input(|input| (input.key_pressed(egui::Key::Enter), input.key_pressed(egui::Key::Escape)));
    if is_done || (edit.lost_focus() && !is_left) {
        let text = text.trim().to_owned();
        let list = view.list.with_spec(number, |spec| spec.title = text);
        actions.push(Action::Apply(list.change("Rename plot", view.simulation)));
    }
    if is_done || is_left || edit.lost_focus() {
        state.renaming = None;
    }
}

/// Draws a name in a colour and returns its width; draws a value after a name of a width.
type DrawTexts<'a> = (&'a dyn Fn(&Ui, Color32) -> f32, &'a dyn Fn(&Ui, f32));

fn curve_ui(
    ui: &mut Ui,
    rect: Rect,
    plot: PlotRef,
    (trace, value): (&Trace, &str),
    (name_ui, value_ui): DrawTexts,
    actions: &mut Vec<Action>,
) {
    let PlotRef { view, number, spec: _ } = plot;
    let theme = theme_of(ui.ctx());
    let signal = &trace.signal;
    let name = view.derived.name_of(signal);
    let is_hidden = trace.is_hidden;
    let color = curves::color_of(view.list, trace, theme);
    let row = ui.interact(rect, ui.scope_id().with(("curve", signal)), Sense::click_and_drag());
    row.widget_info(|| egui::WidgetInfo {
        current_text_value: Some(value.to_owned()),
        ..egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Curve {name}"))
    });
    let is_hovered = ui.rect_contains_pointer(rect);
    if row.hovered() {
        ui.painter().rect_filled(rect, 5.0, style::mix(theme.panel, theme.accent, 0.1));
    }
    widgets::focus_ring(ui, &row, 5);
    let swatch = Rect::from_center_size(rect.left_center() + vec2(13.0, 0.0), vec2(15.0, 8.0));
    swatch_ui(ui, swatch, trace, if is_hidden { theme.line } else { color });
    let after = name_ui(ui, if is_hidden { theme.text_weak } else { theme.text });
    let cross = Rect::from_center_size(row.rect.right_center() - vec2(10.0, 0.0), vec2(18.0, 18.0));
    let remove = ui.interact(cross, row.id.with("remove"), Sense::click());
    remove.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Remove {name} from plot")));
    // The remove button is shown on hover.
    if is_hovered || remove.has_focus() {
        Icon::Close.paint(ui.painter(), cross.shrink(5.0), if remove.hovered() { theme.text } else { theme.text_weak });
    }
    value_ui(ui, after);
    row.dnd_set_drag_payload(DraggedSignal { signal: signal.clone(), from: Some(number) });
    let say = if is_hidden { "Click to show this curve" } else { "Click to hide this curve" };
    let full = address_text(signal, view.simulation);
    let row = row.on_hover_text(format!("{full}\n{say}\nDrag it to another plot or axis; right-click for more"));
    row.context_menu(|ui| menu::trace_ui(ui, view, number, trace, actions));
    if remove.clicked() {
        let label = format!("Remove {name} from plot");
        let list = view.list.without(std::slice::from_ref(signal), Some(number));
        actions.push(Action::Apply(list.change(label, view.simulation)));
    } else if row.clicked() {
        let list = view.list.with_spec(number, |spec| {
            spec.trace_mut(signal).into_iter().for_each(|trace| trace.is_hidden = !is_hidden);
        });
        let verb = if is_hidden { "Show" } else { "Hide" };
        actions.push(Action::Apply(list.change(format!("{verb} {name}"), view.simulation)));
    }
}
