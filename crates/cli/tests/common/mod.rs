//! The command as a program that tests start.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Where it is.
pub(crate) const NPLY: &str = env!("CARGO_BIN_EXE_nply");

/// The command with its output caught.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(NPLY);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How the command ends.
pub(crate) fn nply(args: &[&str]) -> Output {
    command(args).output().expect("the command starts")
}

/// The same for a person who types this.
#[allow(dead_code, reason = "not every file of tests types something")]
pub(crate) fn nply_with(args: &[&str], input: &str) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).spawn().expect("the command starts");
    child.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// What goes to standard output of a command that must succeed.
#[allow(dead_code, reason = "not every file of tests reads the output")]
pub(crate) fn stdout(args: &[&str]) -> String {
    let output = nply(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The exit status and the message of a command that must fail and print no result.
#[allow(dead_code, reason = "not every file of tests fails")]
pub(crate) fn failure(args: &[&str]) -> (i32, String) {
    let output = nply(args);
    assert!(!output.status.success(), "{args:?} succeeds");
    assert!(output.stdout.is_empty(), "{args:?} prints a result: {}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().expect("no signal"), String::from_utf8(output.stderr).expect("text"))
}
