//! Who may use a pool.

use super::{DECAY, Pool, wait_until};

/// A seed and the public key of it.
const SEED: &str = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
const KEY: &str = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
const OTHER: &str = "SUAGMJH5XLGZKQQWAWKRZJIGMOU4HPFUYLXJMXOO5NLFEO2OOQJ5LPRDPM";

#[test]
fn another_computer_needs_credentials() {
    let folder = crate::cli::folder(&[("d.simx", DECAY)]);
    let args = ["sweep", "d.simx", "--vary", "begin=1,2", "--pool", "nats://192.0.2.1:4222"];
    let outcome = crate::cli::simulate(folder.path(), &args);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("192.0.2.1 is another computer"), "{}", outcome.err);
    let outcome = crate::cli::simulate(folder.path(), &["worker", "--pool", "nats://192.0.2.1:4222"]);
    assert!(outcome.err.contains("192.0.2.1 is another computer"), "{}", outcome.err);
}

#[test]
fn only_the_right_key_opens_a_pool() {
    needs_server!();
    let config = format!("authorization {{ users = [ {{ nkey: {KEY} }} ] }}");
    let files = [("d.simx", DECAY), ("right.nk", SEED), ("wrong.nk", OTHER)];
    let mut pool = Pool::start(&files, &config, 0);
    let args = ["d.simx", "--vary", "begin=1,2", "-q"];
    for more in [&[][..], &["--nkey", "wrong.nk"]] {
        let outcome = pool.sweep(&[&args[..], more].concat());
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.contains("refuses these credentials"), "{}", outcome.err);
    }
    // A worker with a wrong key ends, too.
    pool.add_worker(&["--nkey", "wrong.nk"]);
    assert_eq!(pool.workers.wait(0), Some(1));
    pool.add_worker(&["--nkey", "right.nk"]);
    wait_until("the worker has joined", || pool.worker_log(1).contains("has joined"));
    let outcome = pool.sweep(&[&args[..], &["--nkey", "right.nk"]].concat());
    assert_eq!((outcome.code, outcome.out), (0, pool.local(&args).out), "{}", outcome.err);
}

/// A token and a key of a user, in a file as `nsc` writes it, on a server with an operator and accounts.
#[test]
fn credentials_of_an_account_open_a_pool() {
    needs_server!();
    let [right, wrong] = [include_str!("keys/right.creds"), include_str!("keys/wrong.creds")];
    let cut = right.split("-----BEGIN USER NKEY SEED").next().unwrap();
    let files = [("d.simx", DECAY), ("right.creds", right), ("wrong.creds", wrong), ("cut.creds", cut)];
    let mut pool = Pool::start(&files, include_str!("keys/operator.conf"), 0);
    let args = ["d.simx", "--vary", "begin=1,2", "-q"];
    let refused = [
        (&[][..], "refuses these credentials"),
        (&["--creds", "wrong.creds"], "refuses these credentials"),
        (&["--creds", "cut.creds"], "cut.creds"),
        (&["--creds", "none.creds"], "none.creds"),
    ];
    for (more, what) in refused {
        let outcome = pool.sweep(&[&args[..], more].concat());
        assert_eq!(outcome.code, 1, "{more:?}");
        assert!(outcome.err.contains(what), "{more:?}: {}", outcome.err);
        // Neither tokens nor keys are printed.
        assert!(!outcome.err.contains("SU") && !outcome.err.contains("eyJ"), "{}", outcome.err);
    }
    pool.add_worker(&["--creds", "right.creds"]);
    wait_until("the worker has joined", || pool.worker_log(0).contains("has joined"));
    let outcome = pool.sweep(&[&args[..], &["--creds", "right.creds"]].concat());
    assert_eq!((outcome.code, outcome.out), (0, pool.local(&args).out), "{}", outcome.err);
}

/// Runs a model with a block in a worker.
fn run_block(pool: &Pool, address: &str, more: &[&str]) -> crate::cli::Outcome {
    let args = [&["run", "m.simx", "--format", "json", "--pool", address], more].concat();
    crate::cli::simulate(pool.folder.path(), &args)
}

/// Credentials are those of the run as well as of the worker: a block goes nowhere without them, and nothing of them is
/// printed.
#[test]
fn credentials_of_an_account_open_a_pool_for_blocks() {
    needs_server!();
    let [right, wrong] = [include_str!("keys/right.creds"), include_str!("keys/wrong.creds")];
    let files = [("m.simx", &*super::blocks::file(20, "rk4")), ("right.creds", right), ("wrong.creds", wrong)];
    let mut pool = Pool::start(&files, include_str!("keys/operator.conf"), 0);
    pool.add_worker(&["--creds", "right.creds"]);
    wait_until("the worker has joined", || pool.worker_log(0).contains("has joined"));
    for more in [&[][..], &["--creds", "wrong.creds"]] {
        let outcome = run_block(&pool, &pool.address(), more);
        assert_eq!(outcome.code, 1, "{more:?}: {}", outcome.err);
        assert!(outcome.err.contains("refuses these credentials"), "{more:?}: {}", outcome.err);
        assert!(!outcome.err.contains("SU") && !outcome.err.contains("eyJ"), "{}", outcome.err);
    }
    let here = crate::cli::simulate(pool.folder.path(), &["run", "m.simx", "--format", "json", "--here"]);
    let there = run_block(&pool, &pool.address(), &["--creds", "right.creds"]);
    assert_eq!(there.code, 0, "{}", there.err);
    let exits = |out: &str| serde_json::from_str::<serde_json::Value>(out).unwrap()["exits"].clone();
    assert_eq!(exits(&there.out), exits(&here.out));
}

/// A server that asks for a certificate of each client: of the worker, and of the run.
#[test]
fn blocks_are_sent_over_tls_to_a_server_that_is_trusted() {
    needs_server!();
    let keys = certificates();
    let path = |name: &str| keys.path().join(name).display().to_string();
    let [cert, key, ca] = ["server.pem", "server.key", "ca.pem"].map(path);
    let config = format!("tls {{ cert_file: {cert:?}, key_file: {key:?}, ca_file: {ca:?}, verify: true }}");
    let mut pool = Pool::start(&[("m.simx", &super::blocks::file(20, "rk4"))], &config, 0);
    let own = ["--tls-ca", &ca, "--tls-cert", &path("client.pem"), "--tls-key", &path("client.key")];
    let address = pool.address().replace("nats:", "tls:");
    pool.add_worker_at(&address, &own);
    wait_until("the worker has joined", || pool.worker_log(0).contains("has joined"));
    let strange = run_block(&pool, &address, &[]);
    assert_eq!(strange.code, 1);
    assert!(strange.err.contains("invalid peer certificate"), "{}", strange.err);
    let unknown = run_block(&pool, &address, &["--tls-ca", &ca]);
    assert!(unknown.err.contains("no server of the pool can be reached"), "{}", unknown.err);
    let there = run_block(&pool, &address, &own);
    assert_eq!(there.code, 0, "{}", there.err);
    assert_eq!(there.err.matches(" exchanges a step, ").count(), 2, "{}", there.err);
}

/// Runs openssl in a folder.
#[track_caller]
fn openssl(folder: &std::path::Path, line: &str) {
    let output = std::process::Command::new("openssl").current_dir(folder).args(line.split(' ')).output();
    let output = output.expect("openssl is not installed: apt-get install openssl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Makes an authority, and certificates of a server and of a client that it has signed.
fn certificates() -> tempfile::TempDir {
    let keys = crate::cli::folder(&[("names", "subjectAltName=IP:127.0.0.1\n")]);
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(keys.path(), &format!("req -x509 {new} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"));
    for name in ["server", "client"] {
        openssl(keys.path(), &format!("req {new} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
        let signed = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names";
        openssl(keys.path(), &format!("x509 -req -in {name}.csr -out {name}.pem {signed}"));
    }
    keys
}

/// Lists the sweeps of a pool over TLS.
fn list(pool: &Pool, more: &[&str]) -> crate::cli::Outcome {
    let address = pool.address().replace("nats:", "tls:");
    let args = [&["sweep", "--list", "--pool", &address], more].concat();
    crate::cli::simulate(pool.folder.path(), &args)
}

const EMPTY: (i32, &str) = (0, "0 sweeps\n0 workers\n");

#[test]
fn tls_needs_an_authority_that_is_trusted() {
    needs_server!();
    let keys = certificates();
    let path = |name: &str| keys.path().join(name).display().to_string();
    let config = format!("tls {{ cert_file: {:?}, key_file: {:?} }}", path("server.pem"), path("server.key"));
    let pool = Pool::start(&[("d.simx", DECAY)], &config, 0);
    let outcome = list(&pool, &[]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("invalid peer certificate"), "{}", outcome.err);
    let outcome = list(&pool, &["--tls-ca", &path("ca.pem")]);
    assert_eq!((outcome.code, &*outcome.out), EMPTY, "{}", outcome.err);
    // What is no certificate is no trust.
    let outcome = list(&pool, &["--tls-ca", &path("names")]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
}

/// A server that asks for a certificate of each client.
#[test]
fn a_certificate_of_this_computer_opens_a_pool() {
    needs_server!();
    let keys = certificates();
    let path = |name: &str| keys.path().join(name).display().to_string();
    let [cert, key, ca] = ["server.pem", "server.key", "ca.pem"].map(path);
    let config = format!("tls {{ cert_file: {cert:?}, key_file: {key:?}, ca_file: {ca:?}, verify: true }}");
    let pool = Pool::start(&[("d.simx", DECAY)], &config, 0);
    let outcome = list(&pool, &["--tls-ca", &ca]);
    assert_eq!(outcome.code, 1, "{}", outcome.out);
    assert!(outcome.err.contains("no server of the pool can be reached"), "{}", outcome.err);
    let own = ["--tls-ca", &ca, "--tls-cert", &path("client.pem"), "--tls-key", &path("client.key")];
    let outcome = list(&pool, &own);
    assert_eq!((outcome.code, &*outcome.out), EMPTY, "{}", outcome.err);
}
