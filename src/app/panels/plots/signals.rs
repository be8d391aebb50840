//! The list of all signals, with check boxes for recording; they can be dragged to plots.

use eframe::egui::{self, Rect, RichText, ScrollArea, Ui, vec2};

use super::state::{PlotsPanelView, SignalListState};
use crate::app::action::{Action, ViewAction};
use crate::app::doc::plots::{Derivative, DraggedSignal, Recorded, address_text, is_derivative};
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::model::SignalKey;

const ROW: f32 = 22.0;

pub fn show_ui(
    ui: &mut Ui,
    state: &mut SignalListState,
    view: &PlotsPanelView,
    target: usize,
    actions: &mut Vec<Action>,
) {
    // The derivatives by parameters that have one in a plot follow the signals of the blocks.
    let known = view.derived.signals(view.registry);
    let derivatives: Vec<(SignalKey, String)> = view
        .list
        .possible_derivatives()
        .iter()
        .map(Derivative::signal)
        .map(|signal| (signal.clone(), view.derived.name_of(&signal)))
        .collect();
    let all = || known.iter().chain(&derivatives);
    egui::Frame::new().inner_margin(egui::Margin { left: 10, right: 8, top: 4, bottom: 4 }).show(ui, |ui| {
        widgets::search_ui(ui, &mut state.search, "Find a signal");
        ui.add_space(SPACE);
        let is_new = state.found.as_ref().is_none_or(|(of, text, _)| *of != view.revision || *text != state.search);
        if is_new {
            let wanted = state.search.to_lowercase();
            let numbered = all().enumerate();
            let fits = numbered.filter(|(_, (_, name))| name.to_lowercase().contains(&wanted)).map(|(index, _)| index);
            state.found = Some((view.revision, state.search.clone(), fits.collect()));
        }
        let Some((_, _, found)) = &state.found else { return };
        if found.is_empty() {
            let what = if known.is_empty() { "Add blocks to the diagram" } else { "Search for another name" };
            widgets::empty_ui(ui, crate::app::ui::icons::Icon::Search, "No signals", what);
            return;
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical().id_salt("all signals").auto_shrink(false).show_rows(ui, ROW, found.len(), |ui, rows| {
            for index in found.get(rows).unwrap_or_default() {
                let derivative = || derivatives.get(index.checked_sub(known.len())?);
                if let Some((signal, name)) = known.get(*index).or_else(derivative) {
                    row_ui(ui, view, target, signal, name, actions);
                }
            }
        });
    });
}

fn row_ui(
    ui: &mut Ui,
    view: &PlotsPanelView,
    target: usize,
    signal: &SignalKey,
    name: &str,
    actions: &mut Vec<Action>,
) {
    let theme = theme_of(ui.ctx());
    let is_drawn = view.list.contains(signal);
    let is_derivative = is_derivative(signal);
    let is_recorded = is_drawn || view.list.recorded.contains(signal);
    let row = widgets::row_ui(ui, &format!("Signal {name}"), ROW, |ui, rect| {
        let room = Rect::from_min_max(rect.left_top() + vec2(26.0, 0.0), rect.right_bottom() - vec2(4.0, 0.0));
        let color = if is_recorded { theme.text } else { theme.text_weak };
        widgets::text_in(ui, room, name, style::plain(TEXT_SMALL + 0.5), color);
    });
    let icon_rect = Rect::from_center_size(row.rect.left_center() + vec2(12.0, 0.0), vec2(16.0, 16.0));
    let mut is_on = is_recorded;
    let mut room = ui.new_child(egui::UiBuilder::new().max_rect(icon_rect).id_salt(signal));
    let check = room.add(egui::Checkbox::without_text(&mut is_on));
    let verb = if is_derivative { "Plot" } else { "Record" };
    check.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, is_on, format!("{verb} {name}")));
    let slice = std::slice::from_ref(signal);
    if check.changed() && is_derivative {
        let list = if is_on { view.list.with(slice, target) } else { view.list.without(slice, None) };
        let label = if is_on { format!("Plot {name}") } else { format!("Remove {name} from plots") };
        actions.push(Action::Apply(list.change(label, view.simulation)));
    } else if check.changed() {
        let list = match (is_on, is_drawn) {
            (false, true) => view.list.without(slice, None).with_recorded(slice, Recorded::No),
            (false, false) => view.list.with_recorded(slice, Recorded::No),
            (true, _) => view.list.with_recorded(slice, Recorded::Yes),
        };
        let label = if is_on { format!("Record {name}") } else { format!("Stop recording {name}") };
        actions.push(Action::Apply(list.change(label, view.simulation)));
    }
    check.on_hover_text(match (is_derivative, is_drawn) {
        (true, true) => "Plotted; clear to remove it",
        (true, false) => "Plot this derivative",
        (false, true) => "Recorded and plotted; clear to remove it",
        (false, false) => "Record this signal",
    });
    row.dnd_set_drag_payload(DraggedSignal { signal: signal.clone(), from: None });
    let has_samples = !view.recording.columns(signal).is_empty();
    let hint = match (is_drawn, has_samples) {
        (true, _) => "Drag it to a plot",
        (false, true) => "Recorded; double-click to plot, or drag it to a plot",
        (false, false) => "Double-click to plot, or drag it to a plot",
    };
    let row = row.on_hover_text(format!("{}\n{hint}", address_text(signal, view.simulation)));
    if row.double_clicked() && !is_drawn {
        let change = view.list.with(slice, target).change(format!("Plot {name}"), view.simulation);
        actions.push(Action::Apply(change));
    }
    row.context_menu(|ui| {
        for (number, spec) in view.list.plots.iter().enumerate() {
            let title = super::legend::title_of(spec, number);
            if ui.button(RichText::new(format!("Show in {title}"))).clicked() {
                ui.close();
                let change = view.list.with(slice, number).change(format!("Plot {name}"), view.simulation);
                actions.push(Action::Apply(change));
            }
        }
        if ui.button("Go to block").clicked() {
            ui.close();
            actions.push(Action::View(ViewAction::GoTo { path: signal.path.clone(), block: Some(signal.block) }));
        }
    });
}
