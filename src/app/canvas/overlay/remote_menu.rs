//! Where a model block runs: the menu that chooses it, and the text in the tooltip.

use eframe::egui::Ui;

use super::OverlayContext;
use super::menu::item;
use super::tooltip::weak_ui;
use crate::app::canvas::CanvasOutput;
use crate::app::doc::remote::{cost_of, restarts_text, verdict_text};
use crate::engine::RemoteCost;
use crate::model::{Block, BlockId, Change, Edit};

impl OverlayContext<'_> {
    /// Shows the menu with this computer and the pools of the settings.
    pub fn remote_menu_ui(&self, ui: &mut Ui, id: BlockId, output: &mut CanvasOutput) {
        let Some(block) = self.open.scene.block(id) else { return };
        let current = block.block.pool();
        if self.view.pools.is_empty() && current.is_none() {
            return;
        }
        ui.menu_button("Run on…", |ui| {
            let names = self.view.pools.iter().map(String::as_str);
            // A name that the settings do not have is shown too.
            let unknown = current.filter(|current| !self.view.pools.iter().any(|name| name == current));
            for name in std::iter::once(None).chain(names.chain(unknown).map(Some)) {
                let text = name.unwrap_or("This computer");
                let text = if name == current { format!("{text} ✔") } else { text.to_owned() };
                if item(ui, &text) && name != current {
                    output.changes.push(self.set_pool(&block.block, name));
                }
            }
        });
    }

    fn set_pool(&self, block: &Block, pool: Option<&str>) -> Change {
        let edit = Edit::SetBlockAttribute {
            model: self.open.model.name.clone(),
            id: block.id,
            name: Block::ON.into(),
            value: pool.map(Into::into),
        };
        let location = pool.map_or_else(|| "this computer".to_owned(), |pool| format!("“{pool}”"));
        Change::one(format!("Run {} on {location}", block.title()), edit)
    }

    /// Says where a model block runs, and what that costs.
    pub fn remote_text_ui(&self, ui: &mut Ui, block: &Block) {
        let Some(pool) = block.pool() else { return };
        weak_ui(ui, self.view, &format!("Runs on the pool “{pool}”"));
        if let Some(cost) = cost_of(self.view.remote_costs, self.open.path, block.id) {
            weak_ui(ui, self.view, &text_of(cost));
        }
    }
}

/// Says what a remote block costs in a step, and where it would be faster.
fn text_of(cost: &RemoteCost) -> String {
    let (reach, compute) = cost.seconds_per_step();
    let restarts = restarts_text(cost).map(|text| format!(". {text}")).unwrap_or_default();
    format!(
        "{:.1} exchanges a step with {}, {:.2} ms to reach and {:.2} ms to compute. {}{restarts}",
        cost.exchanges_per_step(),
        cost.worker,
        reach * 1e3,
        compute * 1e3,
        verdict_text(cost)
    )
}
