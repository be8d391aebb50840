//! The names and values beside a plot.

use eframe::egui::{self, Rect, RichText, ScrollArea, Sense, Ui, vec2};

use super::curves;
use super::menu;
use super::plot::{swatch_ui, value_of, value_text};
use super::state::{PlotRef, PlotsPanelState, PlotsPanelView};
use crate::app::action::Action;
use crate::app::doc::plots::{DraggedSignal, PlotKind, PlotSpec, Trace};
use crate::app::ui::chart::AxisSide;
use crate::app::ui::icons::Icon;
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
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

pub fn show_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
    let PlotRef { view, spec, .. } = plot;
    ui.spacing_mut().item_spacing.y = 0.0;
    head_ui(ui, state, plot, actions);
    if spec.traces.is_empty() {
        ui.label(widgets::weak(ui, "Drag a signal, a port or a wire here"));
    }
    ScrollArea::vertical().id_salt("legend").auto_shrink(false).show(ui, |ui| {
        for trace in &spec.traces {
            row_ui(ui, state, plot, trace, actions);
            elements_ui(ui, state, view, trace);
        }
        if spec.kind == PlotKind::Time && !spec.traces.is_empty() {
            others_ui(ui, view);
        }
    });
}

/// The maximum number of vector elements in the legend.
const ELEMENTS: usize = 12;

/// Draws the elements of a vector with colours and values.
fn elements_ui(ui: &mut Ui, state: &PlotsPanelState, view: &PlotsPanelView, trace: &Trace) {
    let theme = theme_of(ui.ctx());
    let columns = view.recording.columns(&trace.signal);
    // Rows exist before the first sample, so that nothing moves when it arrives.
    let of = curves::recorded_type(view.program, view.recording, &trace.signal);
    let count = of.width;
    if (count < 2 && of.bus.is_none()) || trace.is_hidden {
        return;
    }
    let colors = curves::element_colors(view.list, trace, count, theme);
    for (number, color) in colors.into_iter().take(ELEMENTS).enumerate() {
        let value = columns.get(number).and_then(|of| value_of(of, view.recording.delta, state.common.pointed));
        let value = value.unwrap_or_default();
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 17.0), Sense::hover());
        let name = element_name("", number, &of);
        let name = name.strip_prefix('.').unwrap_or(&name);
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Label, true, format!("Element {name} {value}").trim_end())
        });
        let swatch = Rect::from_center_size(rect.left_center() + vec2(33.0, 0.0), vec2(15.0, 8.0));
        swatch_ui(ui, swatch, trace, color);
        let room = Rect::from_min_max(rect.left_top() + vec2(47.0, 0.0), rect.right_bottom() - vec2(8.0, 0.0));
        widgets::text_in(ui, room, name, style::plain(TEXT_SMALL), theme.text_weak);
        let font = egui::FontId::monospace(TEXT_SMALL - 0.5);
        ui.painter().text(room.right_center(), egui::Align2::RIGHT_CENTER, value, font, theme.text_weak);
    }
    if count > ELEMENTS {
        ui.label(widgets::weak(ui, format!("and {} more", count - ELEMENTS)));
    }
}

/// Draws the names and line styles of the other runs.
fn others_ui(ui: &mut Ui, view: &PlotsPanelView) {
    let theme = theme_of(ui.ctx());
    for other in view.others {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
        response
            .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("Other run: {}", other.name)));
        let swatch = Rect::from_center_size(rect.left_center() + vec2(13.0, 0.0), vec2(15.0, 8.0));
        let color = style::mix(theme.panel, theme.text, other.strength.max(0.4) * 0.8);
        let points = [swatch.left_center(), swatch.right_center()];
        crate::app::ui::chart::stroke_ui(ui.painter(), swatch.expand(2.0), &points, other.line, 1.2, color);
        let room = Rect::from_min_max(rect.left_top() + vec2(27.0, 0.0), rect.right_bottom());
        let text = if other.is_ghost { format!("Previous run ({})", other.name) } else { other.name.to_owned() };
        widgets::text_in(ui, room, &text, style::plain(TEXT_SMALL), theme.text_weak);
    }
}

fn head_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, actions: &mut Vec<Action>) {
    let PlotRef { view, number, spec } = plot;
    let title = title_of(spec, number);
    if let Some((renamed, text)) = &mut state.renaming
        && *renamed == number
    {
        let edit = ui.add(egui::TextEdit::singleline(text).desired_width(150.0).hint_text("Title of the plot"));
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
        return;
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let is_single = view.list.plots.len() < 2;
        let kind = match (spec.kind, spec.kind.can_be_log().1 && spec.left_is_log) {
            (PlotKind::Time, false) => String::new(),
            (PlotKind::Time, true) => "log".to_owned(),
            // Words start in lower case within a line, abbreviations do not.
            (PlotKind::Xy | PlotKind::Phase, _) => spec.kind.label().to_owned(),
            (kind, _) => kind.label().to_lowercase(),
        };
        // A long title is cut, so that the buttons and values beside it stay in the panel.
        let beside = ui.painter().layout_no_wrap(kind.clone(), style::plain(TEXT_SMALL), egui::Color32::WHITE).size().x;
        let buttons = if is_single { BUTTON } else { 2.0 * BUTTON };
        let room = (ui.available_width() - beside - buttons - 2.0 * SPACE).max(BUTTON);
        let text = RichText::new(&title).font(style::strong(TEXT_SMALL));
        let is_target = state.target == number && !is_single;
        let choose = ui.scope(|ui| {
            ui.set_max_width(room);
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
        ui.label(widgets::weak(ui, kind));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
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
    });
}

fn row_ui(ui: &mut Ui, state: &mut PlotsPanelState, plot: PlotRef, trace: &Trace, actions: &mut Vec<Action>) {
    let PlotRef { view, number, spec } = plot;
    let theme = theme_of(ui.ctx());
    let signal = &trace.signal;
    let name = view.derived.name_of(signal);
    let is_hidden = trace.is_hidden;
    let source = view.source(theme);
    let value = value_text(&source, signal, state.common.pointed);
    let color = curves::color_of(view.list, trace, theme);
    let is_hovered = std::cell::Cell::new(false);
    let row = widgets::row_ui(ui, &format!("Curve {name}"), 22.0, |ui, rect| {
        let swatch = Rect::from_center_size(rect.left_center() + vec2(13.0, 0.0), vec2(15.0, 8.0));
        swatch_ui(ui, swatch, trace, if is_hidden { theme.line } else { color });
        let text = if is_hidden { theme.text_weak } else { theme.text };
        let room = Rect::from_min_max(rect.left_top() + vec2(27.0, 0.0), rect.right_bottom() - vec2(8.0, 0.0));
        let font = egui::FontId::monospace(TEXT_SMALL);
        let galley = ui.painter().layout_no_wrap(value.clone(), font.clone(), theme.text_weak);
        let name_room = Rect::from_min_max(room.min, room.max - vec2(galley.size().x + SPACE, 0.0));
        let shown = match (trace.side, spec.kind) {
            (AxisSide::Right, PlotKind::Time) => format!("{name} (right)"),
            _ => name.clone(),
        };
        widgets::text_in(ui, name_room, &shown, style::plain(TEXT_SMALL + 0.5), text);
        is_hovered.set(ui.rect_contains_pointer(rect));
        // The remove button is shown here on hover.
        if !is_hovered.get() {
            ui.painter().text(room.right_center(), egui::Align2::RIGHT_CENTER, &value, font, theme.text_weak);
        }
    });
    let cross = Rect::from_center_size(row.rect.right_center() - vec2(12.0, 0.0), vec2(18.0, 18.0));
    let remove = ui.interact(cross, row.id.with("remove"), Sense::click());
    remove.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Remove {name} from plot")));
    if is_hovered.get() || remove.has_focus() {
        Icon::Close.paint(ui.painter(), cross.shrink(5.0), if remove.hovered() { theme.text } else { theme.text_weak });
    }
    row.dnd_set_drag_payload(DraggedSignal { signal: signal.clone(), from: Some(number) });
    let say = if is_hidden { "Click to show this curve" } else { "Click to hide this curve" };
    let full = signal.text(view.simulation);
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
