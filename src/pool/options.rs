//! The address of a pool, and the credentials for it.

use std::path::PathBuf;
use std::time::Duration;

/// How to reach a pool.
#[derive(Clone, Debug, Default)]
pub struct PoolOptions {
    /// Addresses of servers, separated by commas: `nats://host:4222`, or `tls://host:4222`.
    pub servers: String,
    /// A file with a user's token and key, as `nsc` writes it.
    pub creds: Option<PathBuf>,
    /// A file with the seed of a user's key.
    pub nkey: Option<PathBuf>,
    /// A file with the certificates of authorities that are trusted besides those of the system.
    pub tls_ca: Option<PathBuf>,
    /// Files with a certificate of this client, and its key.
    pub tls_client: Option<(PathBuf, PathBuf)>,
    /// Whether another computer may be used without credentials.
    pub anonymous: Anonymous,
}

/// Whether another computer may be used without credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    #[default]
    Refused,
    Allowed,
}

/// Why the options of a pool are refused: a sentence without a full stop.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolOptionsError {
    #[error("{0}: expected nats://HOST:PORT or tls://HOST:PORT, several separated by commas")]
    Address(String),
    #[error("{0}: a password in an address can be seen by all; write it to a file and use --creds or --nkey")]
    Password(String),
    #[error(
        "{0} is another computer, and everybody who reaches it could read and change the sweep: use --creds or --nkey, or \
         --allow-anonymous if the network is trusted"
    )]
    NoCredentials(String),
    #[error("--creds and --nkey are two ways of saying who you are: use one")]
    Both,
}

impl PoolOptions {
    /// Returns the addresses of the servers.
    ///
    /// # Errors
    /// If one is malformed, has a password, or is another computer and there are no credentials.
    pub fn addresses(&self) -> Result<Vec<String>, PoolOptionsError> {
        let addresses: Vec<String> = self.servers.split(',').map(|address| address.trim().to_owned()).collect();
        if self.creds.is_some() && self.nkey.is_some() {
            return Err(PoolOptionsError::Both);
        }
        for address in &addresses {
            let host = host_of(address).ok_or_else(|| PoolOptionsError::Address(address.clone()))?;
            if host.contains('@') {
                return Err(PoolOptionsError::Password(host.rsplit('@').next().unwrap_or_default().to_owned()));
            }
            let is_known = self.creds.is_some() || self.nkey.is_some() || self.tls_client.is_some();
            if !is_known && !is_loopback(host) && self.anonymous == Anonymous::Refused {
                return Err(PoolOptionsError::NoCredentials(host.to_owned()));
            }
        }
        Ok(addresses)
    }
}

/// Returns the host of an address, without its port.
fn host_of(address: &str) -> Option<&str> {
    let rest = address.strip_prefix("nats://").or_else(|| address.strip_prefix("tls://"))?;
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let host = match rest.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => port.parse::<u16>().ok().map(|_| host)?,
        _ => rest,
    };
    let is_plain = !host.is_empty() && !host.contains(['/', ' ', '?', '#']);
    is_plain.then_some(host)
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Returns the name of this computer.
pub fn host_name() -> String {
    let known = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let known = known.or_else(|| std::env::var("HOSTNAME").or_else(|_| std::env::var("COMPUTERNAME")).ok());
    known.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

/// The times of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolTimes {
    /// A chunk goes to another worker when its own has been silent for this long.
    pub ack_wait: Duration,
    /// Missing runs are requested again when no worker has reported for this long.
    pub quiet: Duration,
    /// How long a chunk is to take.
    pub chunk: Duration,
}

impl Default for PoolTimes {
    fn default() -> PoolTimes {
        let seconds = Duration::from_secs;
        PoolTimes { ack_wait: seconds(30), quiet: seconds(20), chunk: seconds(2) }
    }
}

impl PoolTimes {
    /// The variable of the environment with the three times in milliseconds, for tests.
    pub const VARIABLE: &str = "SIMULATE_POOL_TIMES";

    /// Returns the times that the environment says, else the usual ones.
    pub fn of_environment() -> PoolTimes {
        let text = std::env::var(PoolTimes::VARIABLE).unwrap_or_default();
        let numbers: Vec<u64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        match numbers[..] {
            [ack_wait, quiet, chunk] => {
                let [ack_wait, quiet, chunk] = [ack_wait, quiet, chunk].map(|ms| Duration::from_millis(ms.max(10)));
                PoolTimes { ack_wait, quiet, chunk }
            }
            _ => PoolTimes::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(servers: &str, expected: Result<usize, PoolOptionsError>) {
        let options = PoolOptions { servers: servers.to_owned(), ..PoolOptions::default() };
        assert_eq!(options.addresses().map(|addresses| addresses.len()), expected, "{servers}");
    }

    #[test]
    fn another_computer_needs_credentials() {
        check("nats://127.0.0.1:4222", Ok(1));
        check("nats://localhost:4222, nats://[::1]:4223,tls://127.0.0.2", Ok(3));
        check("nats://pool.example:4222", Err(PoolOptionsError::NoCredentials("pool.example".to_owned())));
        check("nats://127.0.0.1:4222,nats://10.0.0.1", Err(PoolOptionsError::NoCredentials("10.0.0.1".to_owned())));
        check("nats://localhost.example", Err(PoolOptionsError::NoCredentials("localhost.example".to_owned())));
        check("nats://me:secret@localhost", Err(PoolOptionsError::Address("nats://me:secret@localhost".to_owned())));
        check("nats://secret@localhost", Err(PoolOptionsError::Password("localhost".to_owned())));
        for malformed in ["", "localhost", "http://localhost", "nats://", "nats://localhost:99999", "nats://a b"] {
            check(malformed, Err(PoolOptionsError::Address(malformed.to_owned())));
        }
        let allowed =
            PoolOptions { servers: "nats://10.0.0.1".into(), anonymous: Anonymous::Allowed, ..Default::default() };
        assert_eq!(allowed.addresses(), Ok(vec!["nats://10.0.0.1".to_owned()]));
    }
}
