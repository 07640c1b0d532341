//! Lines that a person types, read on a thread of their own so that a signal is noticed meanwhile.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::stop::listen_with;

/// Input that is there already comes within this time.
const MOMENT: Duration = Duration::from_millis(50);

/// What comes from a person.
pub(super) enum Typed {
    Line(String),
    /// There is no more input.
    End,
    /// A signal asks to stop.
    Stop,
}

/// Standard input, and the flag that a signal sets.
pub(super) struct Input {
    pub(super) stop: Arc<AtomicBool>,
    sender: SyncSender<Heard>,
    heard: Receiver<Heard>,
    is_read: bool,
}

enum Heard {
    Line(io::Result<String>),
    /// Only wakes whoever waits.
    Signal,
}

impl Input {
    /// Signals are heard from now on; nothing is read before it is asked for.
    pub(super) fn new() -> Input {
        // One line ahead, whatever is piped in.
        let (sender, heard) = sync_channel(1);
        let wake = sender.clone();
        let stop = listen_with(move || {
            // If it is full, nobody waits.
            let _ = wake.try_send(Heard::Signal);
        });
        Input { stop, sender, heard, is_read: false }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// The next line, unless a signal has come.
    pub(super) fn line(&mut self) -> io::Result<Typed> {
        loop {
            if self.is_stopped() {
                return Ok(Typed::Stop);
            }
            if let Some(line) = self.next(None) {
                let line = line?;
                return Ok(if line.is_empty() { Typed::End } else { Typed::Line(line) });
            }
        }
    }

    /// An answer to a question although a signal has come; `None` at the end of the input, and if it has ended already, nothing is
    /// asked.
    pub(super) fn answer(&mut self, ask: impl FnOnce() -> io::Result<()>) -> io::Result<Option<String>> {
        let until = Instant::now() + MOMENT;
        let mut ready = None;
        while ready.is_none() && Instant::now() < until {
            ready = self.next(Some(until - Instant::now()));
        }
        if !matches!(&ready, Some(Ok(line)) if line.is_empty()) {
            ask()?;
        }
        loop {
            if let Some(line) = ready {
                return line.map(|line| Some(line).filter(|line| !line.is_empty()));
            }
            ready = self.next(None);
        }
    }

    /// The next line within this time, or `None` if there is none or a signal has come meanwhile.
    fn next(&mut self, time: Option<Duration>) -> Option<io::Result<String>> {
        if !self.is_read {
            self.is_read = true;
            let sender = self.sender.clone();
            std::thread::spawn(move || read(&sender));
        }
        let heard = match time {
            Some(time) => self.heard.recv_timeout(time).ok(),
            None => self.heard.recv().ok(),
        };
        match heard {
            Some(Heard::Line(line)) => Some(line),
            Some(Heard::Signal) | None => None,
        }
    }
}

/// Passes on every line, and at the end of the input an empty one.
fn read(sender: &SyncSender<Heard>) {
    loop {
        // Whatever it is, it may at most be no move.
        let mut line = Vec::new();
        let read = io::stdin().lock().read_until(b'\n', &mut line);
        let is_last = !matches!(read, Ok(1..));
        let line = read.map(|_| String::from_utf8_lossy(&line).into_owned());
        if sender.send(Heard::Line(line)).is_err() || is_last {
            return;
        }
    }
}
