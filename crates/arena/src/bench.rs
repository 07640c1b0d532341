//! The bench: fixed positions, fixed budgets, every search. Its total of nodes is a checksum of search behavior: whoever changes it
//! meant to change a search. The [`FINGERPRINT`] covers moves and values as well.

use std::time::Duration;

use nply::settings::Domain;
use nply::{BenchDepths, BenchPosition, Budget, Code, Error, Rng, mix};

use crate::registry::{NamedGame, Registry, Request};
use crate::session::Session;

/// A family's depth at a position.
type Depth = fn(&BenchDepths) -> u32;

/// The searches of each depth of a [`BenchPosition`].
const DEEPENING: &[(Depth, &[&str])] = &[
    (
        |depths| depths.maxn,
        &[
            "maxn",
            "maxn:ties=cautious,table=off",
            "maxn:pruning=shallow,score=relative",
            "maxn:pruning=bound,score=relative",
            "maxn:pruning=last-branch,score=relative",
            "maxn:pruning=speculative,score=relative",
        ],
    ),
    (|depths| depths.paranoid, &["paranoid", "paranoid:table=off,killers=no,history=no", "alphabeta"]),
    (|depths| depths.brs, &["brs"]),
    (|depths| depths.brs_plus, &["brs+", "brs+:special=own,top=3"]),
];

/// Those with playouts, and how many.
const SAMPLING: &[&str] =
    &["mcts", "mcts:playout=random", "mcts:playout=maxn", "mcts:playout=paranoid,policy=paranoid"];
const PLAYOUTS: u64 = 100;

/// Those with noise and a budget of nodes, as in tournaments.
const LIMITED: &[&str] = &["greedy", "maxn", "paranoid", "brs", "brs+:top=2", "mcts:playout=move", "worlds:n=3"];
const NODES: u64 = 2000;

/// The compiled-in fingerprint of search behavior: a hash of the nodes, moves and values of all rows of the bench. Kept with the games
/// of a tournament, so that two programs that play differently cannot fill one match.
pub const FINGERPRINT: &str = {
    // The second line of `bench.txt`.
    let text = include_str!("../bench.txt").as_bytes();
    let mut start = 0;
    while text[start] != b'\n' {
        start += 1;
    }
    let (_, line) = text.split_at(start + 1);
    let (_, hash) = line.split_at("fingerprint ".len());
    let (hash, _) = hash.split_at(16);
    match std::str::from_utf8(hash) {
        Ok(hash) => hash,
        Err(_) => panic!("bench.txt has a fingerprint of 16 digits"),
    }
};

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
    /// The move it chose.
    pub m: String,
    /// The value it found.
    pub value: Option<f64>,
    /// How long that took.
    pub time: Duration,
}

/// The hash of what all rows found.
pub fn fingerprint(rows: &[BenchRow]) -> String {
    let bytes = |hash: u64, bytes: &[u8]| bytes.iter().fold(hash, |hash, &byte| mix(hash ^ u64::from(byte)));
    let hash = rows.iter().fold(0, |hash, row| {
        let hash = bytes(bytes(bytes(hash, row.game.as_bytes()), row.agent.as_bytes()), row.m.as_bytes());
        bytes(bytes(hash, &row.nodes.to_le_bytes()), &row.value.unwrap_or(f64::NAN).to_bits().to_le_bytes())
    });
    format!("{hash:016x}")
}

/// Runs every search of the bench on every game that declares positions for it, and shows each row as it is done. Agents that
/// refuse the game or its number of players have no row.
pub fn bench(registry: &Registry, mut watch: impl FnMut(&BenchRow)) -> Result<Vec<BenchRow>, Error> {
    let mut rows = Vec::new();
    for info in registry.games() {
        for position in info.bench {
            let separator = if position.options.is_empty() { "" } else { ":" };
            let game = registry.find(&format!("{}{separator}{}", info.name, position.options))?;
            for (agent, budget, noise) in searches(position) {
                match search(&game, position, agent, &budget, noise) {
                    Ok(row) => {
                        watch(&row);
                        rows.push(row);
                    }
                    Err(Error { code: Code::Refused, .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(rows)
}

/// The searches of a position: agent, budget, and whether evaluations are noisy.
fn searches(position: &BenchPosition) -> Vec<(&'static str, Budget, bool)> {
    let mut all = Vec::new();
    for (depth, agents) in DEEPENING {
        let depth = depth(&position.depths);
        all.extend(agents.iter().filter(|_| depth > 0).map(|&agent| (agent, Budget::depth(depth), false)));
    }
    all.extend(SAMPLING.iter().map(|&agent| (agent, Budget::playouts(PLAYOUTS), false)));
    all.extend(LIMITED.iter().map(|&agent| (agent, Budget::nodes(NODES), true)));
    all
}

fn search(
    game: &NamedGame,
    position: &BenchPosition,
    agent: &str,
    budget: &Budget,
    noise: bool,
) -> Result<BenchRow, Error> {
    let mut session = random_position(game, position, noise)?;
    let named = session.agent(&with_evaluation(&*session, agent, position.eval)?)?;
    let seat = session.seat(&named, 1)?;
    let thought = session.think(seat, budget, &mut |_| ())?;
    Ok(BenchRow {
        game: format!("{game} {}", position.players),
        agent: agent.into(),
        depth: thought.depth,
        nodes: thought.nodes,
        m: thought.m,
        value: thought.value,
        time: thought.time,
    })
}

/// The agent, or the one inside it, with the evaluation of a position.
fn with_evaluation(session: &dyn Session, agent: &str, eval: Option<&str>) -> Result<String, Error> {
    let Some(eval) = eval else { return Ok(agent.into()) };
    let named = session.agent(agent)?;
    let mut spec = named.spec();
    for setting in &named.info().settings {
        match setting.domain {
            Domain::Evaluation => spec.pairs.push((setting.key.into(), eval.into())),
            Domain::Agent => {
                let inner = setting.value.as_deref().unwrap_or_default();
                spec.pairs.push((setting.key.into(), with_evaluation(session, inner, Some(eval))?));
            }
            _ => {}
        }
    }
    Ok(spec.to_string())
}

/// A position of a random game.
fn random_position(game: &NamedGame, position: &BenchPosition, noise: bool) -> Result<Box<dyn Session>, Error> {
    let mut session = game.open(&Request { players: Some(position.players), noise, ..Request::default() })?;
    let mut rng = Rng::new(1);
    for _ in 0..position.plies {
        let moves = session.moves();
        session.play(&moves[rng.below(moves.len())])?;
    }
    Ok(session)
}
