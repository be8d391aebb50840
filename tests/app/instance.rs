//! A file that is opened while a window is there goes to that window.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use simulate::app::store::instance::{Instance, hand_over};

/// The next file, waited for.
fn next(instance: &Instance, heard: &crossbeam_channel::Receiver<()>) -> Option<PathBuf> {
    heard.recv_timeout(std::time::Duration::from_secs(10)).ok()?;
    instance.poll()
}

#[test]
fn a_running_program_takes_files() {
    let home = tempfile::tempdir().unwrap();
    assert!(!hand_over(home.path(), Path::new("a.simx")), "nobody is there");
    let (sender, heard) = crossbeam_channel::unbounded();
    let instance = Instance::listen(home.path(), move || sender.send(()).unwrap()).unwrap();
    assert!(Instance::listen(home.path(), || {}).is_none(), "there is one already");
    for name in ["a.simx", "/tmp/ünï code.simx"] {
        assert!(hand_over(home.path(), Path::new(name)));
        assert_eq!(next(&instance, &heard).unwrap(), std::path::absolute(name).unwrap());
    }
    drop(instance);
    assert!(!hand_over(home.path(), Path::new("a.simx")), "nobody is there any more");
}

/// What a program left that ended without order keeps nobody from being the next.
#[test]
fn an_address_where_nobody_listens_is_no_program() {
    let home = tempfile::tempdir().unwrap();
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    std::fs::write(home.path().join("running"), format!("{dead} 00\n")).unwrap();
    assert!(!hand_over(home.path(), Path::new("a.simx")));
    let instance = Instance::listen(home.path(), || {}).unwrap();
    assert!(hand_over(home.path(), Path::new("a.simx")));
    drop(instance);
}

#[test]
fn strangers_are_not_heard() {
    let home = tempfile::tempdir().unwrap();
    let instance = Instance::listen(home.path(), || {}).unwrap();
    let line = std::fs::read_to_string(home.path().join("running")).unwrap();
    let (port, secret) = line.trim().split_once(' ').unwrap();
    assert_eq!(secret.len(), 32);
    for request in ["", "/etc/passwd", "0000\n/etc/passwd", &format!("{secret}\n"), &format!("{secret}x\n/etc/passwd")]
    {
        let mut stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert_eq!((answer, instance.poll()), (Vec::new(), None), "{request:?}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_knows_the_secret() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = tempfile::tempdir().unwrap();
    let _instance = Instance::listen(home.path(), || {}).unwrap();
    let mode = std::fs::metadata(home.path().join("running")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
