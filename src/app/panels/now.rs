//! The values of a block's outputs and states in the shown step, in the inspector.

use std::sync::Arc;

use eframe::egui::{FontId, Rect, Role, Sense, Ui, WidgetInfo, vec2};

use crate::app::action::{Action, RunAction};
use crate::app::doc::signal_value::value_text;
use crate::app::doc::typed;
use crate::app::store::run::RunSession;
use crate::app::ui::field::{EditedField, Field};
use crate::app::ui::numbers::typed::Wanted;
use crate::app::ui::theme::TEXT_SMALL;
use crate::app::ui::widgets::{self, theme_of};
use crate::app::ui::{form, numbers, style};
use crate::block::StateKind;
use crate::model::{BlockAddress, BlockId, SignalKey};

/// The maximum number of elements shown.
const MAX_ELEMENTS: usize = 6;

/// Shows nothing without a step or before its values arrive. States can be set while the run is paused.
pub fn show_ui(
    ui: &mut Ui,
    editing: &mut EditedField,
    run: &RunSession,
    (path, block): (&[BlockId], BlockId),
    outputs: &[Arc<str>],
    actions: &mut Vec<Action>,
) {
    let Some(step) = run.shown_step() else { return };
    let view = run.seen().filter(|view| view.step == step);
    let values = outputs.iter().filter_map(|output| {
        let values = run.value(&SignalKey::new(path, block, output))?;
        Some((output.to_string(), values))
    });
    let values: Vec<(String, Vec<f64>)> = values.collect();
    let states = view.map(|view| view.states(&BlockAddress::new(path, block))).unwrap_or_default();
    if values.is_empty() && states.is_empty() {
        return;
    }
    widgets::section_ui(ui, &format!("In step {}", numbers::grouped(step)));
    values.iter().for_each(|(name, values)| row_ui(ui, name, &text_of(values)));
    let count = states.len();
    for (number, (kind, values)) in states.into_iter().enumerate() {
        if kind == StateKind::Record {
            continue;
        }
        let name = match kind {
            StateKind::Discrete => "State",
            StateKind::Continuous => "Integrated state",
            StateKind::History { .. } | StateKind::Record => "History",
        };
        let name = if count > 1 { format!("{name} {}", number + 1) } else { name.to_owned() };
        if matches!(kind, StateKind::History { .. }) || !run.can_set_states() || values.len() > MAX_ELEMENTS {
            row_ui(ui, &name, &text_of(values));
            continue;
        }
        let width = values.len();
        let wanted = if width == 1 { Wanted::One } else { Wanted::Several };
        let read = |text: &str| -> Option<Vec<f64>> { typed::row(text, wanted).filter(|values| values.len() == width) };
        let problem = |text: &str| match (read(text), width) {
            (Some(_), _) => None,
            (None, 1) => Some("A number".to_owned()),
            (None, count) => Some(format!("{count} numbers")),
        };
        let shown: Vec<String> = values.iter().map(f64::to_string).collect();
        let typed =
            form::row_ui(ui, &name, "The value after this step; a new value takes effect in the next step", |ui| {
                let width = form::value_width(ui);
                Field::new(&name, &shown.join(" ")).width(width).number(wanted).text_ui(ui, editing, &problem)
            });
        if let Some(values) = typed.and_then(|text| read(&text)) {
            actions.push(Action::Run(RunAction::SetState { path: path.to_vec(), block, number, values }));
        }
    }
}

/// Draws a value beside its name.
pub(super) fn row_ui(ui: &mut Ui, name: &str, value: &str) {
    let theme = theme_of(ui.ctx());
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 19.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{name} is {value}")));
    let (left, right) = rect.split_left_right_at_fraction(0.45);
    let left = Rect::from_min_max(left.min, left.max - vec2(4.0, 0.0));
    widgets::text_in(ui, left, name, style::plain(TEXT_SMALL + 0.5), theme.text_weak);
    widgets::text_in(ui, right, value, FontId::monospace(TEXT_SMALL), theme.text);
}

fn text_of(values: &[f64]) -> String {
    let shown: Vec<String> = values.iter().take(MAX_ELEMENTS).map(|value| value_text(*value, 6)).collect();
    let rest = if values.len() > MAX_ELEMENTS { " …" } else { "" };
    shown.join(" ") + rest
}
