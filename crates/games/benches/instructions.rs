//! Instructions of every game's hot paths and of each search's nodes, compared with `instructions.txt`:
//! `cargo bench -p nply-games --bench instructions`, or `-- GAME…` for some games. `-- write` writes that file.
//!
//! The program runs itself under callgrind, once for each game. Instructions are those of an operation: of listing a position's moves
//! (`moves`), making one, taking the key of the child and taking the move back (`visit`), a ply of a random playout (`playout`), an evaluation
//! for all players (`evaluate`) and a key (`key`), each over positions of random games; and of a node of a tree search or a simulation of
//! Monte-Carlo tree search, over positions of a game between greedy players.
//!
//! They depend on the compiler and on nothing else: not on the machine, what else it does, or its C library (see
//! [`counts::read_callgrind`]). Of another compiler than the baseline's they are reported, but no reason to fail.

#[path = "counts/mod.rs"]
mod counts;
#[path = "greedy/mod.rs"]
mod greedy;

use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::{env, fs, thread};

use counts::Counts;
use nply::{
    Agent, Brs, BrsPlus, Budget, Decision, Declaration, Evaluator, Game, GameVisitor, Maxn, Mcts, MoveOrder, OutOfTurn,
    Paranoid, PlayoutPolicy, Pruning, Rng, ScoreForm,
};

/// The positions of a search, one of which is searched before anything is counted, because its first search touches new memory.
const SEARCHED: usize = 4;

/// The nodes of a search of a position.
const NODES: u64 = 3000;

/// The simulations of a search of a position.
const SIMULATIONS: u64 = 40;

/// Plies of random playouts.
const PLIES: u64 = 2000;

/// The positions of random games.
const LISTED: usize = 100;

/// The argument with which the program counts a game, whose name follows.
const COUNT: &str = "--count";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let [COUNT, name] = words[..] {
        nply_games::games(&mut Paths { name });
        return ExitCode::SUCCESS;
    }
    match run(&words) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprintln!("{report}");
            ExitCode::FAILURE
        }
    }
}

/// Counts, and compares or writes.
fn run(words: &[&str]) -> Result<String, String> {
    let mut names = Names(Vec::new());
    nply_games::games(&mut names);
    let chosen = match words {
        [] | ["write"] => names.0.clone(),
        words => words.to_vec(),
    };
    if let Some(unknown) = chosen.iter().find(|name| !names.0.contains(name)) {
        return Err(format!(
            "error: no game {unknown:?}\n  help: games are {}; write stands alone",
            names.0.join(", ")
        ));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.txt");
    let show = |error: &dyn std::fmt::Display| format!("error: {}: {error}", path.display());
    let now = Counts { compiler: compiler()?, rows: count(&chosen)? };
    if words == ["write"] {
        fs::write(&path, now.to_string()).map_err(|error| show(&error))?;
        return Ok(format!("{} counts written", now.rows.len()));
    }
    let baseline = fs::read_to_string(&path).map_err(|error| show(&error))?;
    now.compare(&Counts::read(&baseline).map_err(|error| show(&error))?, !words.is_empty())
}

/// The compiler, and what it compiled for.
fn compiler() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("error: rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().next().unwrap_or_default();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    // Every x86-64 processor has SSE2. With more, the program was compiled for some processors only.
    let more = if cfg!(target_feature = "sse3") { " with more than SSE2" } else { "" };
    Ok(format!("{version} for {host}{more}"))
}

/// Runs this program under callgrind for each game, as many at once as there are cores.
fn count(games: &[&str]) -> Result<Vec<(String, f64)>, String> {
    let program = env::current_exe().map_err(|error| format!("error: {error}"))?;
    // Where it is missing, the distance table takes minutes to build under callgrind.
    if games.contains(&"chinese-checkers") {
        nply_games::chinese_checkers::DistanceTable::shared(&|_| ()).map_err(|error| format!("error: {error}"))?;
    }
    let queue = Mutex::new(games.iter().enumerate());
    let counted = Mutex::new(Vec::new());
    let work = || {
        loop {
            let next = queue.lock().expect("nothing panics meanwhile").next();
            let Some((index, game)) = next else { break };
            let rows = count_game(&program, game);
            counted.lock().expect("nothing panics meanwhile").push((index, rows));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(work);
        }
    });
    let mut counted = counted.into_inner().expect("nothing panicked");
    counted.sort_by_key(|(index, _)| *index);
    counted.into_iter().map(|(_, rows)| rows).collect::<Result<Vec<_>, _>>().map(|rows| rows.concat())
}

/// Runs this program under callgrind for one game.
fn count_game(program: &Path, game: &str) -> Result<Vec<(String, f64)>, String> {
    let file: PathBuf = program.with_file_name(format!("callgrind-{}-{game}", std::process::id()));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--toggle-collect=*counted_work*", "--dump-before=*end_of_path*"])
        .args(["--combine-dumps=yes", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .args([program.as_os_str(), COUNT.as_ref(), game.as_ref()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("error: valgrind: {error}\n  help: install the package valgrind"))?;
    let written = fs::read_to_string(&file);
    let _ = fs::remove_file(&file);
    if !output.status.success() {
        return Err(format!("error: counting {game} under valgrind failed: {}", output.status));
    }
    let written = written.map_err(|error| format!("error: {}: {error}", file.display()))?;
    let counts =
        counts::read_callgrind(&written, &program.to_string_lossy()).map_err(|error| format!("error: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let paths: Vec<(&str, f64)> = text
        .lines()
        .map(|line| line.split_once('\t').and_then(|(name, times)| Some((name, times.parse().ok()?))))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("error: cannot read the paths of {game}: {text:?}"))?;
    // The last count is of what follows the last path.
    if counts.len() != paths.len() + 1 || counts.contains(&0) != (counts.last() == Some(&0)) {
        return Err(format!("error: callgrind wrote the counts {counts:?} for {} paths of {game}", paths.len()));
    }
    // As they are written.
    let each = |count: u64, times: f64| (100.0 * count as f64 / times).round() / 100.0;
    Ok(paths.iter().zip(counts).map(|((name, times), count)| (name.to_string(), each(count, *times))).collect())
}

struct Names(Vec<&'static str>);

impl GameVisitor for Names {
    fn game<D: Declaration>(&mut self) {
        self.0.push(D::NAME);
    }
}

/// Goes through all paths of the game with a name.
struct Paths<'a> {
    name: &'a str,
}

impl GameVisitor for Paths<'_> {
    fn game<D: Declaration>(&mut self) {
        if D::NAME == self.name {
            greedy::each::<D>(&|_| true, SEARCHED, in_turn);
        }
    }

    fn game_out_of_turn<D: Declaration>(&mut self)
    where
        D::Game: OutOfTurn,
    {
        if D::NAME == self.name {
            greedy::each::<D>(&|_| true, SEARCHED, |name, positions, evaluator, order| {
                in_turn(name, positions, evaluator, order);
                let mut brs = Brs::new(evaluator.clone(), order.clone());
                nodes(&format!("{name} brs"), positions, |game, budget| brs.choose(game, budget));
            });
        }
    }
}

fn in_turn<G: Game, E: Evaluator<G>, O: MoveOrder<G>>(name: &str, positions: &[G], evaluator: &E, order: &O) {
    game_paths(name, positions, evaluator);
    for (agent, pruning) in [("maxn", Pruning::None), ("speculative", Pruning::Speculative)] {
        let mut maxn = Maxn::new(evaluator.clone(), order.clone());
        (maxn.settings.pruning, maxn.settings.score) = (pruning, ScoreForm::Relative);
        nodes(&format!("{name} {agent}"), positions, |game, budget| maxn.choose(game, budget));
    }
    let mut paranoid = Paranoid::new(evaluator.clone(), order.clone());
    nodes(&format!("{name} paranoid"), positions, |game, budget| paranoid.choose(game, budget));
    let mut brs_plus = BrsPlus::new(evaluator.clone(), order.clone());
    nodes(&format!("{name} brs+"), positions, |game, budget| brs_plus.choose(game, budget));
    for (agent, playout) in [("mcts random", PlayoutPolicy::Random), ("mcts move", PlayoutPolicy::Move)] {
        let mut mcts = Mcts::new(evaluator.clone(), order.clone(), 1);
        (mcts.settings.playout, mcts.settings.reuse) = (playout, false);
        mcts.choose(&positions[0], &Budget::playouts(SIMULATIONS));
        path(&format!("{name} {agent}"), || {
            let search = |game| mcts.choose(game, &Budget::playouts(SIMULATIONS)).playouts;
            positions[1..].iter().map(search).sum()
        });
    }
}

/// The paths of a game itself.
fn game_paths<G: Game, E: Evaluator<G>>(name: &str, searched: &[G], evaluator: &E) {
    let (mut rng, mut scratch, mut positions) = (Rng::new(2), Vec::new(), Vec::new());
    for start in searched.iter().cycle() {
        let mut game = start.clone();
        let before = positions.len();
        // Every fifth position, so that there are several games.
        for ply in 0.. {
            if game.payoff().is_some() || positions.len() - before == LISTED / SEARCHED {
                break;
            }
            if ply % 5 == 0 {
                positions.push(game.clone());
            }
            let m = game.random_move(&mut scratch, &mut rng);
            game.play(m);
        }
        if positions.len() >= LISTED {
            break;
        }
    }
    let mut moves = Vec::with_capacity(1000);
    path(&format!("{name} moves"), || {
        for game in &positions {
            moves.clear();
            game.moves(&mut moves);
            black_box(&moves);
        }
        positions.len() as u64
    });
    let mut listed: Vec<(G, Vec<G::Move>)> = positions.iter().map(|game| (game.clone(), Vec::new())).collect();
    for (game, moves) in &mut listed {
        game.moves(moves);
    }
    path(&format!("{name} visit"), || {
        for (game, moves) in &mut listed {
            for &m in moves.iter() {
                black_box(game.visit(m, |child| child.key()));
            }
        }
        listed.iter().map(|(_, moves)| moves.len() as u64).sum()
    });
    path(&format!("{name} playout"), || {
        let mut plies = 0;
        for start in searched.iter().cycle() {
            let mut game = start.clone();
            while plies < PLIES && game.payoff().is_none() {
                let m = game.playout_move(&mut scratch, &mut rng);
                game.play_unkeyed(m);
                plies += 1;
            }
            if plies == PLIES {
                break;
            }
        }
        plies
    });
    path(&format!("{name} evaluate"), || {
        for game in &positions {
            black_box(evaluator.evaluate(game));
        }
        positions.len() as u64
    });
    path(&format!("{name} key"), || {
        for game in &positions {
            black_box(game.key());
        }
        positions.len() as u64
    });
}

/// Searches all positions but the first, which is searched before.
fn nodes<G: Game>(name: &str, positions: &[G], mut choose: impl FnMut(&G, &Budget) -> Decision<G::Move>) {
    let budget = Budget::nodes(NODES);
    choose(&positions[0], &budget);
    path(name, || positions[1..].iter().map(|game| choose(game, &budget).nodes).sum());
}

/// Counts the instructions of some work, which returns the number of operations.
fn path(name: &str, mut work: impl FnMut() -> u64) {
    let times = counted_work(&mut work);
    end_of_path(name, times);
}

/// Callgrind counts what happens in here.
#[inline(never)]
fn counted_work(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}

/// Callgrind writes a count before this.
#[inline(never)]
fn end_of_path(name: &str, times: u64) {
    writeln!(io::stdout(), "{name}\t{times}").expect("the parent reads this");
}
