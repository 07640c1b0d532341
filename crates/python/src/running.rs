//! Work that Python waits for: without the interpreter's lock, and until Ctrl-C.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use nply::Error;
use nply_arena::caught;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::exception;
use crate::own::Own;

/// A flag that ends a search or a match.
pub(crate) type Stop = Arc<AtomicBool>;

/// How often signals are looked at: a fifth of the 100 ms within which Ctrl-C ends a search.
const LOOK: Duration = Duration::from_millis(20);
/// How long stopped work may take to end before it is left alone.
const GRACE: Duration = Duration::from_millis(50);
/// As much as the main thread of a command has.
const STACK: usize = 8 << 20;

thread_local! {
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Whether the work of this thread has been stopped.
pub(crate) fn is_stopped() -> bool {
    STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)))
}

/// Does `work` in a thread of its own, while other Python threads run, and calls `look` now and then. A signal whose handler raises, as
/// that of Ctrl-C does, sets `stop` and is raised here; work that does not end soon, such as building a table, goes on by itself.
///
/// An exception in the rules of a game in Python is raised as it was.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    own: Option<&Own>,
    stop: &Stop,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let failed =
        |py: Python<'_>, error: Error| own.and_then(|own| own.raised(py)).unwrap_or_else(|| exception(py, &error));
    if STOP.with_borrow(Option::is_some) {
        // Asked by an evaluation or by rules in Python, whose search looks at signals.
        return py.detach(|| caught(work)).map_err(|error| failed(py, error));
    }
    let (sender, mut receiver) = channel();
    let flag = stop.clone();
    let work = move || {
        STOP.set(Some(flag));
        // Nobody may be waiting any more.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| caught(work))));
    };
    let started = thread::Builder::new().name("nply".into()).stack_size(STACK).spawn(work);
    started.map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    loop {
        let waited;
        (waited, receiver) = py.detach(move || (receiver.recv_timeout(LOOK), receiver));
        match waited {
            Ok(Ok(done)) => return done.map_err(|error| failed(py, error)),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the search ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(signal) = py.check_signals().and_then(|()| look(py)) {
            stop.store(true, Ordering::Relaxed);
            let _ = py.detach(move || receiver.recv_timeout(GRACE));
            return Err(signal);
        }
    }
}

/// Writes the progress of something slow, a line for each quarter.
pub(crate) fn progress(what: &str, done: f64) {
    use std::sync::atomic::AtomicU32;
    static SHOWN: AtomicU32 = AtomicU32::new(u32::MAX);
    let quarter = (done.clamp(0.0, 1.0) * 4.0) as u32;
    if SHOWN.swap(quarter, Ordering::Relaxed) != quarter {
        eprintln!("{what}: {} %", quarter * 25);
    }
}
