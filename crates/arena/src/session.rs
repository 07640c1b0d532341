//! One game under way, in text: what the command, the server and Python talk to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nply::{Agent, Budget, Decision, Evaluator, Game, MoveOrder, Notation, Player, Rng, mix, testing};
use serde_json::{Value, json};

use crate::error::Error;
use crate::limits::own_budget;
use crate::registry::{AgentMaker, GameInfo, Registered, Request};
use crate::spec::Spec;

/// One game under way, whatever its types: positions and moves are text.
pub trait Session: Send {
    /// What is said of the game.
    fn info(&self) -> &GameInfo;
    /// How many play.
    fn player_count(&self) -> usize;
    /// Whose turn it is, from 1.
    fn turn(&self) -> usize;
    /// The position as one line.
    fn position(&self) -> String;
    /// The position as its player to move sees it, as one line: what is hidden is guessed.
    fn view(&mut self) -> String;
    /// The position as a picture, with colours or without.
    fn picture(&self, colour: bool) -> String;
    /// The picture that these players, from 1, may see together: what is hidden from all of them is left out.
    fn picture_for(&self, players: &[usize], colour: bool) -> String;
    /// The legal moves in the game's own order; none if it is over.
    fn moves(&self) -> Vec<String>;
    /// Each player's share of the win, once the game is over.
    fn payoff(&self) -> Option<Vec<f32>>;
    /// Raw points, where the game counts them.
    fn points(&self) -> Option<Vec<f32>>;
    /// The moves played in this session, in order.
    fn played(&self) -> Vec<String>;
    /// Plays a move.
    fn play(&mut self, text: &str) -> Result<(), Error>;
    /// Takes the last move of this session back; whether there was one.
    fn undo(&mut self) -> bool;
    /// Perft split by first move, in the game's order of moves, on so many threads.
    fn divide(&self, depth: u32, threads: usize) -> Vec<(String, u64)>;
    /// Brings in an agent, which is known by its number from then on: 0, 1, …. If its options are limits too, it keeps to
    /// those.
    fn seat(&mut self, spec: &Spec, seed: u64) -> Result<usize, Error>;
    /// The same, with the chance that [`seat`](Session::seat) would make of this and the session's seed.
    fn seat_with(&mut self, spec: &Spec, chance: Chance) -> Result<usize, Error>;
    /// Goes to a position as its player to move sees it, where what is hidden is a guess already: agents, who stay, are shown
    /// it as it is.
    fn show(&mut self, position: &str) -> Result<(), Error>;
    /// Asks an agent for a move of a game that is not over, and does not play it. An outside program that fails to give one
    /// forfeits: [`Error::forfeit`].
    fn think(&mut self, agent: usize, budget: &Budget, watch: &mut dyn FnMut(&Thought)) -> Result<Thought, Error>;

    /// Plays moves separated by spaces; an error says which one is wrong, and those before it stay played.
    fn play_all(&mut self, moves: &str) -> Result<(), Error> {
        for (index, text) in moves.split_whitespace().enumerate() {
            self.play(text).map_err(|error| error.within(format_args!("move {}", index + 1)))?;
        }
        Ok(())
    }
}

/// What the chance of an agent depends on.
///
/// Made of the seeds of agent and session in a way that does not tell them, so that whoever is told it knows nothing of the
/// deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance {
    /// Its own.
    pub own: u64,
    /// What it has in common with all agents of the game: the noise of evaluations.
    pub common: u64,
    /// Whether evaluations are noisy unless the agent says otherwise.
    pub noise: bool,
}

/// A seed from which the one it was made of cannot be computed.
fn veil(seed: u64) -> u64 {
    mix(seed ^ 0x7e11) >> 32
}

/// What an agent found, in text.
#[derive(Clone, Debug, PartialEq)]
pub struct Thought {
    /// The move.
    pub m: String,
    /// The mover's backed-up score, in the evaluation's units, or share of the win.
    pub value: Option<f64>,
    /// The same for every player.
    pub scores: Option<Vec<f64>>,
    /// Plies of the last completed iteration.
    pub depth: u32,
    /// Positions visited after the root.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
    /// The expected line.
    pub pv: Vec<String>,
}

impl Thought {
    fn new<G: Notation>(game: &G, decision: &Decision<G::Move>) -> Thought {
        let text = |&m: &G::Move| game.move_to_text(m);
        Thought {
            m: text(&decision.m),
            value: decision.value,
            scores: decision.scores.map(|scores| scores.as_slice().to_vec()),
            depth: decision.depth,
            nodes: decision.nodes,
            time: decision.time,
            pv: decision.pv.iter().map(text).collect(),
        }
    }

    /// As JSON; scores that are whole are written as whole numbers.
    pub fn to_json(&self) -> Value {
        let number = |x: &f64| if x.fract() == 0.0 { json!(*x as i64) } else { json!(x) };
        json!({
            "move": self.m,
            "value": self.value.as_ref().map(number),
            "scores": self.scores.as_ref().map(|scores| scores.iter().map(number).collect::<Vec<Value>>()),
            "depth": self.depth,
            "nodes": self.nodes,
            "time_ms": self.time.as_secs_f64() * 1e3,
            "pv": self.pv,
        })
    }
}

/// A session of a game whose types are known.
pub(crate) struct TypedSession<G: Notation, E, O> {
    registered: Arc<Registered<G, E, O>>,
    game: G,
    /// The positions before each move played here, with the move.
    past: Vec<(G, G::Move)>,
    agents: Vec<Seated<G>>,
    /// What is hidden from the agents is shown to them by chance.
    rng: Rng,
    /// Whether the position is already as its player to move sees it.
    is_shown: bool,
    /// The game with all its options.
    spec: Spec,
    seed: u64,
    noise: bool,
    programs: bool,
    progress: fn(&str, f64),
}

struct Seated<G: Game> {
    spec: Spec,
    /// The budget of its own, if it has one.
    own: Option<Budget>,
    agent: Box<dyn Agent<G>>,
    fault: Fault,
}

/// Where an agent that cannot choose says why, since an [`Agent`] has to choose something.
pub(crate) type Fault = Arc<Mutex<Option<Error>>>;

impl<G: Notation, E, O> TypedSession<G, E, O> {
    pub(crate) fn new(registered: Arc<Registered<G, E, O>>, game: G, spec: Spec, request: &Request) -> Self {
        let rng = Rng::new(mix(request.seed));
        let &Request { seed, noise, programs, progress, .. } = request;
        let (past, agents) = (Vec::new(), Vec::new());
        TypedSession { registered, game, past, agents, rng, is_shown: false, spec, seed, noise, programs, progress }
    }

    /// The position as agents are shown it.
    fn shown(&mut self) -> G {
        if self.is_shown { self.game.clone() } else { self.game.determinize(self.game.turn(), &mut self.rng) }
    }
}

impl<G, E, O> Session for TypedSession<G, E, O>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    fn info(&self) -> &GameInfo {
        &self.registered.entry.info
    }

    fn player_count(&self) -> usize {
        self.game.player_count()
    }

    fn turn(&self) -> usize {
        self.game.turn().number()
    }

    fn position(&self) -> String {
        self.game.to_text()
    }

    fn view(&mut self) -> String {
        self.shown().to_text()
    }

    fn picture(&self, colour: bool) -> String {
        if colour { format!("{:#}", self.game) } else { format!("{}", self.game) }
    }

    fn picture_for(&self, players: &[usize], colour: bool) -> String {
        let count = self.game.player_count();
        let players: Vec<Player> = Player::all(count).filter(|player| players.contains(&player.number())).collect();
        self.game.picture_for(&players, colour)
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        moves.iter().map(|&m| self.game.move_to_text(m)).collect()
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        self.game.payoff().map(|payoff| payoff.as_slice().to_vec())
    }

    fn points(&self) -> Option<Vec<f32>> {
        self.game.points().map(|points| points.as_slice().to_vec())
    }

    fn played(&self) -> Vec<String> {
        self.past.iter().map(|(game, m)| game.move_to_text(*m)).collect()
    }

    fn play(&mut self, text: &str) -> Result<(), Error> {
        let m = self.game.move_from_text(text)?;
        self.past.push((self.game.clone(), m));
        self.game.play(m);
        self.is_shown = false;
        Ok(())
    }

    fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some((before, _)) => self.game = before,
            None => return false,
        }
        self.is_shown = false;
        true
    }

    fn divide(&self, depth: u32, threads: usize) -> Vec<(String, u64)> {
        let counted = divide(&self.game, depth, threads);
        counted.into_iter().map(|(m, count)| (self.game.move_to_text(m), count)).collect()
    }

    fn seat(&mut self, spec: &Spec, seed: u64) -> Result<usize, Error> {
        self.seat_with(spec, Chance { own: veil(seed), common: veil(self.seed), noise: self.noise })
    }

    fn seat_with(&mut self, spec: &Spec, chance: Chance) -> Result<usize, Error> {
        let fault = Fault::default();
        let maker = AgentMaker {
            registered: &self.registered,
            game: &self.game,
            spec: &self.spec,
            chance,
            programs: self.programs,
            fault: &fault,
            progress: self.progress,
        };
        let (spec, own) = own_budget(spec)?;
        let agent = maker.make(&spec)?;
        self.agents.push(Seated { spec, own, agent, fault });
        Ok(self.agents.len() - 1)
    }

    fn show(&mut self, position: &str) -> Result<(), Error> {
        self.game = self.game.read(position)?;
        self.past.clear();
        self.is_shown = true;
        Ok(())
    }

    fn think(&mut self, agent: usize, budget: &Budget, watch: &mut dyn FnMut(&Thought)) -> Result<Thought, Error> {
        let own = self.agents[agent].own.as_ref();
        let own = own.map(|own| Budget { stop: budget.stop.clone(), ..own.clone() });
        let budget = own.as_ref().unwrap_or(budget);
        if self.game.payoff().is_some() {
            return Err(Error::failed("there is nothing to search: the game is over"));
        }
        (self.registered.entry.refuse)(&self.game, &self.agents[agent].spec, budget)?;
        let shown = self.shown();
        let game = &self.game;
        let Seated { agent, fault, .. } = &mut self.agents[agent];
        let decision = agent.search(&shown, budget, &mut |decision| watch(&Thought::new(game, decision)));
        match &*fault.lock().expect("nobody panics with it") {
            Some(error) => Err(error.clone()),
            None => Ok(Thought::new(game, &decision)),
        }
    }
}

/// Perft split by first move, in parallel over the first two plies.
fn divide<G: Game>(game: &G, depth: u32, threads: usize) -> Vec<(G::Move, u64)> {
    let mut first = Vec::new();
    game.moves(&mut first);
    if threads <= 1 || depth < 3 {
        return testing::divide(&mut game.clone(), depth);
    }
    let mut tasks: Vec<(usize, G::Move)> = Vec::new();
    for (index, &m) in first.iter().enumerate() {
        let mut second = Vec::new();
        game.clone().visit(m, |child| child.moves(&mut second));
        tasks.extend(second.into_iter().map(|m| (index, m)));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counts = vec![0; first.len()];
        let mut position = game.clone();
        while let Some(&(index, m)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts[index] += position
                .visit(first[index], |child| child.visit(m, |grandchild| testing::perft(grandchild, depth - 2)));
        }
        counts
    };
    let mut totals = vec![0; first.len()];
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            let counts = worker.join().expect("a worker only counts");
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
    });
    first.into_iter().zip(totals).collect()
}
