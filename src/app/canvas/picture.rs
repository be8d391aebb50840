//! Draws the diagram alone, for an image file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use eframe::egui::{Painter, Rect, Ui, Vec2};

use super::camera::{Camera, ViewTransform};
use super::draw::{self, Detail, DrawContext, Overlay};
use super::gesture::hit::Hit;
use super::scene::BlockView;
use super::{Canvas, CanvasView, DocumentView, Selection};
use crate::app::doc::dashboard::Widget;
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::model::Simulation;

/// Draws controls and instruments, each in its rectangle, into a picture.
pub type WidgetsUi = fn(&mut Ui, &Arc<Simulation>, &Registry, &[(Rect, Widget)]);

impl Canvas {
    /// Shows the open model. `None` if no model is open.
    pub(super) fn show(&mut self, simulation: &Arc<Simulation>, registry: &Registry) -> Option<()> {
        let model = Arc::clone(self.open_model(simulation)?);
        self.scene.update(simulation, &model, registry, &BTreeMap::new());
        Some(())
    }

    /// Draws the open model at its natural size, without grid, selection and overlay. None if it is empty.
    pub fn picture(
        &mut self,
        (painter, ui): (&Painter, &mut Ui),
        simulation: &Arc<Simulation>,
        registry: &Registry,
        theme: &Theme,
        widgets_ui: WidgetsUi,
    ) -> Option<()> {
        let bounds = self.routed_bounds(simulation, registry)?;
        let screen = Rect::from_min_size(eframe::egui::Pos2::ZERO, bounds.size());
        let transform = ViewTransform { camera: Camera { center: bounds.center(), zoom: 1.0 }, screen };
        self.plain_diagram_ui((painter, transform), simulation, registry, theme);
        let offset = -bounds.min.to_vec2();
        let of = |block: &BlockView| {
            let rects: Vec<Rect> = block.widget_rects().map(|rect| rect.translate(offset)).collect();
            rects.into_iter().zip(block.widgets.clone()).collect::<Vec<_>>()
        };
        let widgets: Vec<(Rect, Widget)> = self.scene.blocks().flat_map(of).collect();
        if !widgets.is_empty() {
            widgets_ui(ui, simulation, registry, &widgets);
        }
        Some(())
    }

    /// Draws the open model into a rectangle, reduced to fit. None if it is empty.
    pub fn thumbnail_ui(
        &mut self,
        painter: &Painter,
        rect: Rect,
        simulation: &Arc<Simulation>,
        registry: &Registry,
        theme: &Theme,
    ) -> Option<()> {
        let bounds = self.routed_bounds(simulation, registry)?;
        // Lines at the border are as wide as others.
        let room = rect.size() - Vec2::splat(4.0);
        let zoom = (room.x / bounds.width()).min(room.y / bounds.height()).min(LARGEST_THUMBNAIL);
        let transform = ViewTransform { camera: Camera { center: bounds.center(), zoom }, screen: rect };
        let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
        self.plain_diagram_ui((&painter, transform), simulation, registry, theme);
        Some(())
    }

    /// Routes all wires of the open model and returns its bounds; None if it is empty.
    fn routed_bounds(&mut self, simulation: &Arc<Simulation>, registry: &Registry) -> Option<Rect> {
        self.show(simulation, registry)?;
        self.scene.route_all();
        let bounds = self.scene.bounds()?;
        // Integer sizes keep grid lines on pixels.
        Some(Rect::from_min_max(bounds.min.floor(), bounds.max.ceil()))
    }

    fn plain_diagram_ui(
        &self,
        (painter, transform): (&Painter, ViewTransform),
        simulation: &Arc<Simulation>,
        registry: &Registry,
        theme: &Theme,
    ) {
        let mut context = DrawContext { painter, transform, theme, detail: Detail::All };
        let selection = Selection::default();
        let overlay = Overlay {
            selection: &selection,
            hover: &Hit::Empty,
            watched: HashMap::new(),
            problems: HashMap::new(),
            faulty: HashSet::new(),
            hidden_wire: None,
            wiring: None,
            highlight: None,
            shows_rates: false,
            hides_grid: true,
            heat: None,
            hottest: 0.0,
            shows_values: false,
            hidden_loose: None,
        };
        let view = CanvasView::plain(DocumentView { simulation, registry }, theme);
        draw::diagram_ui(&mut context, &view, &self.scene, &overlay, &[]);
    }
}

/// Maximum zoom of a small picture.
const LARGEST_THUMBNAIL: f32 = 0.8;
