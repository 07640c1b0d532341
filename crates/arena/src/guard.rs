//! Ends outside programs when this process ends, whatever ends it.
//!
//! One shell for the whole process waits at the other end of a pipe, in a group of its own. It is told of every program that is started and
//! ended. When the pipe closes, because this process is gone, it kills the process groups that are left: see `guard.sh`. A death
//! signal would need unsafe code, follows the thread instead of the process, and does not reach what programs start.
//!
//! Where there is no shell, programs are still started, and ended by whoever started them.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

const SHELL: &str = "/bin/sh";
const SCRIPT: &str = include_str!("guard.sh");
/// The variable in the environment of programs that tells whose they are.
const MARK: &str = "NPLY_GUARD";

/// Starts a program in a group of its own, to be ended by [`end`] or with this process.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    let mark = guard().starts();
    let child = command.process_group(0).env(MARK, mark).spawn();
    guard().started(child.as_ref().ok().map(Child::id));
    child
}

/// Ends a program with its process group; its exit status, which it may have had before.
pub(crate) fn end(child: &mut Child) -> Option<ExitStatus> {
    // Until it is waited for, no other process can get its number.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
    guard().ended(child.id());
    child.wait().ok()
}

static GUARD: Mutex<Guard> = Mutex::new(Guard::new());

fn guard() -> MutexGuard<'static, Guard> {
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The shell, and what it knows.
struct Guard {
    shell: Option<Child>,
    /// The process that started it; after a fork it is another one's.
    owner: u32,
    /// What no other process writes to the environment of its programs.
    mark: String,
    /// The programs that run, by their process groups.
    groups: BTreeSet<u32>,
    /// How many are just being started.
    starting: u32,
}

impl Guard {
    const fn new() -> Guard {
        Guard { shell: None, owner: 0, mark: String::new(), groups: BTreeSet::new(), starting: 0 }
    }

    /// A program is about to be started; the mark for its environment.
    fn starts(&mut self) -> String {
        let owner = std::process::id();
        if self.owner != owner {
            let mark = format!("{owner}-{:016x}.", RandomState::new().hash_one(owner));
            *self = Guard { owner, mark, ..Guard::new() };
        }
        self.starting += 1;
        self.tell("start\n".into());
        self.mark.clone()
    }

    fn started(&mut self, group: Option<u32>) {
        self.starting -= 1;
        self.groups.extend(group);
        self.tell(group.map_or_else(|| "failed\n".into(), |group| format!("group {group}\n")));
    }

    fn ended(&mut self, group: u32) {
        if self.groups.remove(&group) {
            self.tell(format!("gone {group}\n"));
        }
    }

    /// Sends a line that has just become true; a new shell gets everything.
    fn tell(&mut self, line: String) {
        if self.send(&line) {
            return;
        }
        if let Some(mut shell) = self.shell.take() {
            let _ = shell.kill();
            let _ = shell.wait();
        }
        // Its own folder would keep a disk from being unmounted, and its own output a reader of ours from seeing the end.
        let mut command = Command::new(SHELL);
        command.args(["-c", SCRIPT, &format!("{MARK}={}", self.mark)]).current_dir("/").process_group(0);
        self.shell = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok();
        let known = self.groups.iter().map(|group| format!("start\ngroup {group}\n"));
        let known: String = known.chain((0..self.starting).map(|_| "start\n".into())).collect();
        self.send(&known);
    }

    fn send(&mut self, text: &str) -> bool {
        let pipe = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
        // A write this short is done whole or not at all.
        pipe.is_some_and(|pipe| pipe.write_all(text.as_bytes()).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::thread;
    use std::time::{Duration, Instant};

    const KILLED: Option<i32> = Some(9);

    /// A process that no word or closed pipe ends.
    fn deaf() -> Command {
        let mut command = Command::new(SHELL);
        command.args(["-c", "trap '' TERM HUP INT; sleep 60 & sleep 60"]).process_group(0).stdout(Stdio::null());
        command
    }

    fn signal(child: &mut Child) -> Option<i32> {
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if let Ok(Some(status)) = child.try_wait() {
                return status.signal();
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }

    /// What remains of a guard whose process dies.
    fn die(mut guard: Guard) {
        let mut shell = guard.shell.take().expect("it was told something");
        drop(shell.stdin.take());
        shell.wait().expect("it ends by itself");
    }

    #[test]
    fn programs_die_with_the_pipe_but_those_that_are_gone_are_left_alone() {
        let mut guard = Guard::new();
        let mut children: Vec<Child> = (0..4).map(|_| deaf().spawn().expect("it starts")).collect();
        for child in &children {
            guard.starts();
            guard.started(Some(child.id()));
        }
        guard.starts();
        guard.started(None);
        guard.ended(children[0].id());
        guard.ended(children[2].id());
        die(guard);
        assert_eq!((signal(&mut children[1]), signal(&mut children[3])), (KILLED, KILLED));
        for at in [0, 2] {
            assert_eq!(children[at].try_wait().expect("a child"), None);
            end(&mut children[at]);
        }
    }

    #[test]
    fn a_shell_that_is_killed_is_replaced_by_one_that_knows_everything() {
        let mut guard = Guard::new();
        let mut children: Vec<Child> = (0..2).map(|_| deaf().spawn().expect("it starts")).collect();
        guard.starts();
        guard.started(Some(children[0].id()));
        let shell = guard.shell.as_mut().expect("it was told something");
        shell.kill().expect("it is ours");
        shell.wait().expect("it is dead");
        guard.starts();
        guard.started(Some(children[1].id()));
        die(guard);
        assert!(children.iter_mut().all(|child| signal(child) == KILLED));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_that_was_just_being_started_is_found_by_its_mark() {
        let mut guard = Guard::new();
        let mark = guard.starts();
        let mut child = deaf().env(MARK, mark).spawn().expect("it starts");
        let mut other = deaf().env(MARK, "another").spawn().expect("it starts");
        die(guard);
        assert_eq!(signal(&mut child), KILLED);
        assert_eq!(other.try_wait().expect("a child"), None);
        end(&mut other);
    }
}
