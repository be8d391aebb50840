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

/// Runs openssl in a folder.
#[track_caller]
fn openssl(folder: &std::path::Path, line: &str) {
    let output = std::process::Command::new("openssl").current_dir(folder).args(line.split(' ')).output();
    let output = output.expect("openssl is not installed: apt-get install openssl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn tls_needs_an_authority_that_is_trusted() {
    let keys = crate::cli::folder(&[("names", "subjectAltName=IP:127.0.0.1\n")]);
    let new = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(keys.path(), &format!("req -x509 {new} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority"));
    openssl(keys.path(), &format!("req {new} -keyout s.key -out s.csr -subj /CN=server"));
    openssl(
        keys.path(),
        "x509 -req -in s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out s.pem -days 2 -extfile names",
    );
    let path = |name: &str| keys.path().join(name).display().to_string();
    let config = format!("tls {{ cert_file: {:?}, key_file: {:?} }}", path("s.pem"), path("s.key"));
    let pool = Pool::start(&[("d.simx", DECAY)], &config, 0);
    let address = pool.address().replace("nats:", "tls:");
    let list = |more: &[&str]| {
        let args = [&["sweep", "--list", "--pool", &address], more].concat();
        crate::cli::simulate(pool.folder.path(), &args)
    };
    let outcome = list(&[]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("invalid peer certificate"), "{}", outcome.err);
    let outcome = list(&["--tls-ca", &path("ca.pem")]);
    assert_eq!((outcome.code, &*outcome.out), (0, "0 sweeps\n0 workers\n"), "{}", outcome.err);
}
