//! The diagrams of both states with one camera: beside each other, or over each other and blended by a slider.

use std::sync::Arc;

use eframe::egui::{self, CornerRadius, Rect, Response, Sense, Slider, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::comparison::color_of;
use crate::app::canvas::{Camera, ReadOnlyDiagram, ViewTransform, fitting};
use crate::app::ui::style;
use crate::app::ui::theme::{SPACE, TEXT_SMALL};
use crate::app::ui::widgets::{self, theme_of};
use crate::block::Registry;
use crate::diff::Section;
use crate::model::{BlockId, Simulation};

/// The height of the name above a diagram.
const NAME: f32 = 18.0;

#[derive(Default)]
pub struct DiagramsState {
    sides: [Side; 2],
    /// None until the diagrams have been seen as a whole.
    camera: Option<Camera>,
    /// The size of the screen that the camera shows the diagrams as a whole in; none once the user has moved it.
    fitted: Option<Vec2>,
    /// The opacity of the second diagram over the first, from 0 to 1; `None`: they are beside each other.
    blend: Option<f32>,
    /// The block of either state to be shown in the next frame.
    target: Option<[Option<BlockId>; 2]>,
}

/// The diagram of a state.
#[derive(Default)]
struct Side {
    diagram: ReadOnlyDiagram,
    /// The state with the shown model as its root, and what it was made of.
    shown: Option<(Arc<Simulation>, String, Arc<Simulation>)>,
}

impl Side {
    /// Returns the state with a model as its root; none if it does not have the model.
    fn of(&mut self, simulation: &Arc<Simulation>, model: Option<&str>) -> Option<Arc<Simulation>> {
        let model = simulation.model(model?)?;
        let is_known =
            self.shown.as_ref().is_some_and(|(known, name, _)| Arc::ptr_eq(known, simulation) && **name == *model.name);
        if !is_known {
            let mut alone = Simulation::clone(simulation);
            alone.root = Arc::clone(&model.name);
            self.shown = Some((Arc::clone(simulation), model.name.to_string(), Arc::new(alone)));
        }
        self.shown.as_ref().map(|(_, _, alone)| Arc::clone(alone))
    }
}

impl DiagramsState {
    /// Shows a block of either state in the next frame.
    pub fn go_to(&mut self, blocks: [Option<BlockId>; 2]) {
        self.target = Some(blocks);
    }

    /// Draws the choice between both ways of showing them.
    pub fn choice_ui(&mut self, ui: &mut Ui) {
        let mut is_blended = self.blend.is_some();
        ui.selectable_value(&mut is_blended, false, "Side by side");
        ui.selectable_value(&mut is_blended, true, "Blended");
        match (is_blended, &mut self.blend) {
            (false, blend) => *blend = None,
            (true, None) => self.blend = Some(0.5),
            (true, Some(part)) => {
                let slider = ui.add(Slider::new(part, 0.0..=1.0).show_value(false));
                let slider = slider.on_hover_text("Left: the other state; right: now");
                ui.ctx().accesskit_node_builder(slider.id, |node| node.set_label("Blend"));
            }
        }
    }

    pub fn show_ui(
        &mut self,
        ui: &mut Ui,
        section: &Section,
        (names, states): ([&str; 2], [&Arc<Simulation>; 2]),
        registry: &Registry,
    ) {
        let room = ui.available_rect_before_wrap();
        let rects = match self.blend {
            Some(_) => [room, room],
            None => {
                let (left, right) = room.split_left_right_at_fraction(0.5);
                [left.with_max_x(left.max.x - SPACE / 2.0), right.with_min_x(right.min.x + SPACE / 2.0)]
            }
        };
        let models = [section.first, section.second];
        let screens = rects.map(|rect| rect.with_min_y(rect.min.y + NAME));
        let shown = [0, 1].map(|side| self.sides[side].of(states[side], models[side]));
        self.follow(ui, &shown, screens, registry);
        self.input(ui, screens);
        let theme = theme_of(ui.ctx());
        for side in [0, 1] {
            let name = match self.blend {
                Some(_) => format!("{} → {}", names[0], names[1]),
                None => names[side].to_owned(),
            };
            let line = Rect::from_min_max(rects[side].min, pos2(rects[side].max.x, screens[side].min.y));
            if side == 0 || self.blend.is_none() {
                widgets::text_in(ui, line, &name, style::plain(TEXT_SMALL), theme.text_weak);
            }
            self.side_ui(ui, section, (side, screens[side]), shown[side].as_ref(), registry);
        }
    }

    /// Follows both states, and moves the camera where it is wanted.
    fn follow(&mut self, ui: &Ui, shown: &[Option<Arc<Simulation>>; 2], screens: [Rect; 2], registry: &Registry) {
        let visible = ViewTransform { camera: self.camera.unwrap_or_default(), screen: screens[0] }.visible();
        for (side, simulation) in self.sides.iter_mut().zip(shown) {
            if let Some(simulation) = simulation
                && side.diagram.follow(simulation, registry, visible)
                && side.diagram.is_routing()
            {
                ui.ctx().request_repaint();
            }
        }
        let is_there = |side: usize| shown[side].is_some();
        let bounds = (0..2).filter(|side| is_there(*side)).filter_map(|side| self.sides[side].diagram.bounds());
        let all = bounds.reduce(Rect::union);
        if let Some(target) = self.target.take() {
            let sides = self.sides.iter().zip(target).zip(shown).filter(|(_, shown)| shown.is_some());
            let rects = sides.filter_map(|((side, block), _)| side.diagram.rect_of(block?));
            match rects.reduce(Rect::union) {
                Some(rect) => {
                    let zoom = self.camera.map_or(1.0, |camera| camera.zoom).max(0.5);
                    self.camera = Some(Camera { center: rect.center(), zoom });
                    self.fitted = None;
                }
                // A change of the whole model.
                None => self.camera = None,
            }
        }
        if self.camera.is_none() || self.fitted.is_some_and(|size| size != screens[0].size()) {
            self.camera = all.map(|all| fitting(all, screens[0]));
            self.fitted = Some(screens[0].size());
        }
    }

    /// Pans and zooms both diagrams.
    fn input(&mut self, ui: &mut Ui, screens: [Rect; 2]) {
        let Some(mut camera) = self.camera else { return };
        let before = camera;
        let count = if self.blend.is_some() { 1 } else { 2 };
        for (number, screen) in screens.into_iter().take(count).enumerate() {
            let response = ui.interact(screen, ui.scope_id().with(("diagram", number)), Sense::click_and_drag());
            let name = ["Diagram of the other state", "Diagram now"][number];
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, name));
            moved(ui, &response, &mut camera, screen);
            if response.double_clicked() {
                self.camera = None;
                return;
            }
        }
        if (camera.center, camera.zoom) != (before.center, before.zoom) {
            self.fitted = None;
        }
        self.camera = Some(camera);
    }

    fn side_ui(
        &mut self,
        ui: &Ui,
        section: &Section,
        (number, screen): (usize, Rect),
        shown: Option<&Arc<Simulation>>,
        registry: &Registry,
    ) {
        let theme = theme_of(ui.ctx());
        let Some(camera) = self.camera else { return };
        let mut painter = ui.painter_at(screen);
        if let Some(part) = self.blend {
            painter.multiply_opacity(if number == 0 { 1.0 } else { part });
        }
        let Some(simulation) = shown else {
            if self.blend.is_none() {
                painter.rect_filled(screen, CornerRadius::same(4), theme.canvas);
                let middle = Rect::from_center_size(screen.center(), vec2(80.0, 20.0));
                widgets::text_in(ui, middle, "not there", style::plain(TEXT_SMALL), theme.text_weak);
            }
            return;
        };
        let transform = ViewTransform { camera, screen };
        let Some(side) = self.sides.get_mut(number) else { return };
        side.diagram.draw((&painter, transform), simulation, registry, theme);
        for (block, mark) in section.marks(number) {
            if let Some(rect) = side.diagram.rect_of(block) {
                let rect = transform.rect_to_screen(rect.expand(5.0));
                let stroke = Stroke::new(2.0, color_of(mark, theme));
                painter.rect_stroke(rect, CornerRadius::same(5), stroke, StrokeKind::Outside);
            }
        }
        painter.rect_stroke(screen, CornerRadius::same(4), Stroke::new(1.0, theme.line), StrokeKind::Inside);
    }
}

/// Moves the camera as the pointer does.
fn moved(ui: &Ui, response: &Response, camera: &mut Camera, screen: Rect) {
    if response.dragged() {
        camera.pan(response.drag_delta());
    }
    let Some(pointer) = response.hover_pos() else { return };
    let (scrolled, pinched) =
        ui.input_mut(|input| (std::mem::take(&mut input.smooth_scroll_delta), input.zoom_delta()));
    /// The zoom of one point of scrolling.
    const ZOOM_OF_POINT: f32 = 1.0 / 400.0;
    let factor = pinched * (scrolled.y * ZOOM_OF_POINT).exp();
    if factor != 1.0 {
        camera.zoom_at(&ViewTransform { camera: *camera, screen }, factor, pointer);
    }
}
