//! What a thread asks the memory for: how often, and how much of it stays.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

fn note(count: u64, bytes: i64) {
    // A thread that ends has nothing to be counted any more.
    let _ = COUNT.try_with(|all| all.set(all.get() + count));
    let _ = LIVE.try_with(|all| all.set(all.get() + bytes));
}

// SAFETY: everything is left to the system; the counters are plain cells of the thread and ask for no memory.
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

/// What `f` gives, how often it asked for memory, and how many bytes more there are than before.
pub fn counted<T>(f: impl FnOnce() -> T) -> (T, u64, i64) {
    let (count, live) = (COUNT.get(), LIVE.get());
    let made = f();
    (made, COUNT.get() - count, LIVE.get() - live)
}
