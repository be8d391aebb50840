//! What the code looks like, and what is refused.

use std::sync::Arc;

use simulate::block::Registry;
use simulate::engine::compile;
use simulate::export::c::{Code, Options, export};
use simulate::format::{LoadOptions, Loader as _};
use simulate::format::simx::Simx;

fn exported(text: &str, name: &str, inlines_parameters: bool) -> Result<Code, String> {
    let loaded = Simx.read(text.as_bytes(), &LoadOptions::default()).expect("it can be read");
    let program = Arc::new(compile(&loaded.simulation, &Registry::standard()).expect("it compiles"));
    let options = Options { name, is_single_file: false, inlines_parameters, params: &program.params };
    export(&program, &loaded.simulation, &options).map_err(|refusal| refusal.to_string())
}
