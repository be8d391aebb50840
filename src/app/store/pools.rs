//! The pools of computers that a user has set up, and the observed state of one.
//!
//! Names, addresses and the paths of credentials are in the user's settings, never in a simulation.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::pool::message::{SweepEntry, WorkerGreeting};
use crate::pool::{Anonymous, PoolOptions, PoolOptionsError};

/// A pool in the settings. Texts are as typed; an empty path means that there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolSetting {
    pub name: String,
    /// As in [`PoolOptions::servers`].
    pub servers: String,
    /// A file with a user's token and key.
    pub creds: String,
    /// A file with the seed of a user's key.
    pub nkey: String,
    /// A file with certificates of authorities.
    pub tls_ca: String,
    /// Files with a certificate of this computer, and its key.
    pub tls_cert: String,
    pub tls_key: String,
    /// Another computer may be used without credentials.
    pub is_anonymous: bool,
}

/// A file that a pool in the settings names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolFile {
    Credentials,
    Key,
    Authority,
    Certificate,
    CertificateKey,
}

impl PoolFile {
    /// Returns the usual extensions of such files; others are allowed too.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            PoolFile::Credentials => &["creds"],
            PoolFile::Key => &["nk"],
            PoolFile::Authority | PoolFile::Certificate => &["pem", "crt", "cer"],
            PoolFile::CertificateKey => &["key", "pem"],
        }
    }
}

/// Why a pool cannot be used as it is set: a sentence without a full stop.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolSettingError {
    #[error("Give the pool a name")]
    NoName,
    #[error("Another pool has the name “{0}”")]
    Twice(String),
    #[error("A certificate and its key belong together: choose both files")]
    HalfCertificate,
    #[error("Choose a credentials file or a key file, not both")]
    Both,
    #[error(
        "{0} is another computer, and everybody who reaches it could read and change the sweep: choose a credentials or key \
         file, or allow the pool without them if the network is trusted"
    )]
    NoCredentials(String),
    #[error("A password in an address can be seen by all: remove it, and choose a credentials or key file for {0}")]
    Password(String),
    #[error("“{0}” is not an address: expected nats://HOST:PORT or tls://HOST:PORT, several separated by commas")]
    Address(String),
}

impl From<PoolOptionsError> for PoolSettingError {
    fn from(error: PoolOptionsError) -> PoolSettingError {
        match error {
            PoolOptionsError::Address(address) => PoolSettingError::Address(address),
            PoolOptionsError::Password(host) => PoolSettingError::Password(host),
            PoolOptionsError::NoCredentials(host) => PoolSettingError::NoCredentials(host),
            PoolOptionsError::Both => PoolSettingError::Both,
        }
    }
}

impl PoolSetting {
    /// Returns the text of a file's path.
    pub fn file_mut(&mut self, file: PoolFile) -> &mut String {
        match file {
            PoolFile::Credentials => &mut self.creds,
            PoolFile::Key => &mut self.nkey,
            PoolFile::Authority => &mut self.tls_ca,
            PoolFile::Certificate => &mut self.tls_cert,
            PoolFile::CertificateKey => &mut self.tls_key,
        }
    }

    /// Returns how to reach the pool.
    pub fn options(&self) -> PoolOptions {
        let path = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(PathBuf::from);
        PoolOptions {
            servers: self.servers.trim().to_owned(),
            creds: path(&self.creds),
            nkey: path(&self.nkey),
            tls_ca: path(&self.tls_ca),
            tls_client: path(&self.tls_cert).zip(path(&self.tls_key)),
            anonymous: if self.is_anonymous { Anonymous::Allowed } else { Anonymous::Refused },
        }
    }

    /// Checks the settings of the pool, without connecting to it.
    ///
    /// # Errors
    /// If something is missing, malformed or contradictory.
    pub fn check(&self) -> Result<(), PoolSettingError> {
        if self.name.trim().is_empty() {
            return Err(PoolSettingError::NoName);
        }
        if self.tls_cert.trim().is_empty() != self.tls_key.trim().is_empty() {
            return Err(PoolSettingError::HalfCertificate);
        }
        self.options().addresses()?;
        Ok(())
    }
}

/// Checks the settings of all pools, and that their names differ.
///
/// # Errors
/// The first error, with the number of its pool.
pub fn check_all(pools: &[PoolSetting]) -> Result<(), (usize, PoolSettingError)> {
    for (number, pool) in pools.iter().enumerate() {
        pool.check().map_err(|error| (number, error))?;
        let mut before = pools.iter().take(number);
        if before.any(|other| other.name.trim() == pool.name.trim()) {
            return Err((number, PoolSettingError::Twice(pool.name.trim().to_owned())));
        }
    }
    Ok(())
}

/// The observed state of a pool.
#[derive(Clone, Debug, Default)]
pub enum PoolSeen {
    #[default]
    Connecting,
    Listed {
        /// The sweeps, each with the number of its chunks that are queued or being computed.
        sweeps: Vec<(SweepEntry, usize)>,
        workers: Vec<WorkerGreeting>,
    },
    /// Why it cannot be asked: sentences for the user.
    Failed(String),
}

/// Returns the problem with a pool and its remedy, for the user.
#[cfg(feature = "pool")]
pub fn told(error: crate::pool::PoolError) -> String {
    use crate::pool::PoolError;

    let text = match error {
        PoolError::Options(error) => PoolSettingError::from(error).to_string(),
        error @ PoolError::Unreachable(..) => {
            format!("{error}. Look whether nats-server runs there, and whether the address in Pools… is right")
        }
        error @ PoolError::Credentials(..) => format!("{error}. Choose another credentials or key file in Pools…"),
        error @ (PoolError::Queue("make a stream" | "keep sweeps", _) | PoolError::Late("keep sweeps", _)) => {
            format!("{error}. The server needs JetStream: nats-server --jetstream")
        }
        PoolError::NoSweep(id) => {
            format!("The pool no longer has the sweep {id}: it has ended, or somebody cancelled it")
        }
        PoolError::Unable { worker, reason } => format!(
            "No worker of the pool can run the sweep. {worker}: {reason}. The pool keeps it: start a worker that can, and attach \
             to the sweep"
        ),
        error => error.to_string(),
    };
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: impl FnOnce(&mut PoolSetting), expected: Result<(), PoolSettingError>) {
        let mut pool =
            PoolSetting { name: "lab".to_owned(), servers: " nats://127.0.0.1:4222 ".to_owned(), ..Default::default() };
        change(&mut pool);
        assert_eq!(pool.check(), expected, "{pool:?}");
    }

    #[test]
    fn what_is_missing_is_said_in_words_of_the_window() {
        check(|_| (), Ok(()));
        check(|pool| pool.name = " ".to_owned(), Err(PoolSettingError::NoName));
        check(|pool| pool.tls_key = "a.key".to_owned(), Err(PoolSettingError::HalfCertificate));
        check(|pool| pool.servers = "lab".to_owned(), Err(PoolSettingError::Address("lab".to_owned())));
        let far = |pool: &mut PoolSetting| pool.servers = "nats://lab.example:4222".to_owned();
        check(far, Err(PoolSettingError::NoCredentials("lab.example".to_owned())));
        check(
            |pool| {
                far(pool);
                pool.creds = "me.creds".to_owned();
            },
            Ok(()),
        );
        check(
            |pool| (pool.creds, pool.nkey) = ("me.creds".to_owned(), "me.nk".to_owned()),
            Err(PoolSettingError::Both),
        );
        let pool = PoolSetting { name: "a".into(), servers: "nats://localhost".into(), ..Default::default() };
        let twice = check_all(&[pool.clone(), PoolSetting { name: "a ".into(), ..pool }]);
        assert_eq!(twice, Err((1, PoolSettingError::Twice("a".to_owned()))));
    }
}
