//! A crate outside the workspace that adds a game has the whole command, and the page.

#[path = "common/serving.rs"]
mod serving;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use serving::Serving;

fn run(program: &mut Command) -> String {
    let output = program.output().expect("it starts");
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The command with the game; the tests of the page use it as well.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root");
        let (folder, target) = (root.join("examples/own-game"), root.join("target/own-game"));
        let source = std::fs::read_to_string(folder.join("src/main.rs")).expect("the source");
        assert!(source.lines().count() < 120, "{} lines", source.lines().count());
        // The versions that the workspace has.
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        run(Command::new(cargo).arg("build").arg("--target-dir").arg(&target).current_dir(&folder));
        target.join("debug/own-game")
    })
}

#[test]
fn a_game_of_your_own_has_the_whole_command() {
    let own = |args: &[&str]| run(Command::new(built()).args(args));
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

/// Asks until the answer is as it should be.
fn wait(server: &Serving, path: &str, is_done: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let found = server.get(path);
        if is_done(&found) {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{path}: {found}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_game_of_your_own_is_on_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Serving::start(built(), &folder.path().join("sessions.db"));
    let games = server.get("/games");
    let info = games.as_array().expect("a list").iter().find(|game| game["name"] == "sticks").expect("the game");
    assert_eq!((&info["players"], &info["usual_players"]), (&json!([2, 3, 4]), &json!(3)));
    let levels = server.get("/games/sticks/agents?players=3")["levels"].clone();
    assert_eq!(levels.as_array().expect("a list").len(), 4);

    // A person, a level and an agent play to the end.
    let seats = json!([
        { "kind": "human" }, { "kind": "level", "level": "easy" },
        { "kind": "agent", "agent": "maxn:table=off", "budget": "nodes=200" },
    ]);
    let mut state = server.post("/sessions", &json!({ "game": "sticks", "players": 3, "seats": seats }));
    let path = format!("/sessions/{}", state["id"].as_str().expect("an id"));
    assert!(state["scene"].is_null() && state["picture"] == format!("{}\n", "|".repeat(21)), "{state}");
    while state["over"].is_null() {
        let ply = state["plies"].as_u64().expect("a number");
        if state["turn"] == 0 {
            let m = state["moves"].as_array().expect("a list").last().expect("a move")["text"].clone();
            state = server.post(&format!("{path}/moves"), &json!({ "move": m, "ply": ply }));
        } else {
            server.post(&format!("{path}/think"), &json!({ "ply": ply }));
            state = wait(&server, &path, |state| state["plies"] != ply);
        }
    }
    assert_eq!(state["over"]["reason"], "played", "{state}");
    let history = state["history"].as_array().expect("a list");
    let taken: u64 =
        history.iter().map(|ply| ply["move"].as_str().expect("text").parse::<u64>().expect("a number")).sum();
    assert_eq!(taken, 21);
    let winner = history.last().expect("a move")["player"].as_u64().expect("a number");
    assert_eq!(state["over"]["payoff"][winner as usize], 1.0, "whoever took the last stick has won: {state}");

    // Its scores are not calibrated: there are chances where the end is in sight, or by simulations, and else none.
    let chances = |position: &str, agent: &str| {
        let agents = json!([{ "agent": agent, "budget": "nodes=200,playouts=200" }]);
        let body = json!({ "game": "sticks", "players": 3, "position": position, "agents": agents });
        let search = server.post("/analyses", &body)["searches"][0].as_str().expect("a search").to_string();
        let found = wait(&server, &format!("/searches/{search}"), |found| found["done"] == true);
        assert_eq!(found["status"], "done", "{found}");
        found["chances"].clone()
    };
    assert_eq!(chances("21 1", "maxn:table=off"), Value::Null);
    assert_eq!(chances("3 1", "maxn:table=off"), json!([1.0, 0.0, 0.0]));
    assert!(chances("21 1", "mcts").is_array());

    let tree = server.post("/trees", &json!({ "game": "sticks", "players": 3, "agent": "maxn", "depth": 2 }));
    assert_eq!(tree["nodes"].as_array().expect("a list").len(), 1 + 3 + 9, "{tree}");
}
