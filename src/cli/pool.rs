//! The options of all commands that use a pool.

use std::path::PathBuf;

use clap::Args;

use crate::pool::{Anonymous, PoolOptions};

#[derive(Debug, Args)]
pub struct PoolArgs {
    /// The pool: addresses of NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas. A sweep continues
    /// when this command is closed; the same command, or --attach, collects its results
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
