//! The options of commands that run model blocks in the workers of a pool.

use std::sync::Arc;

use clap::Args;

use super::pool::PoolArgs;
use crate::components::Components;
use crate::engine::{Engine, Engines, Program, RemoteBlocks, RemoteCost, RunError, RunErrorKind};
use crate::model::{BlockAddress, Simulation};

#[derive(Debug, Args)]
pub struct RemoteArgs {
    #[command(flatten)]
    pub pool: PoolArgs,
    /// Runs model blocks that name a pool on this computer, too
    #[arg(long, conflicts_with = "pool")]
    pub here: bool,
}

/// Why model blocks do not run in workers.
#[derive(Debug, thiserror::Error)]
pub enum RemoteArgsError {
    #[error(
        "the model block {block} is to run on the pool “{pool}”: say where that is with --pool, or add --here to run it on \
         this computer"
    )]
    NoPool { block: String, pool: String },
    #[error("this program was built without pools (cargo build --features pool); add --here")]
    #[cfg_attr(feature = "pool", allow(dead_code, reason = "it has pools"))]
    NoFeature,
}

impl RemoteArgs {
    /// Returns the engine for a program: the chosen one, or that for remote blocks if there are any and no engine was
    /// chosen.
    ///
    /// # Errors
    /// If there are remote blocks and nothing says where they run. Nothing is sent to a pool that only the file names.
    pub fn engine(
        &self,
        chosen: Arc<dyn Engine>,
        program: &Program,
        simulation: &Simulation,
        components: &Components,
    ) -> Result<Arc<dyn Engine>, RemoteArgsError> {
        let is_open = chosen.name() == Engines::DEFAULT;
        let remote = program.remote.as_ref().filter(|_| is_open && !self.here);
        let Some(remote) = remote else { return Ok(chosen) };
        let Some(options) = self.pool.options() else {
            let first = remote.blocks.first();
            let block =
                first.map(|first| BlockAddress::new(&first.path, first.block).text(simulation)).unwrap_or_default();
            let pool = first.map(|first| first.pool.to_string()).unwrap_or_default();
            return Err(RemoteArgsError::NoPool { block, pool });
        };
        engine_of(options, remote, components).map(|remote| {
            let engines = components.engines.with_remote(remote);
            engines.get(Engines::DEFAULT).map_or(chosen, Arc::clone)
        })
    }
}

/// Every pool that the file names is the one of the command line.
#[cfg(feature = "pool")]
fn engine_of(
    options: crate::pool::PoolOptions,
    remote: &RemoteBlocks,
    components: &Components,
) -> Result<Arc<dyn Engine>, RemoteArgsError> {
    let pools = remote.blocks.iter().map(|block| (block.pool.to_string(), options.clone())).collect();
    let patience = std::time::Duration::from_secs(15);
    let workers = crate::pool::PoolWorkers::new(pools, Arc::clone(&components.formats), patience);
    Ok(Arc::new(crate::engine::Remote::new(Arc::new(workers))))
}

#[cfg(not(feature = "pool"))]
fn engine_of(
    _: crate::pool::PoolOptions,
    _: &RemoteBlocks,
    _: &Components,
) -> Result<Arc<dyn Engine>, RemoteArgsError> {
    Err(RemoteArgsError::NoFeature)
}

/// Returns a line with the remedy for an error; `None` if the error is not about workers.
pub fn help_text(error: &RunError) -> Option<String> {
    let RunErrorKind::NoWorker { .. } = error.kind else { return None };
    let help = "start a worker (simulate worker --pool …), or add --here to run all blocks on this computer";
    Some(format!("  help: {help}; simulate explain no-worker says more"))
}

/// Returns a line about the cost of a remote block.
pub fn cost_text(cost: &RemoteCost, simulation: &Simulation) -> String {
    let (reach, compute) = cost.seconds_per_step();
    let restarts = match cost.restarts {
        0 => String::new(),
        1 => "; one worker was lost and replaced".to_owned(),
        count => format!("; {count} workers were lost and replaced"),
    };
    format!(
        "{} on {}: {:.1} exchanges a step, {:.3} ms to reach and {:.3} ms to compute{restarts}",
        BlockAddress::new(&cost.block.path, cost.block.block).text(simulation),
        cost.worker,
        cost.exchanges_per_step(),
        reach * 1e3,
        compute * 1e3
    )
}
