//! Compiles a C function with the system's compiler and calls it.

use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::path::PathBuf;
use std::process::Command;

type RunFn = extern "C" fn(*mut f64, c_long, c_long);
type LoggedFn = extern "C" fn(*mut f64, c_long, c_long, *mut f64);

/// The functions `run` and `run_logged` of a C file. They stay loaded.
pub struct Yardstick {
    run: RunFn,
    logged: LoggedFn,
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}

const NOW: c_int = 2;
const THREAD_CPU_TIME: c_int = 3;
const PROCESS_CPU_TIME: c_int = 2;

/// The processor time of this thread.
pub fn processor_seconds() -> f64 {
    seconds_of(THREAD_CPU_TIME)
}

/// The processor time of all threads.
pub fn process_seconds() -> f64 {
    seconds_of(PROCESS_CPU_TIME)
}

fn seconds_of(clock: c_int) -> f64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the structure is that of 64-bit systems.
    unsafe { clock_gettime(clock, &mut time) };
    time.seconds as f64 + time.nanoseconds as f64 * 1e-9
}

/// The processors that both are compiled for: those with rounding instructions.
#[cfg(target_arch = "x86_64")]
const MACHINE: &str = "-march=x86-64-v2";
#[cfg(not(target_arch = "x86_64"))]
const MACHINE: &str = "-mcpu=native";

impl Yardstick {
    /// Compiles with the system's compiler, `CC` or `cc`.
    pub fn new(name: &str, text: &str) -> Yardstick {
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        Yardstick::built(name, text, (&compiler, "-O3"), &[])
    }

    /// Compiles with a compiler, a level of optimisation and further options.
    pub fn built(name: &str, text: &str, (compiler, level): (&str, &str), further: &[&str]) -> Yardstick {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("family");
        std::fs::create_dir_all(&folder).expect("a folder");
        let (source, library) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
        std::fs::write(&source, text).expect("the file");
        let options = ["-std=c99", level, MACHINE, "-ffp-contract=off", "-fPIC", "-shared", "-o"];
        let made = Command::new(compiler).args(further).args(options).args([&library, &source]).arg("-lm").status();
        assert!(made.is_ok_and(|made| made.success()), "{name}.c compiles");
        let path = CString::new(library.to_str().expect("a path")).expect("a path");
        // SAFETY: the path ends with 0.
        let handle = unsafe { dlopen(path.as_ptr(), NOW) };
        assert!(!handle.is_null(), "{name}.so opens");
        // SAFETY: the name ends with 0.
        let [run, logged] = [c"run", c"run_logged"].map(|name| unsafe { dlsym(handle, name.as_ptr()) });
        assert!(!run.is_null() && !logged.is_null(), "{name}.so has the functions");
        // SAFETY: every sketch writes functions with these parameters.
        let run = unsafe { std::mem::transmute::<*mut c_void, RunFn>(run) };
        // SAFETY: as above.
        let logged = unsafe { std::mem::transmute::<*mut c_void, LoggedFn>(logged) };
        Yardstick { run, logged }
    }

    pub fn run(&self, states: &mut [f64], first: usize, count: usize) {
        (self.run)(states.as_mut_ptr(), first as c_long, count as c_long);
    }

    pub fn run_logged(&self, states: &mut [f64], first: usize, log: &mut [f64]) {
        (self.logged)(states.as_mut_ptr(), first as c_long, log.len() as c_long, log.as_mut_ptr());
    }
}
