//! The options of all commands that use a pool, and the messages about its events.

use std::path::PathBuf;

use clap::Args;

use crate::pool::{Anonymous, PoolOptions};

#[cfg(feature = "pool")]
pub use news::{UNABLE, parts, say};

#[derive(Debug, Args)]
pub struct PoolArgs {
    /// The pool: addresses of NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas
    #[arg(long, value_name = "SERVERS")]
    pub pool: Option<String>,
    /// Who you are, for the pool: a file with a token and a key, as nsc writes it
    #[arg(long, value_name = "FILE", requires = "pool")]
    pub creds: Option<PathBuf>,
    /// Who you are, for the pool: a file with the seed of a key, as nk writes it
    #[arg(long, value_name = "FILE", requires = "pool", conflicts_with = "creds")]
    pub nkey: Option<PathBuf>,
    /// A file with certificates of authorities that servers of the pool may have, besides those of the system
    #[arg(long, value_name = "FILE", requires = "pool")]
    pub tls_ca: Option<PathBuf>,
    /// A file with a certificate of this computer, for the pool
    #[arg(long, value_name = "FILE", requires = "pool", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// A file with the key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Uses a pool on another computer without credentials
    #[arg(long, requires = "pool")]
    pub allow_anonymous: bool,
}

impl PoolArgs {
    /// Returns the files that are read to connect.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.creds, &self.nkey, &self.tls_ca, &self.tls_cert, &self.tls_key].into_iter().flatten()
    }

    /// Returns the options of the pool, if one is given.
    pub fn options(&self) -> Option<PoolOptions> {
        Some(PoolOptions {
            servers: self.pool.clone()?,
            creds: self.creds.clone(),
            nkey: self.nkey.clone(),
            tls_ca: self.tls_ca.clone(),
            tls_client: self.tls_cert.clone().zip(self.tls_key.clone()),
            anonymous: if self.allow_anonymous { Anonymous::Allowed } else { Anonymous::Refused },
        })
    }
}

#[cfg(feature = "pool")]
mod news {
    use std::sync::Arc;

    use indicatif::ProgressBar;

    use crate::cli::output::complain;
    use crate::components::Components;
    use crate::pool::message::SweepEntry;
    use crate::pool::{Build, LinkNews, PoolEvent, PoolParts};

    /// The reason why a pool cannot run some models.
    pub const UNABLE: &str = "it has no plug-ins, FMUs or files";

    pub fn parts(components: &Components) -> PoolParts {
        PoolParts {
            registry: Arc::clone(&components.registry),
            formats: Arc::clone(&components.formats),
            engines: components.engines.clone(),
        }
    }

    /// Reports an event of a pool. `what` is the work, and the name of its parts: a sweep of runs.
    pub fn say(event: &PoolEvent, entry: &SweepEntry, (what, parts): (&str, &str), bar: &ProgressBar) {
        let id = &entry.sweep;
        let text = match event {
            PoolEvent::Progress { workers, .. } => {
                bar.set_message(format!("{workers} workers"));
                return;
            }
            PoolEvent::Workers(_) => return,
            PoolEvent::Submitted { is_known: false } => format!("{what} {id}: {} {parts}", entry.runs),
            PoolEvent::Submitted { is_known: true } => {
                format!("{what} {id}: the pool has it, its results are collected")
            }
            PoolEvent::Refused { worker, build } => {
                let ours = Build { version: entry.version.clone(), library: entry.library.clone() };
                format!("worker {worker} is not used: it has {build}, this program {ours}")
            }
            PoolEvent::Unable { worker, reason } => format!("worker {worker} cannot run the {what}: {reason}"),
            PoolEvent::NoWorkers => {
                format!(
                    "no worker of this version is in the pool; the {what} waits (simulate sweep --cancel {id} removes it)"
                )
            }
            PoolEvent::AskedAgain(count) => format!("{count} {parts} are missing and are asked for again"),
            PoolEvent::Link(LinkNews::Connected) => "the pool is connected".to_owned(),
            PoolEvent::Link(LinkNews::Disconnected) => "the connection to the pool is lost; trying again".to_owned(),
            PoolEvent::Link(LinkNews::Problem(problem)) => format!("the pool reports: {problem}"),
        };
        bar.suspend(|| complain(&text));
    }
}
