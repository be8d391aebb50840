//! Measures the time and the memory that an input takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::targets::Target;

/// The time of the processor that an input may take, in seconds.
const SECONDS: f64 = 1.0;
/// An allocation beyond this ends the program at once.
const MOST: i64 = 1 << 30;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

fn note(bytes: i64) {
    // The counters of a finished thread are gone.
    let _ = LIVE.try_with(|live| {
        let now = live.get() + bytes;
        live.set(now);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now)));
        if now > MOST {
            // A panic would allocate.
            std::process::abort();
        }
    });
}

// SAFETY: the system allocator does all work; the counters are thread-local cells and do not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as i64);
        // SAFETY: the caller's promises are those of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Runs a target on an input and checks what that took.
pub fn measured(target: &Target, data: &[u8]) {
    let before = LIVE.get();
    PEAK.set(before);
    let begin = processor_time();
    (target.run)(data);
    let seconds = processor_time() - begin;
    let peak = PEAK.get() - before;
    let most = target.memory.limit(data.len());
    assert!(peak <= most as i64, "{} bytes of input take {peak} bytes of memory, more than {most}", data.len());
    assert!(seconds <= SECONDS, "{} bytes of input take {seconds} s", data.len());
}

/// Returns the time that this thread has used a processor, in seconds; another program does not make it longer.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists, and the pointer is that of a value.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
