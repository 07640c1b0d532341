//! The bench: fixed positions, fixed depths or playouts, every search. The nodes of all together are a checksum of their behaviour: whoever
//! changes it meant to change a search.

use std::time::Duration;

use nply::{Budget, Rng};

use crate::error::Error;
use crate::registry::{NamedGame, Request};
use crate::spec::Spec;

/// Games, players, plies played at random before the search, and the depths of max^n, Paranoid, BRS and BRS+; 0 where one does
/// not apply.
const POSITIONS: &[(&str, usize, usize, [u32; 4])] = &[
    ("chinese-checkers", 2, 20, [3, 4, 4, 4]),
    ("chinese-checkers", 3, 30, [3, 4, 3, 5]),
    ("chinese-checkers", 4, 40, [3, 4, 3, 5]),
    ("chinese-checkers", 6, 48, [3, 4, 3, 5]),
    ("chinese-checkers:board=large", 3, 30, [2, 3, 3, 4]),
    ("focus", 2, 20, [3, 4, 4, 4]),
    ("focus", 3, 30, [3, 4, 3, 5]),
    ("focus", 4, 40, [3, 4, 3, 5]),
    ("rolit", 2, 20, [5, 6, 6, 6]),
    ("rolit", 3, 20, [4, 6, 5, 7]),
    ("rolit", 4, 20, [4, 6, 5, 8]),
    ("othello", 2, 20, [6, 7, 7, 7]),
    ("four-player-chess", 4, 40, [3, 4, 3, 5]),
    ("hearts", 3, 15, [7, 9, 0, 12]),
    ("hearts", 4, 16, [6, 9, 0, 12]),
    ("spades", 3, 15, [7, 9, 0, 12]),
    ("spades", 4, 16, [6, 9, 0, 12]),
];

/// The searches that share a depth.
const AGENTS: [&[&str]; 4] = [
    &[
        "maxn",
        "maxn:ties=cautious,table=off",
        "maxn:pruning=shallow,score=relative",
        "maxn:pruning=bound,score=relative",
        "maxn:pruning=last-branch,score=relative",
        "maxn:pruning=speculative,score=relative",
    ],
    &["paranoid", "paranoid:table=off,killers=no,history=no", "alphabeta"],
    &["brs"],
    &["brs+", "brs+:special=own,top=3"],
];

/// Those that make playouts, and how many.
const SAMPLING: &[&str] =
    &["mcts", "mcts:playout=random", "mcts:playout=maxn", "mcts:playout=paranoid,policy=paranoid"];
const PLAYOUTS: u64 = 100;

/// One search of the bench.
#[derive(Clone, Debug)]
pub struct BenchRow {
    /// The game and the number of players.
    pub game: String,
    /// The agent.
    pub agent: String,
    /// How deep it searched.
    pub depth: u32,
    /// How many nodes it visited.
    pub nodes: u64,
    /// How long that took.
    pub time: Duration,
}

/// Runs every search of the bench and shows each as it is done.
pub fn bench(mut watch: impl FnMut(&BenchRow)) -> Result<Vec<BenchRow>, Error> {
    let mut rows = Vec::new();
    for &(game, players, plies, depths) in POSITIONS {
        let moves = random_moves(game, players, plies)?;
        let deepening = AGENTS.iter().zip(depths).filter(|&(_, depth)| depth > 0);
        let deepening =
            deepening.flat_map(|(agents, depth)| agents.iter().map(move |agent| (agent, Budget::depth(depth))));
        let sampling = SAMPLING.iter().map(|agent| (agent, Budget::playouts(PLAYOUTS)));
        for (agent, budget) in deepening.chain(sampling).filter(|(agent, _)| players == 2 || **agent != "alphabeta") {
            let mut spec = Spec::parse(agent)?;
            // The distance table takes long to build, so Chinese Checkers does without.
            if game == "chinese-checkers" {
                spec.pairs.push(("eval".into(), "distance".into()));
            }
            let mut session = open(game, players, &moves)?;
            let seat = session.seat(&spec, 1)?;
            let thought = session.think(seat, &budget, &mut |_| ())?;
            let row = BenchRow {
                game: format!("{game} {players}"),
                agent: (*agent).into(),
                depth: thought.depth,
                nodes: thought.nodes,
                time: thought.time,
            };
            watch(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn open(game: &str, players: usize, moves: &str) -> Result<Box<dyn crate::Session>, Error> {
    let request = Request { players: Some(players), moves: moves.into(), seed: 1, ..Request::default() };
    NamedGame::new(&Spec::parse(game)?)?.open(&request)
}

/// The first plies of a random game.
fn random_moves(game: &str, players: usize, plies: usize) -> Result<String, Error> {
    let mut session = open(game, players, "")?;
    let mut rng = Rng::new(1);
    for _ in 0..plies {
        let moves = session.moves();
        session.play(&moves[rng.below(moves.len())])?;
    }
    Ok(session.played().join(" "))
}
