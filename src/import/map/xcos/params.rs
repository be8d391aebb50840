//! Texts of dialogs, and the values with which the file was saved.

use super::super::block::Cx;
use crate::model::Block;

/// Sets an option from a text of the dialog, or from the stored value where the text is missing.
pub fn set(cx: &mut Cx, block: &mut Block, option: &str, number: usize, stored: &str) -> Result<(), String> {
    let text = text_or_stored(cx, number, stored)?;
    block.set_option(option, Some(&[text]));
    Ok(())
}

pub fn text_or_stored(cx: &mut Cx, number: usize, stored: &str) -> Result<String, String> {
    let name = format!("exprs({number})");
    if cx.text(&name).is_empty() {
        return Ok(cx.expression(stored)?.text);
    }
    Ok(cx.expression(&name)?.text)
}

/// A number that must be known, with a default where the text is missing.
pub fn number_or(cx: &mut Cx, number: usize, default: f64) -> Result<f64, String> {
    let name = format!("exprs({number})");
    if cx.text(&name).is_empty() { Ok(default) } else { cx.number(&name) }
}
