//! Counts the allocations of a thread, the bytes that stay allocated, and the most that were at any time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

fn note(count: u64, bytes: i64) {
    // The counters of a finished thread are gone.
    let _ = COUNT.try_with(|all| all.set(all.get() + count));
    let _ = LIVE.try_with(|all| {
        all.set(all.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(all.get())));
    });
}

// SAFETY: the system allocator does all work; the counters are thread-local cells and do not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(1, size as i64 - layout.size() as i64);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the result of `f`, the number of its allocations, and the additional bytes allocated.
pub fn counted<T>(f: impl FnOnce() -> T) -> (T, u64, i64) {
    let (count, live) = (COUNT.get(), LIVE.get());
    let made = f();
    (made, COUNT.get() - count, LIVE.get() - live)
}

/// Returns the result of `f`, and the most additional bytes that this thread had allocated at any time. Calls may be
/// nested.
pub fn peaked<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let (live, outer) = (LIVE.get(), PEAK.get());
    PEAK.set(live);
    let made = f();
    let most = PEAK.get();
    PEAK.set(outer.max(most));
    (made, usize::try_from(most - live).unwrap_or(0))
}
