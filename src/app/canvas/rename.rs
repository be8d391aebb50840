//! A block's title edited where it stands.

use eframe::egui::{Align2, FontId, Id, Key, Rect, TextEdit, Ui, pos2, vec2};

use super::{Canvas, CanvasOutput};
use crate::model::{BlockId, BlockKind, Change, Edit, Model};

#[derive(Clone, Debug)]
pub struct Renaming {
    block: BlockId,
    text: String,
    is_new: bool,
}

impl Canvas {
    pub(super) fn begin_rename(&mut self, block: BlockId) {
        if let Some(view) = self.scene.block(block) {
            self.renaming = Some(Renaming { block, text: view.block.title().to_owned(), is_new: true });
        }
    }

    pub(super) fn rename_ui(&mut self, ui: &mut Ui, model: &Model, output: &mut CanvasOutput) {
        let lens = self.lens();
        let Some(renaming) = &mut self.renaming else { return };
        let Some(view) = self.scene.block(renaming.block) else {
            self.renaming = None;
            return;
        };
        let body = lens.rect_to_screen(view.outline.body);
        let is_inside = matches!(view.block.kind, BlockKind::Entry { .. } | BlockKind::Exit { .. });
        let middle = if is_inside { body.center() } else { pos2(body.center().x, body.bottom() + 12.0) };
        let width = (renaming.text.chars().count() as f32 * 8.0 + 28.0).clamp(90.0, 260.0);
        let place = Rect::from_center_size(middle, vec2(width, 22.0));
        let id = Id::unique("canvas title");
        let edit = TextEdit::singleline(&mut renaming.text).id(id).font(FontId::proportional(12.0));
        let response = ui.put(place, edit.align(Align2::CENTER_CENTER));
        if renaming.is_new {
            response.request_focus();
            renaming.is_new = false;
        }
        if !response.lost_focus() {
            return;
        }
        let is_given_up = ui.input(|input| input.key_pressed(Key::Escape));
        if let Some(done) = self.renaming.take()
            && !is_given_up
            && let Some(view) = self.scene.block(done.block)
            && let Some(change) = change(model, view.block.title(), &view.block.kind, &done)
        {
            output.changes.push(change);
        }
    }
}

fn change(model: &Model, old: &str, kind: &BlockKind, done: &Renaming) -> Option<Change> {
    let text = done.text.trim();
    if text == old {
        return None;
    }
    let (model, id) = (model.name.clone(), done.block);
    let label = format!("Rename {old}");
    let edit = match kind {
        BlockKind::Entry { .. } | BlockKind::Exit { .. } if text.is_empty() => return None,
        BlockKind::Entry { .. } | BlockKind::Exit { .. } => Edit::RenamePort { model, id, name: text.into() },
        // Without a title a block has its own name again.
        BlockKind::Model { model: own } | BlockKind::Library { name: own, .. } => {
            let value = (!text.is_empty() && text != &**own).then(|| text.into());
            Edit::SetBlockAttribute { model, id, name: "label".into(), value }
        }
    };
    Some(Change::one(label, edit))
}
