//! What a block is worth in the step that is shown: its outputs and its states, as a part of the inspector.

use eframe::egui::{Rect, Sense, Ui, vec2};

use crate::app::numbers;
use crate::app::run::RunSession;
use crate::app::style;
use crate::app::theme::TEXT_SMALL;
use crate::app::widgets::{self, theme_of};
use crate::block::StateKind;
use crate::model::{BlockId, SignalKey};

/// Lanes that are written out.
const MOST: usize = 6;

/// Shows nothing where no step is done, or its values are not here yet.
pub fn show_ui(ui: &mut Ui, run: &RunSession, path: &[BlockId], block: BlockId, outputs: &[std::sync::Arc<str>]) {
    let Some(step) = run.shown_step() else { return };
    let view = run.seen().filter(|view| view.step == step);
    let mut rows: Vec<(String, String)> = Vec::new();
    for output in outputs {
        if let Some(values) = run.value(&SignalKey::new(path, block, output)) {
            rows.push((output.to_string(), text_of(&values)));
        }
    }
    let states = view.map(|view| view.states(path, block)).unwrap_or_default();
    let count = states.len();
    for (number, (kind, values)) in states.into_iter().enumerate() {
        let name = match kind {
            StateKind::Discrete => "State",
            StateKind::Continuous => "Integrated state",
            StateKind::History { .. } => "History",
        };
        let name = if count > 1 { format!("{name} {}", number + 1) } else { name.to_owned() };
        rows.push((name, text_of(values)));
    }
    if rows.is_empty() {
        return;
    }
    widgets::section_ui(ui, &format!("In step {}", numbers::grouped(step)));
    let theme = theme_of(ui.ctx());
    for (name, value) in rows {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 19.0), Sense::hover());
        response.widget_info(|| {
            eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Label, true, format!("{name} is {value}"))
        });
        let (left, right) = rect.split_left_right_at_fraction(0.45);
        let left = Rect::from_min_max(left.min, left.max - vec2(4.0, 0.0));
        widgets::text_in(ui, left, &name, style::plain(TEXT_SMALL + 0.5), theme.text_weak);
        widgets::text_in(ui, right, &value, eframe::egui::FontId::monospace(TEXT_SMALL), theme.text);
    }
}

fn text_of(values: &[f64]) -> String {
    let shown: Vec<String> = values.iter().take(MOST).map(|value| numbers::digits(*value, 6)).collect();
    let rest = if values.len() > MOST { " …" } else { "" };
    shown.join(" ") + rest
}
