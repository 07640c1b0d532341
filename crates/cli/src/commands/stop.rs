//! Being stopped: Ctrl-C, and SIGTERM and SIGHUP, which mean the same.

use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

/// The number of the signal that Ctrl-C sends.
pub(super) const INTERRUPT: u8 = 2;

/// Whether to stop, and the signal that asked for it; 0 if none did.
static STOPPED: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicU8 = AtomicU8::new(0);
/// What is under way.
static UNDER_WAY: Mutex<Option<UnderWay>> = Mutex::new(None);

struct UnderWay {
    stop: Arc<AtomicBool>,
    wake: Box<dyn Fn() + Send>,
}

/// A flag that a signal sets; a second signal ends the program at once.
pub(super) fn listen() -> Arc<AtomicBool> {
    listen_with(|| ())
}

/// The same; `wake` is called as well, on another thread.
pub(super) fn listen_with(wake: impl Fn() + Send + 'static) -> Arc<AtomicBool> {
    static ONCE: Once = Once::new();
    let stop = Arc::new(AtomicBool::new(false));
    let under_way = UnderWay { stop: stop.clone(), wake: Box::new(wake) };
    *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = Some(under_way);
    // It may have come between two matches.
    if is_stopped() {
        stop.store(true, Ordering::Relaxed);
    }
    ONCE.call_once(handle_signals);
    stop
}

/// Stops what is under way after this time, as a signal does.
pub(super) fn stop_after(time: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        stop();
    });
}

/// Whether a signal has come, or the time is over.
pub(super) fn is_stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// The signal that has come, if any.
pub(super) fn signal() -> Option<u8> {
    Some(SIGNAL.load(Ordering::SeqCst)).filter(|&signal| signal != 0)
}

/// Stops what is under way; `true` if that was asked before.
fn stop() -> bool {
    let was_stopped = STOPPED.swap(true, Ordering::SeqCst);
    if let Some(UnderWay { stop, wake }) = &*UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) {
        stop.store(true, Ordering::Relaxed);
        wake();
    }
    was_stopped
}

fn take(signal: u8) {
    // Whoever sees that it is stopped sees by what, and the first one counts.
    let _ = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    if stop() {
        exit(128 + i32::from(signal));
    }
}

/// Without a handler a signal simply ends the program, and a file of games is still whole.
#[cfg(unix)]
fn handle_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = vec![SIGINT, SIGTERM];
    // Under `nohup` it goes on.
    if !nply_arena::ignores_hangup() {
        signals.push(SIGHUP);
    }
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) {
        std::thread::spawn(move || signals.forever().for_each(|signal| take(signal as u8)));
    }
}

#[cfg(not(unix))]
fn handle_signals() {
    let _ = ctrlc::set_handler(|| take(INTERRUPT));
}
