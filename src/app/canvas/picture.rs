//! Draws the diagram alone, for an image file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use eframe::egui::{Painter, Rect, Ui};

use super::camera::{Camera, ViewTransform};
use super::draw::{self, Detail, DrawContext, Overlay};
use super::hit::Hit;
use super::scene::BlockView;
use super::{Canvas, CanvasView, DocumentView, Selection};
use crate::app::doc::dashboard::Widget;
use crate::app::ui::theme::Theme;
use crate::block::Registry;
use crate::model::Simulation;

/// Draws controls and instruments, each in its rectangle, into a picture.
pub type WidgetsUi = fn(&mut Ui, &Arc<Simulation>, &Registry, &[(Rect, Widget)]);

impl Canvas {
    /// Shows the open model. None if there is none.
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
        self.show(simulation, registry)?;
        self.scene.route_all();
        let bounds = self.scene.bounds()?;
        // Integer sizes keep grid lines on pixels.
        let bounds = Rect::from_min_max(bounds.min.floor(), bounds.max.ceil());
        let screen = Rect::from_min_size(eframe::egui::Pos2::ZERO, bounds.size());
        let transform = ViewTransform { camera: Camera { center: bounds.center(), zoom: 1.0 }, screen };
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
}
