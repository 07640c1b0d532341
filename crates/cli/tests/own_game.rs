//! A crate outside the workspace that adds a game has the whole command.

use std::path::Path;
use std::process::Command;

fn run(program: &mut Command) -> String {
    let output = program.output().expect("it starts");
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_game_of_your_own_has_the_whole_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root");
    let (folder, target) = (root.join("examples/own-game"), root.join("target/own-game"));
    let source = std::fs::read_to_string(folder.join("src/main.rs")).expect("the source");
    assert!(source.lines().count() < 120, "{} lines", source.lines().count());
    // The versions that the workspace has.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo).arg("build").arg("--target-dir").arg(&target).current_dir(&folder));
    let own = |args: &[&str]| run(Command::new(target.join("debug/own-game")).args(args));
    assert!(own(&["games"]).contains("sticks: take one to three sticks"));
    assert_eq!(own(&["perft", "sticks", "--depth", "3"]), "1 3\n2 9\n3 27\n");
    let decision = own(&["search", "sticks", "--position", "7 2", "--agent", "brs", "--depth", "8", "--json"]);
    assert!(decision.contains("\"move\":"), "{decision}");
    let table = own(&["tournament", "sticks", "--agents", "maxn brs mcts random", "--games", "24", "--nodes", "200"]);
    for agent in ["maxn", "brs", "mcts", "random"] {
        assert!(table.contains(agent), "{table}");
    }
    assert!(own(&["agents", "sticks", "--json"]).contains("\"schema\""));
}
