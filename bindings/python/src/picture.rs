//! Pictures of diagrams, and their automatic layout.

use pyo3::prelude::*;

use crate::errors::Kind;
use crate::model::ModelCore;

/// Returns a model as the text of an .svg file; none if it is empty.
#[pyfunction]
#[cfg(feature = "picture")]
pub fn svg(py: Python<'_>, core: &ModelCore, model: &str) -> PyResult<Option<String>> {
    use simulate::app::canvas::capture;
    use simulate::app::drawing::Part;
    use simulate::app::panels::dashboard::picture_ui;

    let state = core.lock(py);
    let (simulation, registry) = (state.simulation().clone(), state.registry().clone());
    drop(state);
    let known = simulation.model(model).ok_or_else(|| Kind::Edit.of(py, format!("there is no model “{model}”")))?;
    let part = Part { model: known.name.clone(), blocks: None };
    Ok(py.detach(|| capture(&simulation, &registry, &part, picture_ui).map(|drawing| drawing.to_svg())))
}

/// Lays out all blocks of a model along their wires; returns whether any has moved.
#[pyfunction]
#[cfg(feature = "picture")]
pub fn arrange(py: Python<'_>, core: &ModelCore, model: &str) -> PyResult<bool> {
    use simulate::app::canvas::arranged;

    let mut state = core.lock(py);
    let (simulation, registry) = (state.simulation().clone(), state.registry().clone());
    let known = simulation.model(model).ok_or_else(|| Kind::Edit.of(py, format!("there is no model “{model}”")))?;
    let Some(change) = arranged(&simulation, &registry, &known.name) else { return Ok(false) };
    state.document().apply(&change).map_err(|error| Kind::Edit.of(py, error))?;
    Ok(true)
}

#[pyfunction]
#[cfg(not(feature = "picture"))]
pub fn svg(py: Python<'_>, _core: &ModelCore, _model: &str) -> PyResult<Option<String>> {
    Err(Kind::Engine.of(py, "this wheel was built without pictures"))
}

#[pyfunction]
#[cfg(not(feature = "picture"))]
pub fn arrange(_py: Python<'_>, _core: &ModelCore, _model: &str) -> PyResult<bool> {
    Ok(false)
}
