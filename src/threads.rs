//! Starts every thread of the program, with a stack that suffices for the deepest text, document or script that a check
//! accepts. A stack that overflows would end the program, with whatever was not saved; the system takes memory only for the
//! part that is used.

use std::io;
use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle, scope};

/// The stack of a thread in bytes: in a debug build the deepest recursion of a script takes an eighth of it.
pub const STACK: usize = 32 << 20;

/// The stack of a thread in bytes that only waits.
const SMALL_STACK: usize = 64 << 10;

fn deep(name: &str) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(STACK)
}

/// Starts a thread.
///
/// # Errors
/// If the system starts no further thread; `work` is then dropped.
pub fn spawn<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    deep(name).spawn(work)
}

/// Starts a thread that waits for something, and runs no code or content of others.
///
/// # Errors
/// The same as for [`spawn`].
pub fn spawn_waiting(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).stack_size(SMALL_STACK).spawn(work)
}

/// Starts a thread that ends within a scope.
///
/// # Errors
/// The same as for [`spawn`].
pub fn spawn_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    deep(name).spawn_scoped(scope, work)
}

/// Runs work on a thread of its own and waits for it: for threads that others have started, with a stack of any size, such
/// as that of `main`. A panic is passed on. If the system starts no further thread, this one does the work.
pub fn run<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> T {
    let (mut work, mut done) = (Some(work), None);
    let panicked = scope(|scope| {
        let (work, done) = (&mut work, &mut done);
        let thread = spawn_in(scope, name, move || *done = work.take().map(|work| work()));
        thread.ok().and_then(|thread| thread.join().err())
    });
    match (panicked, done, work) {
        (Some(panic), ..) => resume_unwind(panic),
        (None, Some(done), _) => done,
        (None, None, Some(work)) => work(),
        (None, None, None) => unreachable!("the work is done, or it is still there"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes at least a kilobyte of stack for each level.
    fn descend(levels: usize) -> usize {
        let room = std::hint::black_box([levels; 128]);
        if levels == 0 { 0 } else { descend(levels - 1) + usize::from(room[5] == levels) }
    }

    #[test]
    fn threads_have_room() {
        // A level takes more than a kilobyte in a debug build.
        let levels = STACK / 8192;
        assert_eq!(spawn("a", move || descend(levels)).expect("a thread").join().expect("it ends"), levels);
        assert_eq!(run("b", || descend(levels)), levels);
    }

    #[test]
    fn a_panic_is_passed_on() {
        let panic = std::panic::catch_unwind(|| run("a", || resume_unwind(Box::new(7)))).expect_err("it panics");
        assert_eq!(panic.downcast_ref::<i32>(), Some(&7));
    }
}
