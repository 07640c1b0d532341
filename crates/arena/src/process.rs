//! An outside program at the other end of its pipes: started, driven line by line, and ended whatever it does.
//!
//! A program cannot block its driver: separate threads read and write its pipes, answers have a deadline, lines and output have a
//! maximum length, and dropping a [`Process`] ends it with everything it started. It does not outlive its driver either: see
//! [`guard`](crate::guard).

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nply::{Budget, Clocks, Error};

use crate::protocol::{self, VERSION};

/// The longest line that a program may write, in bytes.
pub(crate) const MAX_LINE: usize = 1 << 16;
/// The most that it may write for one answer, in bytes.
pub(crate) const MAX_OUTPUT: usize = 1 << 20;
/// The longest part of its own reason for giving up that is reported, in characters.
const MAX_WORDS: usize = 200;
/// How long a program may take to end after `quit`.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long to wait for the standard error of a program that ended.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How often the stop flag of a budget is read.
const LOOK: Duration = Duration::from_millis(10);

/// How to start a program, and how long to wait for it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program: a path, or a name to look up in `PATH`.
    pub path: PathBuf,
    /// Its command-line arguments.
    pub args: Vec<String>,
    /// How long it may take to get ready.
    pub start: Duration,
    /// How much longer than the budget's time it may take.
    pub grace: Duration,
    /// How long it may take for a move where the budget has no time.
    pub patience: Duration,
}

impl Launch {
    /// A program with the usual limits.
    pub fn new(path: impl Into<PathBuf>, args: Vec<String>) -> Launch {
        let (start, grace, patience) = (Duration::from_secs(30), Duration::from_secs(1), Duration::from_secs(60));
        Launch { path: path.into(), args, start, grace, patience }
    }

    /// Checks that the program exists.
    pub fn find(&self) -> Result<(), Error> {
        let path = &self.path;
        if path.components().count() > 1 || path.is_absolute() || path.starts_with(".") {
            return if path.is_file() {
                Ok(())
            } else {
                Err(Error::usage(format!("there is no program {}", path.display())))
            };
        }
        let folders = std::env::var_os("PATH").unwrap_or_default();
        if std::env::split_paths(&folders).any(|folder| is_program(&folder.join(path))) {
            return Ok(());
        }
        let error = Error::usage(format!("there is no program {} among the installed ones", path.display()));
        Err(if path.is_file() { error.help(format!("write ./{} for the file here", path.display())) } else { error })
    }
}

fn is_program(path: &Path) -> bool {
    path.is_file() || cfg!(windows) && path.with_extension("exe").is_file()
}

/// How a program broke the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// It ended, or closed its output; how, and the end of its standard error.
    Ended { how: String, last_words: String },
    /// It took longer than this.
    Late(Duration),
    /// It took longer than its clock had left.
    OutOfTime(Duration),
    /// It wrote a line that is not part of the protocol here.
    Nonsense { line: String, instead: String },
    /// It wrote a line that is too long.
    LongLine,
    /// It wrote too much.
    Flood,
    /// It reported an error.
    GaveUp(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Ended { how, last_words } if last_words.is_empty() => write!(f, "it ended ({how})"),
            Violation::Ended { how, last_words } => write!(f, "it ended ({how}); its last words: {last_words}"),
            Violation::Late(limit) => write!(f, "it did not answer within {} ms", limit.as_millis()),
            Violation::OutOfTime(left) => {
                write!(f, "its time ran out: it did not answer within the {} ms that it had left", left.as_millis())
            }
            Violation::Nonsense { line, instead } => write!(f, "it wrote {}, which is not {instead}", shortened(line)),
            Violation::LongLine => write!(f, "it wrote a line of more than {MAX_LINE} bytes"),
            Violation::Flood => write!(f, "it wrote more than {MAX_OUTPUT} bytes instead of an answer"),
            Violation::GaveUp(why) => write!(f, "it says: {}", why.chars().take(MAX_WORDS).collect::<String>()),
        }
    }
}

/// The end of a time span; one beyond the clock's range counts as a year.
fn after(start: Instant, time: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    start.checked_add(time).unwrap_or(start + YEAR)
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}…", &line[..end]),
        None => format!("{line:?}"),
    }
}

/// What was read from a program's output.
enum Heard {
    Line(String),
    LongLine,
    End,
}

/// What a program is asked.
pub(crate) struct Question {
    pub(crate) position: String,
    pub(crate) turn: usize,
    pub(crate) moves: Vec<String>,
    /// Plies played before.
    pub(crate) ply: u32,
    /// The moves since the last question, if they lead from there to here.
    pub(crate) played: Option<Vec<String>>,
    /// Everybody's clock, if there are any; the time of the budget is then only what is planned.
    pub(crate) clocks: Option<Clocks>,
}

impl Question {
    /// The time that whose turn it is has left.
    fn left(&self) -> Option<Duration> {
        self.clocks.as_ref()?.left.get(self.turn - 1).copied()
    }
}

/// A running program.
pub(crate) struct Process {
    child: Child,
    /// To the writing thread; `None` once no more is sent.
    input: Option<Sender<String>>,
    output: Receiver<Heard>,
    /// The end of its standard error, and a channel that closes with it.
    last_words: Arc<Mutex<Vec<u8>>>,
    silence: Receiver<()>,
    /// Bytes read since the last question.
    heard: usize,
    is_ended: bool,
    launch: Launch,
    /// The name it gave.
    pub(crate) name: Option<String>,
}

impl Process {
    /// Starts a program.
    pub(crate) fn start(launch: &Launch) -> Result<Process, Error> {
        let mut command = Command::new(&launch.path);
        command.args(&launch.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut command)
            .map_err(|error| Error::failed(format!("cannot start {}: {error}", launch.path.display())))?;
        let (input, to_write) = channel::<String>();
        let (hear, output) = sync_channel(16);
        let (still_talking, silence) = channel();
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (mut stdin, stdout) = (stdin.expect("it is piped"), stdout.expect("it is piped"));
        let mut stderr = stderr.expect("it is piped");
        // The threads end with the pipes, at the latest with the program. They are not joined.
        thread::spawn(move || {
            while let Ok(line) = to_write.recv() {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        thread::spawn(move || hear_lines(BufReader::new(stdout), &hear));
        let words = last_words.clone();
        thread::spawn(move || {
            let _until_the_end = still_talking;
            keep_last(&mut stderr, &words);
        });
        let (input, launch) = (Some(input), launch.clone());
        Ok(Process { child, input, output, last_words, silence, heard: 0, is_ended: false, launch, name: None })
    }

    /// The handshake; a stop flag ends it as if the program were late.
    pub(crate) fn greet(&mut self, stop: Option<&AtomicBool>) -> Result<(), Violation> {
        self.send(&format!("nply {VERSION}"));
        let limit = self.launch.start;
        let until = after(Instant::now(), limit);
        loop {
            let is_stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
            let Some(line) = self.line(until.min(Instant::now() + LOOK))? else {
                if is_stopped || Instant::now() >= until {
                    return Err(Violation::Late(limit));
                }
                continue;
            };
            match protocol::split(&line) {
                ("ready", "" | "1") => return Ok(()),
                ("name", name) => self.name = Some(name.into()),
                ("info", _) => {}
                ("error", why) => return Err(Violation::GaveUp(protocol::one_line(why))),
                _ => return Err(Violation::Nonsense { line, instead: "`name …`, `info …` or `ready`".into() }),
            }
        }
    }

    /// Queues a line for writing.
    pub(crate) fn send(&mut self, line: &str) {
        if let Some(input) = &self.input {
            // It fails if the program closed its input, which may be right after the last question.
            let _ = input.send(format!("{line}\n"));
        }
    }

    /// Asks for a move, which is one of the legal ones, and passes on its `info` lines.
    pub(crate) fn ask(
        &mut self,
        question: &Question,
        budget: &Budget,
        mut info: impl FnMut(&str),
    ) -> Result<String, Violation> {
        self.heard = 0;
        let mut waiting = Vec::new();
        while let Ok(heard) = self.output.try_recv() {
            waiting.push(self.judge(heard)?);
        }
        if let Some(line) = waiting.into_iter().find(|line| protocol::split(line).0 != "info") {
            return Err(Violation::Nonsense { line, instead: "an answer, since nothing was asked".into() });
        }
        self.send(&format!("position {}", question.position));
        self.send(&format!("turn {}", question.turn));
        self.send(&format!("moves {}", question.moves.join(" ")));
        if let Some(played) = &question.played {
            self.send(format!("played {}", played.join(" ")).trim_end());
        }
        if let Some(clocks) = &question.clocks {
            self.send(&protocol::clock(clocks));
        }
        self.send(&protocol::go(budget, Some(question.ply)));
        let Launch { grace, patience, .. } = self.launch;
        let left = question.left();
        let time = question.clocks.as_ref().map_or(budget.time, |clocks| clocks.most);
        let mut limit = time.map_or(left.unwrap_or(patience), |time| time.saturating_add(grace));
        limit = limit.min(left.unwrap_or(limit));
        let asked = Instant::now();
        let mut is_stopped = false;
        loop {
            if !is_stopped && budget.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                self.send("stop");
                is_stopped = true;
                limit = limit.min(asked.elapsed().saturating_add(grace));
            }
            let until = after(asked, limit);
            let Some(line) = self.line(until.min(Instant::now() + LOOK))? else {
                if Instant::now() >= until {
                    let out_of_time = left.filter(|&left| limit >= left).map(Violation::OutOfTime);
                    return Err(out_of_time.unwrap_or(Violation::Late(limit)));
                }
                continue;
            };
            match protocol::split(&line) {
                ("info", text) => info(text),
                ("move", m) if question.moves.iter().any(|legal| legal == m) => return Ok(m.into()),
                ("move", _) => return Err(Violation::Nonsense { line, instead: "a legal move".into() }),
                ("error", why) => return Err(Violation::GaveUp(protocol::one_line(why))),
                _ => return Err(Violation::Nonsense { line, instead: "`info …` or `move …`".into() }),
            }
        }
    }

    /// The next line, or `None` if there is none by then.
    fn line(&mut self, until: Instant) -> Result<Option<String>, Violation> {
        match self.output.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(heard) => self.judge(heard).map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => self.judge(Heard::End).map(Some),
        }
    }

    fn judge(&mut self, heard: Heard) -> Result<String, Violation> {
        match heard {
            Heard::Line(line) => {
                self.heard += line.len() + 1;
                if self.heard > MAX_OUTPUT { Err(Violation::Flood) } else { Ok(line) }
            }
            Heard::LongLine => Err(Violation::LongLine),
            Heard::End => {
                let status = if self.ends_within(LAST_WORDS) { self.end() } else { None };
                let how = status.map_or_else(|| "it closed its output".into(), |status| status.to_string());
                let _ = self.silence.recv_timeout(LAST_WORDS);
                let words = self.last_words.lock().expect("no holder panics");
                let last_words = protocol::one_line(&String::from_utf8_lossy(&words));
                Err(Violation::Ended { how, last_words })
            }
        }
    }

    /// Whether it ends by itself within this time.
    fn ends_within(&mut self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while !self.is_ended && !has_ended(&mut self.child) {
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(Duration::from_millis(2));
        }
        true
    }

    /// Ends it, by `quit` or by closing its input; whether it ends within this time.
    pub(crate) fn quits(mut self, by_word: bool, limit: Duration) -> bool {
        if by_word {
            self.send("quit");
        } else {
            self.input = None;
        }
        self.ends_within(limit)
    }

    /// Ends it at once.
    pub(crate) fn kill(mut self) {
        self.input = None;
        self.end();
    }

    /// Ends it and its process group; its exit status if it had ended before.
    fn end(&mut self) -> Option<ExitStatus> {
        if self.is_ended {
            return None;
        }
        self.is_ended = true;
        end(&mut self.child)
    }
}

#[cfg(unix)]
use crate::guard::{end, spawn};

/// Starts a program.
#[cfg(not(unix))]
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    command.spawn()
}

/// Ends a program; its exit status, which it may have had before.
#[cfg(not(unix))]
fn end(child: &mut Child) -> Option<ExitStatus> {
    let _ = child.kill();
    child.wait().ok()
}

/// Whether a child has ended; its number stays reserved until it is waited for.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(Some(_)))
}

/// Whether a child has ended.
#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> bool {
    matches!(child.try_wait(), Ok(Some(_)))
}

/// Lets it quit, and ends it if it does not.
impl Drop for Process {
    fn drop(&mut self) {
        if self.input.is_some() {
            self.send("quit");
            self.input = None;
            let until = Instant::now() + FAREWELL;
            while let Ok(Some(_)) = self.line(until) {}
        }
        self.end();
    }
}

/// Passes on every line until the output ends, the receiver is gone, or a line is too long.
fn hear_lines(mut output: impl BufRead, hear: &SyncSender<Heard>) {
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line);
        let heard = match read {
            Err(_) | Ok(0) => Heard::End,
            Ok(_) if line.len() > MAX_LINE && !line.ends_with(b"\n") => Heard::LongLine,
            Ok(_) => {
                let line = String::from_utf8_lossy(&line).trim().to_string();
                if line.is_empty() {
                    continue;
                }
                Heard::Line(line)
            }
        };
        let is_last = !matches!(heard, Heard::Line(_));
        if hear.send(heard).is_err() || is_last {
            return;
        }
    }
}

/// Reads to the end and keeps the last of it.
fn keep_last(errors: &mut impl Read, kept: &Mutex<Vec<u8>>) {
    const KEPT: usize = 1000;
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock().expect("no holder panics");
        kept.extend_from_slice(&buffer[..read]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}
