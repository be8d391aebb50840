//! The connection to a pool, with retries. `streams` creates the streams of a pool, `queues` transports chunks and
//! results, `stores` keeps the list of sweeps and the models.
//!
//! Every operation is tried again until it succeeds or its time is over; a stream that has vanished is created again.

use std::future::Future;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use tokio::time::{sleep, timeout};

use super::super::options::{PoolOptions, PoolTimes};
use super::error::PoolError;

/// Where workers introduce themselves.
pub(super) const GREETINGS: &str = "simulate.greeting";
/// Where workers say that they cannot compute a sweep.
pub(super) const REFUSALS: &str = "simulate.refusal";
/// Where the ids of cancelled sweeps are announced.
pub(super) const CANCELS: &str = "simulate.cancel";

/// How long one request may take before it is tried again.
pub(super) const REQUEST: Duration = Duration::from_secs(5);

/// An event of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkNews {
    Connected,
    Disconnected,
    Problem(String),
}

pub(super) struct Link {
    pub client: Client,
    pub times: PoolTimes,
    /// The addresses, for messages.
    servers: String,
    pub(super) context: jetstream::Context,
}

impl Link {
    /// Connects to a pool.
    ///
    /// # Errors
    /// If no server can be reached at this moment, or the credentials are refused.
    pub async fn connect(
        options: &PoolOptions,
        times: PoolTimes,
        tell: impl Fn(LinkNews) + Send + Sync + 'static,
    ) -> Result<Link, PoolError> {
        let addresses = options.addresses()?;
        let tell = std::sync::Arc::new(tell);
        let mut connect = ConnectOptions::new()
            .name("simulate")
            .connection_timeout(REQUEST)
            .request_timeout(Some(REQUEST))
            .ping_interval(Duration::from_secs(5))
            .reconnect_delay_callback(|attempts| Duration::from_millis((50 << attempts.min(6)).min(2000)))
            .event_callback(move |event| {
                match event {
                    Event::Connected => tell(LinkNews::Connected),
                    Event::Disconnected => tell(LinkNews::Disconnected),
                    Event::ServerError(error) => tell(LinkNews::Problem(error.to_string())),
                    _ => {}
                }
                std::future::ready(())
            });
        if let Some(path) = &options.creds {
            let opened = connect.credentials_file(path).await;
            connect = opened.map_err(|error| PoolError::File(path.clone(), error))?;
        }
        if let Some(path) = &options.nkey {
            let seed = std::fs::read_to_string(path).map_err(|error| PoolError::File(path.clone(), error))?;
            connect = connect.nkey(seed.trim().to_owned());
        }
        if let Some(path) = &options.tls_ca {
            connect = connect.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &options.tls_client {
            connect = connect.add_client_certificate(certificate.clone(), key.clone());
        }
        if addresses.iter().any(|address| address.starts_with("tls:")) {
            connect = connect.require_tls(true);
        }
        let client = connect.connect(addresses.as_slice()).await.map_err(|error| {
            let servers = addresses.join(", ");
            match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    PoolError::Credentials(servers, error.into())
                }
                _ => PoolError::Unreachable(servers, error.into()),
            }
        })?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(REQUEST);
        Ok(Link { client, times, servers: addresses.join(", "), context })
    }

    /// Tries an operation until it succeeds, for at most `patience`. Between the attempts missing streams are made.
    pub(super) async fn insist<T, F: Future<Output = Result<T, PoolError>>>(
        &self,
        what: &'static str,
        patience: Duration,
        operation: impl FnMut() -> F,
    ) -> Result<T, PoolError> {
        self.insist_for(REQUEST * 2, what, patience, operation).await
    }

    /// The same with the longest time of an attempt.
    pub(super) async fn insist_for<T, F: Future<Output = Result<T, PoolError>>>(
        &self,
        attempt: Duration,
        what: &'static str,
        patience: Duration,
        mut operation: impl FnMut() -> F,
    ) -> Result<T, PoolError> {
        let begin = tokio::time::Instant::now();
        let mut pause = Duration::from_millis(50);
        loop {
            let failed = match timeout(attempt, operation()).await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => error,
                Err(_) => PoolError::Late(what, attempt.as_secs()),
            };
            if begin.elapsed() > patience {
                return Err(failed);
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
            // An error of the streams is reported by the next attempt.
            let _ = timeout(REQUEST * 2, self.make_streams()).await;
        }
    }

    /// Creates the missing parts of a pool.
    ///
    /// # Errors
    /// If the server cannot do that within some time: it has no JetStream, or no leader.
    pub async fn prepare(&self) -> Result<(), PoolError> {
        self.prepare_within(Duration::from_secs(30)).await
    }

    /// The same with the time for which it is tried again.
    pub async fn prepare_within(&self, patience: Duration) -> Result<(), PoolError> {
        self.insist("keep sweeps", patience, || self.make_streams()).await
    }

    /// Returns an error if there is no connection at this moment.
    pub fn check(&self) -> Result<(), PoolError> {
        match self.client.connection_state() {
            State::Connected => Ok(()),
            _ => Err(PoolError::Lost(self.servers.clone())),
        }
    }
}
