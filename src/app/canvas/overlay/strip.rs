//! Buttons that arrange several selected blocks, at an edge of the diagram while more than one is selected.

use eframe::egui::{CornerRadius, Frame, Layout, Margin, Rect, Stroke, Ui, UiBuilder, vec2};

use super::OverlayContext;
use crate::app::action::command::Command;
use crate::app::action::diagram_command::{Align, DiagramCommand, DistributionAxis, Size};
use crate::app::canvas::CanvasOutput;
use crate::app::ui::widgets;

/// Buttons from left to right, with gaps between groups.
const GROUPS: [&[DiagramCommand]; 5] = [
    &[DiagramCommand::Align(Align::Left), DiagramCommand::Align(Align::Centre), DiagramCommand::Align(Align::Right)],
    &[DiagramCommand::Align(Align::Top), DiagramCommand::Align(Align::Middle), DiagramCommand::Align(Align::Bottom)],
    &[DiagramCommand::Distribute(DistributionAxis::Across), DiagramCommand::Distribute(DistributionAxis::Down)],
    &[
        DiagramCommand::SameSize(Size::Width),
        DiagramCommand::SameSize(Size::Height),
        DiagramCommand::SameSize(Size::Both),
    ],
    &[DiagramCommand::Arrange, DiagramCommand::Connect],
];
const HEIGHT: f32 = 32.0;
const WIDTH: f32 = 420.0;
const GAP: f32 = 9.0;

/// Draws the buttons while several blocks are selected, if there is room for them.
pub fn strip_ui(ui: &mut Ui, context: &OverlayContext, output: &mut CanvasOutput) {
    let screen = context.transform.screen;
    let is_of_use = context.open.selection.blocks.len() > 1;
    if !is_of_use || screen.width() < WIDTH + 60.0 || screen.height() < 160.0 {
        return;
    }
    let rect = strip_rect(context);
    let theme = context.view.theme;
    let frame = Frame::new()
        .fill(theme.panel.gamma_multiply(0.97))
        .stroke(Stroke::new(1.0, theme.line))
        .corner_radius(CornerRadius::same(6))
        .inner_margin(Margin::symmetric(4, 1));
    let mut chosen = None;
    let layout = Layout::left_to_right(eframe::egui::Align::Center);
    ui.scope_builder(UiBuilder::new().max_rect(rect).layout(layout), |ui| {
        frame.show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            for (index, group) in GROUPS.iter().enumerate() {
                if index > 0 {
                    let (gap, _) = ui.allocate_exact_size(vec2(GAP, 16.0), eframe::egui::Sense::hover());
                    ui.painter().vline(gap.center().x, gap.y_range(), Stroke::new(1.0, theme.line));
                }
                for command in *group {
                    chosen = button_ui(ui, *command).or(chosen);
                }
            }
        });
    });
    output.commands.extend(chosen.map(Command::Diagram));
}

/// Places them at the upper edge, or at the lower if only that one is free of blocks.
fn strip_rect(context: &OverlayContext) -> Rect {
    let transform = context.transform;
    let screen = transform.screen;
    let size = vec2(WIDTH, HEIGHT);
    let upper = Rect::from_min_size(screen.center_top() + vec2(-WIDTH / 2.0, 8.0), size);
    let lower = Rect::from_min_size(screen.center_bottom() + vec2(-WIDTH / 2.0, -8.0 - HEIGHT), size);
    let is_free = |rect: &Rect| {
        let in_model = Rect { min: transform.to_model(rect.min), max: transform.to_model(rect.max) };
        context.open.scene.count_in(in_model, 1) == 0
    };
    [upper, lower].into_iter().find(is_free).unwrap_or(upper)
}

fn button_ui(ui: &mut Ui, command: DiagramCommand) -> Option<DiagramCommand> {
    let def = Command::Diagram(command).def()?;
    let response = widgets::icon_button_ui(ui, def.icon?, def.label);
    response.on_hover_text(def.tooltip_text(ui.ctx())).clicked().then_some(command)
}
