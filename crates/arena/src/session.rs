//! One game under way: what the command, the server and Python talk to.
//!
//! Types are forgotten here, once. Positions and moves are text for whoever uses a [`Session`], and stay what they are inside it: agents
//! that play each other ([`Session::play_out`]) never see a text.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nply::numbers::{Layout, Numbers, Planes};
use nply::proof::Counts;
use nply::scene::{Clicks, Scene};
use nply::{
    Agent, Budget, ByPlayer, Calibrated, Chance, Clocks, Code, Context, Decision, Declaration, Error, Evaluator, Game,
    Kit, Line, Notation, Player, Rng, Score, Spec, chances, mix, moves_left, testing,
};
use serde_json::{Value, json};

use crate::explain::Explanation;
use crate::record::{DecisionRecord, Ending, Forfeit};
use crate::registry::{GameInfo, NamedAgent, Registered, Request, Scope};
use crate::scene::MoveClicks;
use crate::solving::{self, ProofClaim, ProofFile, Solved, Solving, SolvingState};
use crate::terms::{Adjudicator, Terms};

/// One game under way, whatever its types.
pub trait Session: Send {
    /// The game's declaration.
    fn info(&self) -> &GameInfo;
    /// The number of players.
    fn player_count(&self) -> usize;
    /// Whose turn it is, from 1.
    fn turn(&self) -> usize;
    /// The position as one line.
    fn position(&self) -> String;
    /// The position as its player to move sees it, as one line: what is hidden is dealt at random.
    fn view(&mut self) -> String;
    /// The position as a picture, with colors or without.
    fn picture(&self, color: bool) -> String;
    /// The picture that these players, from 1, may see together: what is hidden from all of them is left out.
    fn picture_for(&self, players: &[usize], color: bool) -> String;
    /// How the position looks to these players, from 1, together, with the last move played here; `None` if the game has no scene.
    fn scene(&self, players: &[usize]) -> Option<Scene>;
    /// The legal moves in the game's own order; none if it is over.
    fn moves(&self) -> Vec<String>;
    /// The same, with what a person clicks to make each of them. Where cards are hidden, they tell the mover's hand.
    fn clicks(&self) -> Vec<MoveClicks>;
    /// What the moves played in this session clicked, in order.
    fn played_clicks(&self) -> Vec<MoveClicks>;
    /// The same for moves that follow one another from here, such as a principal variation, up to the first that cannot be played.
    fn line_clicks(&self, moves: &[String]) -> Vec<MoveClicks>;
    /// Each player's share of the win, once the game is over.
    fn payoff(&self) -> Option<Vec<f32>>;
    /// Raw points, where the game counts them.
    fn points(&self) -> Option<Vec<f32>>;
    /// How many moves each player is from winning; `None` if the game does not know, or not without slow preparations and `prepare` is
    /// false.
    fn moves_to_win(&self, prepare: bool) -> Result<Option<Vec<f64>>, Error>;
    /// Whether the game knows how many moves each player is from winning.
    fn knows_moves_to_win(&self) -> bool;
    /// The moves played in this session, in order.
    fn played(&self) -> Vec<String>;
    /// Whether each player still takes part.
    fn is_in(&self) -> Vec<bool>;
    /// How the positions and the moves of the game are numbers; [`Code::Refused`] from this and the next three, if it has none.
    fn layout(&self) -> Result<Layout, Error>;
    /// Draws the planes that a player, from 1, sees, or those of who sees everything.
    fn draw(&self, player: Option<usize>, planes: &mut Planes) -> Result<(), Error>;
    /// The numbers of the legal moves, in the order of [`moves`](Session::moves); replaces what is in `out`.
    fn move_numbers(&self, out: &mut Vec<usize>) -> Result<(), Error>;
    /// Plays the legal move with this number.
    fn play_number(&mut self, number: usize) -> Result<(), Error>;
    /// Plays a move.
    fn play(&mut self, text: &str) -> Result<(), Error>;
    /// Takes the last move of this session back; whether there was one.
    fn undo(&mut self) -> bool;
    /// A session of its own at an earlier ply of this one, or at the last, without agents; `None` if there is no such ply. What its
    /// agents are dealt depends on the seed and the ply alone, so asking one of them changes nothing for anybody else.
    fn fork(&self, ply: usize) -> Option<Box<dyn Session>>;
    /// A session of its own after one more move, without agents. Only that move is in its past, so it costs the same at any ply; agents
    /// that need to know the ply are asked in a session that has been played from its start.
    fn child(&self, text: &str) -> Result<Box<dyn Session>, Error>;
    /// What an evaluation, or the usual one, says of a position that is not over.
    fn judge(&self, evaluation: Option<&str>) -> Result<Judgement, Error>;
    /// For each player, whether the player to move has a move after which that player's score is lower than in this position, which is
    /// not over, by an evaluation or the usual one.
    fn harmed(&self, evaluation: Option<&str>) -> Result<Vec<bool>, Error>;
    /// Perft split by first move, in the game's order of moves, on so many threads.
    fn divide(&self, depth: u32, threads: usize) -> Vec<(String, u64)>;
    /// Checks an agent's name and settings for this game.
    fn agent(&self, text: &str) -> Result<NamedAgent, Error> {
        self.agent_within(text, &Budget::default())
    }

    /// The same where the common budget is known, on which depends what `best` stands for.
    fn agent_within(&self, text: &str, budget: &Budget) -> Result<NamedAgent, Error>;
    /// Makes an agent, which has a number from then on: 0, 1, …. Preparing it may take long, as building a table does.
    fn seat(&mut self, agent: &NamedAgent, seed: u64) -> Result<usize, Error>;
    /// The same, with the seeds that [`seat`](Session::seat) would derive.
    fn seat_with(&mut self, agent: &NamedAgent, chance: Chance) -> Result<usize, Error>;
    /// Goes to a position as its player to move sees it, where what is hidden is dealt already: agents, who stay, are shown it as it is.
    /// `ply` and `played` are the context of the next question: see [`Context`]. Moves that do not follow from the last position shown
    /// are left out.
    fn show(&mut self, position: &str, ply: Option<u32>, played: Option<&str>) -> Result<(), Error>;
    /// Sets everybody's clock for the next questions: what an agent may spend is then planned by its clock, within its budget.
    fn set_clocks(&mut self, clocks: Option<Clocks>);
    /// Asks an agent for a move of a game that is not over, and does not play it. [`Code::Forfeit`] if the agent fails to choose.
    fn think(&mut self, agent: usize, budget: &Budget, watch: &mut dyn FnMut(&Thought)) -> Result<Thought, Error>;
    /// Asks a new agent for a move of a game that is not over, does not play it, and shows the tree that it visited: at most so many nodes.
    fn explain(&mut self, agent: &NamedAgent, seed: u64, budget: &Budget, nodes: usize) -> Result<Explanation, Error>;
    /// What one player can be sure of from here against everybody else.
    fn solve(&self, asked: &Solving, watch: &mut dyn FnMut(&SolvingState)) -> Result<Solved, Error>;
    /// Checks the proof of a claim about this position, by the rules alone: what it consists of, or where it is wrong.
    fn check_proof(
        &self,
        file: &ProofFile,
        claim: &ProofClaim,
        watch: &mut dyn FnMut(&SolvingState),
    ) -> Result<Counts, Error>;
    /// Plays the game to its end: agent 0 is player 1, agent 1 is player 2, and so on, each with its budget. Nothing if a stop flag
    /// of a budget ended it.
    fn play_out(&mut self, budgets: &[Budget], terms: &Terms) -> Result<Option<Course>, Error>;

    /// Checks that agents can be made, and makes them. Those without an evaluation are the first: an evaluation may be slow.
    fn try_agents(&mut self, agents: &[&NamedAgent]) -> Result<(), Error> {
        let (slow, quick): (Vec<&NamedAgent>, Vec<&NamedAgent>) = agents.iter().partition(|agent| agent.evaluates());
        quick.into_iter().chain(slow).try_for_each(|agent| self.seat(agent, 0).map(drop))
    }

    /// Refuses to search in a game that is over.
    fn check_open(&self) -> Result<(), Error> {
        match self.payoff() {
            Some(_) => Err(Error::failed("there is nothing to search: the game is over")),
            None => Ok(()),
        }
    }

    /// Plays moves separated by spaces; an error names the first that is wrong, and those before it stay played.
    fn play_all(&mut self, moves: &str) -> Result<(), Error> {
        for (index, text) in moves.split_whitespace().enumerate() {
            self.play(text).map_err(|error| error.within(format_args!("move {}", index + 1)))?;
        }
        Ok(())
    }
}

/// What an evaluation says of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The score of each player.
    pub scores: Vec<Score>,
    /// Whether each player is still in.
    pub is_in: Vec<bool>,
    /// How much of the game is over, from 0 to 1.
    pub stage: f64,
    /// Each player's share of the win by the scores, if the evaluation has been calibrated.
    pub chances: Option<Vec<f64>>,
    /// The least score of each player in this position and all that can follow it.
    pub least: Vec<Score>,
    /// The greatest sum of all scores there.
    pub most_sum: Score,
}

/// How a game between agents went.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The decisions in order, each of them a ply.
    pub decisions: Vec<DecisionRecord>,
    /// Each player's share of the win; `None` if the game was forfeited.
    pub payoff: Option<Vec<f32>>,
    /// Raw points, where the game counts them.
    pub points: Option<Vec<f32>>,
    /// Why it ended.
    pub ending: Ending,
}

/// A seed from which the one it was made of cannot be computed.
fn hide(seed: u64) -> u64 {
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
    /// Each player's share of the win, as far as the agent can tell.
    pub chances: Option<Vec<f64>>,
    /// Plies of the last completed iteration.
    pub depth: u32,
    /// Positions visited after the root.
    pub nodes: u64,
    /// Time used.
    pub time: Duration,
    /// The principal variation.
    pub pv: Vec<String>,
    /// The best few moves, best first, where several were asked for; otherwise empty.
    pub lines: Vec<ThoughtLine>,
}

/// One of the best few moves, in text.
#[derive(Clone, Debug, PartialEq)]
pub struct ThoughtLine {
    /// The mover's value.
    pub value: Option<f64>,
    /// The value of every player.
    pub scores: Option<Vec<f64>>,
    /// Each player's share of the win.
    pub chances: Option<Vec<f64>>,
    /// The principal variation that starts with the move.
    pub pv: Vec<String>,
}

impl Thought {
    fn new<G: Notation>(game: &G, decision: &Decision<G::Move>) -> Thought {
        let text = |&m: &G::Move| game.move_to_text(m);
        let list = |values: &Option<ByPlayer<f64>>| values.as_ref().map(|values| values.as_slice().to_vec());
        let line = |line: &Line<G::Move>| ThoughtLine {
            value: line.value,
            scores: list(&line.scores),
            chances: list(&line.chances),
            pv: line.pv.iter().map(text).collect(),
        };
        Thought {
            m: text(&decision.m),
            value: decision.value,
            scores: list(&decision.scores),
            chances: list(&decision.chances),
            depth: decision.depth,
            nodes: decision.nodes,
            time: decision.time,
            pv: decision.pv.iter().map(text).collect(),
            lines: decision.lines.iter().map(line).collect(),
        }
    }

    /// As JSON; scores that are whole are written as whole numbers. The best few moves are there if they were asked for.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "move": self.m,
            "value": self.value.as_ref().map(whole),
            "scores": self.scores.as_deref().map(wholes),
            "chances": self.chances,
            "depth": self.depth,
            "nodes": self.nodes,
            "time_ms": self.time.as_secs_f64() * 1e3,
            "pv": self.pv,
        });
        if !self.lines.is_empty() {
            json["lines"] = self.lines.iter().map(ThoughtLine::to_json).collect();
        }
        json
    }
}

impl ThoughtLine {
    fn to_json(&self) -> Value {
        json!({
            "move": self.pv[0],
            "value": self.value.as_ref().map(whole),
            "scores": self.scores.as_deref().map(wholes),
            "chances": self.chances,
            "pv": self.pv,
        })
    }
}

/// A number that is written as a whole one if it is.
fn whole(x: &f64) -> Value {
    if x.fract() == 0.0 { json!(*x as i64) } else { json!(x) }
}

fn wholes(numbers: &[f64]) -> Vec<Value> {
    numbers.iter().map(whole).collect()
}

/// A session of a game whose types are known.
pub(crate) struct TypedSession<D: Declaration> {
    registered: Arc<Registered<D>>,
    game: D::Game,
    /// The positions before each move played here, with the move.
    past: Vec<(D::Game, Move<D>)>,
    agents: Vec<Seated<D::Game>>,
    /// Deals what is hidden from the agents.
    rng: Rng,
    /// Set if the position is already as its player to move sees it.
    shown: Option<Shown<D::Game>>,
    clocks: Option<Clocks>,
    /// The game with all its options.
    spec: Spec,
    seed: u64,
    noise: bool,
    programs: bool,
    progress: fn(&str, f64),
}

type Move<D> = <<D as Declaration>::Game as Game>::Move;

struct Seated<G: Game> {
    named: NamedAgent,
    agent: Box<dyn Agent<G>>,
    /// How many moves had been played here when it was last asked; `None` if some of them have been taken back.
    seen: Option<usize>,
}

/// The context of a position that was shown.
struct Shown<G: Game> {
    ply: u32,
    /// The moves that led here from the position before, as far as they are known, each with the position before it.
    played: Option<Vec<(G, G::Move)>>,
}

impl<D: Declaration> TypedSession<D> {
    pub(crate) fn new(registered: Arc<Registered<D>>, game: D::Game, spec: Spec, request: &Request) -> Self {
        let rng = Rng::new(mix(request.seed));
        let &Request { seed, noise, programs, progress, .. } = request;
        let (past, agents) = (Vec::new(), Vec::new());
        TypedSession {
            registered,
            game,
            past,
            agents,
            rng,
            shown: None,
            clocks: None,
            spec,
            seed,
            noise,
            programs,
            progress,
        }
    }

    /// The position as agents are shown it.
    fn seen(&mut self) -> D::Game {
        match self.shown {
            Some(_) => self.game.clone(),
            None => self.game.determinize(self.game.turn(), &mut self.rng),
        }
    }

    /// The seeds of an agent.
    fn chance(&self, seed: u64) -> Chance {
        Chance { own: hide(seed), common: hide(self.seed), noise: self.noise }
    }

    fn make(&self, agent: &NamedAgent, chance: Chance) -> Result<Box<dyn Agent<D::Game>>, Error> {
        let (players, budget) = (self.game.player_count(), Budget::default());
        let kit = Kit {
            game: &self.game,
            spec: &self.spec,
            order: &D::Order::default(),
            chance,
            programs: self.programs,
            progress: &self.progress,
            make: &|spec| {
                let scope = Scope { is_inside: true, ..Scope::new(&self.spec, players, &budget) };
                self.make(&self.registered.agent(spec, &scope)?, chance)
            },
        };
        self.registered.make(agent, &kit)
    }

    /// What an agent may spend on its next decision, and everybody's clock, if there are any.
    fn limits(&self, number: usize, common: &Budget) -> (Budget, Option<Clocks>) {
        let budget = self.agents[number].named.budget_or(common);
        let Some(clocks) = &self.clocks else { return (budget, None) };
        let clocks = Clocks { most: budget.time, ..clocks.clone() };
        let ply = self.shown.as_ref().map_or(self.past.len(), |shown| shown.ply as usize);
        let moves = moves_left((ply / self.game.player_count()) as u32, D::stage(&self.game));
        let time = Some(clocks.plan(self.game.turn(), moves));
        (Budget { time, ..budget }, Some(clocks))
    }

    /// Asks an agent for a move.
    fn decide(
        &mut self,
        number: usize,
        (budget, clocks): (&Budget, Option<&Clocks>),
        watch: &mut dyn FnMut(&Decision<Move<D>>),
    ) -> Result<Decision<Move<D>>, Error> {
        let position = self.seen();
        let Seated { agent, seen, .. } = &mut self.agents[number];
        let seen = seen.replace(self.past.len());
        match &self.shown {
            Some(Shown { ply, played }) => {
                let moves: Option<Vec<Move<D>>> =
                    played.as_ref().map(|played| played.iter().map(|(_, m)| *m).collect());
                let texts = || played.iter().flatten().map(|(game, m)| game.move_to_text(*m)).collect();
                agent.observe(&Context { ply: *ply, played: moves.as_deref(), texts: &texts, clocks });
            }
            None => {
                let past = &self.past[seen.unwrap_or(self.past.len())..];
                let moves: Vec<Move<D>> = past.iter().map(|(_, m)| *m).collect();
                let texts = || past.iter().map(|(game, m)| game.move_to_text(*m)).collect();
                let played = seen.map(|_| &moves[..]);
                agent.observe(&Context { ply: self.past.len() as u32, played, texts: &texts, clocks });
            }
        }
        let decision = agent.search(&position, budget, watch);
        match agent.fault() {
            Some(error) => Err(error.clone()),
            None => Ok(decision),
        }
    }

    /// Equal shares of the win for all players who are still in.
    fn shared(&self) -> Vec<f32> {
        let is_in = self.is_in();
        let count = is_in.iter().filter(|is_in| **is_in).count();
        is_in.into_iter().map(|is_in| if is_in { 1.0 / count as f32 } else { 0.0 }).collect()
    }

    /// How the game is numbers.
    fn numbers(&self) -> Result<Numbers<D::Game>, Error> {
        let name = self.registered.info.name;
        D::NUMBERS.ok_or_else(|| Error::refused(format!("positions and moves of {name} are not numbered")))
    }

    /// The players with these numbers.
    fn viewers(&self, numbers: &[usize]) -> Vec<Player> {
        Player::all(self.game.player_count()).filter(|player| numbers.contains(&player.number())).collect()
    }

    /// An evaluation, or the usual one, for a position that is not over and has scores.
    fn evaluator(&self, evaluation: Option<&str>) -> Result<Calibrated<D>, Error> {
        if self.game.payoff().is_some() {
            return Err(Error::failed("there is nothing to judge: the game is over"));
        }
        if D::least_depth(&self.game).is_some() {
            return Err(Error::refused(format!(
                "positions of {} have no scores before the end",
                self.registered.info.name
            )));
        }
        Calibrated::new(&self.game, &self.spec, evaluation, &self.progress)
    }

    fn apply(&mut self, m: Move<D>) {
        self.past.push((self.game.clone(), m));
        self.game.play(m);
        self.shown = None;
    }

    /// Moves by their texts, played one after another from a position; `None` if they cannot be.
    fn follow(&self, texts: &str) -> Option<Vec<(D::Game, Move<D>)>> {
        let mut game = self.game.clone();
        let mut moves = Vec::new();
        for text in texts.split_whitespace() {
            let m = game.move_from_text(text).ok()?;
            moves.push((game.clone(), m));
            game.play(m);
        }
        Some(moves)
    }
}

impl<D: Declaration> Session for TypedSession<D> {
    fn info(&self) -> &GameInfo {
        &self.registered.info
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
        self.seen().to_text()
    }

    fn picture(&self, color: bool) -> String {
        if color { format!("{:#}", self.game) } else { format!("{}", self.game) }
    }

    fn picture_for(&self, players: &[usize], color: bool) -> String {
        self.game.picture_for(&self.viewers(players), color)
    }

    fn scene(&self, players: &[usize]) -> Option<Scene> {
        let mut scene = self.game.scene(&self.viewers(players))?;
        if let Some((before, m)) = self.past.last() {
            // A card is gone once its trick is taken.
            let clicked = before.clicks(*m).places;
            scene.last = clicked.into_iter().filter(|id| scene.place(id).is_some()).collect();
        }
        Some(scene)
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        moves.iter().map(|&m| self.game.move_to_text(m)).collect()
    }

    fn clicks(&self) -> Vec<MoveClicks> {
        let mut moves = Vec::new();
        self.game.moves(&mut moves);
        moves.iter().map(|&m| clicks(&self.game, m)).collect()
    }

    fn played_clicks(&self) -> Vec<MoveClicks> {
        self.past.iter().map(|(game, m)| clicks(game, *m)).collect()
    }

    fn line_clicks(&self, moves: &[String]) -> Vec<MoveClicks> {
        let mut game = self.game.clone();
        let next = moves.iter().map_while(|text| {
            let m = game.move_from_text(text).ok()?;
            let found = clicks(&game, m);
            game.play(m);
            Some(found)
        });
        next.collect()
    }

    fn payoff(&self) -> Option<Vec<f32>> {
        self.game.payoff().map(|payoff| payoff.as_slice().to_vec())
    }

    fn points(&self) -> Option<Vec<f32>> {
        self.game.points().map(|points| points.as_slice().to_vec())
    }

    fn moves_to_win(&self, prepare: bool) -> Result<Option<Vec<f64>>, Error> {
        match D::moves_to_win(&self.game).filter(|moves| prepare || (moves.is_ready)()) {
            Some(moves) => Ok(Some((moves.count)(&self.game)?.as_slice().to_vec())),
            None => Ok(None),
        }
    }

    fn knows_moves_to_win(&self) -> bool {
        D::moves_to_win(&self.game).is_some()
    }

    fn played(&self) -> Vec<String> {
        self.past.iter().map(|(game, m)| game.move_to_text(*m)).collect()
    }

    fn is_in(&self) -> Vec<bool> {
        Player::all(self.game.player_count()).map(|player| self.game.is_in(player)).collect()
    }

    fn layout(&self) -> Result<Layout, Error> {
        Ok(self.numbers()?.layout(&self.game))
    }

    fn draw(&self, player: Option<usize>, planes: &mut Planes) -> Result<(), Error> {
        planes.show_with(&self.numbers()?, &self.game, player.map(|number| Player::new(number - 1)));
        Ok(())
    }

    fn move_numbers(&self, out: &mut Vec<usize>) -> Result<(), Error> {
        let (numbers, mut moves) = (self.numbers()?, Vec::new());
        self.game.moves(&mut moves);
        out.clear();
        out.extend(moves.iter().map(|&m| (numbers.move_number)(&self.game, m)));
        Ok(())
    }

    fn play_number(&mut self, number: usize) -> Result<(), Error> {
        let (numbers, mut moves) = (self.numbers()?, Vec::new());
        self.game.moves(&mut moves);
        let number_of = |m: Move<D>| (numbers.move_number)(&self.game, m);
        if let Some(&m) = moves.iter().find(|&&m| number_of(m) == number) {
            self.apply(m);
            return Ok(());
        }
        if moves.is_empty() {
            return Err(Error::new(Code::Move, format!("no move {number}: the game is over")));
        }
        let name = |&m: &Move<D>| format!("{} ({})", number_of(m), self.game.move_to_text(m));
        let few: Vec<String> = moves.iter().take(10).map(name).collect();
        let more =
            if moves.len() > few.len() { format!(" and {} more", moves.len() - few.len()) } else { String::new() };
        let error = Error::new(Code::Move, format!("no legal move has the number {number} here"));
        Err(error.help(format!("legal are {}{more}", few.join(", "))))
    }

    fn play(&mut self, text: &str) -> Result<(), Error> {
        let m = self.game.move_from_text(text)?;
        self.apply(m);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        match self.past.pop() {
            Some((before, _)) => self.game = before,
            None => return false,
        }
        self.shown = None;
        for seated in &mut self.agents {
            seated.seen = seated.seen.filter(|&seen| seen <= self.past.len());
        }
        true
    }

    fn fork(&self, ply: usize) -> Option<Box<dyn Session>> {
        let game = match self.past.get(ply) {
            Some((game, _)) => game.clone(),
            None if ply == self.past.len() => self.game.clone(),
            None => return None,
        };
        let shown = self.shown.as_ref().filter(|_| ply == self.past.len());
        Some(Box::new(TypedSession {
            registered: self.registered.clone(),
            game,
            past: self.past[..ply].to_vec(),
            agents: Vec::new(),
            rng: Rng::new(mix(self.seed ^ mix(ply as u64 + 1))),
            shown: shown.map(|shown| Shown { ply: shown.ply, played: None }),
            clocks: None,
            spec: self.spec.clone(),
            ..*self
        }))
    }

    fn child(&self, text: &str) -> Result<Box<dyn Session>, Error> {
        let m = self.game.move_from_text(text)?;
        let mut child = TypedSession {
            registered: self.registered.clone(),
            game: self.game.clone(),
            past: Vec::new(),
            agents: Vec::new(),
            rng: Rng::new(mix(self.seed)),
            shown: None,
            clocks: None,
            spec: self.spec.clone(),
            ..*self
        };
        child.apply(m);
        Ok(Box::new(child))
    }

    fn harmed(&self, evaluation: Option<&str>) -> Result<Vec<bool>, Error> {
        let evaluator = self.evaluator(evaluation)?;
        let before = evaluator.evaluate(&self.game);
        let (mut game, mut moves) = (self.game.clone(), Vec::new());
        game.moves(&mut moves);
        let mut harmed = vec![false; game.player_count()];
        for m in moves {
            let after = game.visit(m, |child| evaluator.scores(child));
            for (harmed, (player, before)) in harmed.iter_mut().zip(before.iter()) {
                *harmed |= after[player] < before;
            }
        }
        Ok(harmed)
    }

    fn judge(&self, evaluation: Option<&str>) -> Result<Judgement, Error> {
        let evaluator = self.evaluator(evaluation)?;
        let bounds = evaluator.bounds(&self.game);
        Ok(Judgement {
            least: bounds.min.as_slice().to_vec(),
            most_sum: bounds.max_sum,
            scores: evaluator.evaluate(&self.game).as_slice().to_vec(),
            is_in: self.is_in(),
            stage: D::stage(&self.game),
            chances: chances::in_position(&evaluator, &self.game).map(|chances| chances.as_slice().to_vec()),
        })
    }

    fn divide(&self, depth: u32, threads: usize) -> Vec<(String, u64)> {
        let counted = divide(&self.game, depth, threads);
        counted.into_iter().map(|(m, count)| (self.game.move_to_text(m), count)).collect()
    }

    fn agent_within(&self, text: &str, budget: &Budget) -> Result<NamedAgent, Error> {
        self.registered.agent(&Spec::parse(text)?, &Scope::new(&self.spec, self.game.player_count(), budget))
    }

    fn seat(&mut self, agent: &NamedAgent, seed: u64) -> Result<usize, Error> {
        self.seat_with(agent, self.chance(seed))
    }

    fn seat_with(&mut self, agent: &NamedAgent, chance: Chance) -> Result<usize, Error> {
        let made = self.make(agent, chance)?;
        self.agents.push(Seated { named: agent.clone(), agent: made, seen: Some(0) });
        Ok(self.agents.len() - 1)
    }

    fn show(&mut self, position: &str, ply: Option<u32>, played: Option<&str>) -> Result<(), Error> {
        let next = self.game.read(position)?;
        let played = played.and_then(|texts| self.follow(texts));
        self.game = next;
        self.past.clear();
        self.shown = Some(Shown { ply: ply.unwrap_or(0), played });
        Ok(())
    }

    fn set_clocks(&mut self, clocks: Option<Clocks>) {
        self.clocks = clocks;
    }

    fn think(&mut self, agent: usize, budget: &Budget, watch: &mut dyn FnMut(&Thought)) -> Result<Thought, Error> {
        self.check_open()?;
        let (budget, clocks) = self.limits(agent, budget);
        if let Some(least) = D::least_depth(&self.game) {
            self.agents[agent].named.check_depth(least, &budget)?;
        }
        let game = self.game.clone();
        let decision =
            self.decide(agent, (&budget, clocks.as_ref()), &mut |decision| watch(&Thought::new(&game, decision)))?;
        Ok(Thought::new(&game, &decision))
    }

    fn explain(&mut self, agent: &NamedAgent, seed: u64, budget: &Budget, nodes: usize) -> Result<Explanation, Error> {
        let rule = self.registered.check_rule(agent)?;
        if self.game.payoff().is_some() {
            return Err(Error::failed("there is nothing to search: the game is over"));
        }
        let budget = agent.budget_or(budget);
        if let Some(least) = D::least_depth(&self.game) {
            agent.check_depth(least, &budget)?;
        }
        let mut made = self.make(agent, self.chance(seed))?;
        let ply = self.shown.as_ref().map_or(self.past.len() as u32, |shown| shown.ply);
        made.observe(&Context { ply, played: None, texts: &Vec::new, clocks: None });
        let position = self.seen();
        let explained = made.explain(&position, &budget, nodes);
        let (decision, recording) = explained.expect("an agent with a rule records its tree");
        Ok(Explanation {
            agent: agent.to_string(),
            rule,
            players: self.game.player_count(),
            thought: Thought::new(&self.game, &decision),
            recording: recording.map(|m| self.game.move_to_text(m)),
        })
    }

    fn solve(&self, asked: &Solving, watch: &mut dyn FnMut(&SolvingState)) -> Result<Solved, Error> {
        solving::solve::<D>(&self.game, asked, watch)
    }

    fn check_proof(
        &self,
        file: &ProofFile,
        claim: &ProofClaim,
        watch: &mut dyn FnMut(&SolvingState),
    ) -> Result<Counts, Error> {
        solving::check::<D>(&self.game, file, claim, watch)
    }

    fn play_out(&mut self, budgets: &[Budget], terms: &Terms) -> Result<Option<Course>, Error> {
        let mut decisions = Vec::new();
        self.clocks = terms.clock.map(|clock| Clocks::new(clock, self.game.player_count()));
        let mut adjudicator = Adjudicator::new(terms.adjudication);
        for (ply, (game, _)) in self.past.iter().enumerate() {
            // An opening counts; the game ends at its first decision at the earliest.
            let _ = adjudicator.see(game.key(), ply);
        }
        let lost = |decisions, ending| Ok(Some(Course { decisions, payoff: None, points: None, ending }));
        loop {
            if let Some(payoff) = self.payoff() {
                let (payoff, points) = (Some(payoff), self.points());
                return Ok(Some(Course { decisions, payoff, points, ending: Ending::Normal }));
            }
            if let Some(reason) = adjudicator.see(self.game.key(), self.past.len()) {
                let (payoff, ending) = (Some(self.shared()), Ending::Adjudicated(reason));
                return Ok(Some(Course { decisions, payoff, points: None, ending }));
            }
            let seat = self.game.turn().index();
            let (budget, clocks) = self.limits(seat, &budgets[seat]);
            let named = &self.agents[seat].named;
            let keeps_time = named.info().keeps_time;
            if let Some(least) = D::least_depth(&self.game) {
                named.check_depth(least, &budget)?;
            }
            let started = Instant::now();
            let decision = self.decide(seat, (&budget, clocks.as_ref()), &mut |_| ());
            let time = started.elapsed();
            if budget.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let decision = match decision {
                Err(Error { code: Code::Forfeit, message: reason, .. }) => {
                    return lost(decisions, Ending::Forfeit(Forfeit { seat, reason }));
                }
                Err(Error { code: Code::OutOfTime, message: reason, .. }) => {
                    return lost(decisions, Ending::OutOfTime(Forfeit { seat, reason }));
                }
                decision => decision?,
            };
            let time = if keeps_time { decision.time } else { time };
            if let Some(clocks) = &mut self.clocks {
                let left = clocks.left[seat];
                if !clocks.spend(self.game.turn(), time) {
                    let (took, had) = (time.as_millis(), left.as_millis());
                    let reason = format!("its time ran out: it took {took} ms of the {had} ms that it had left");
                    return lost(decisions, Ending::OutOfTime(Forfeit { seat, reason }));
                }
            }
            let Decision { depth, nodes, playouts, .. } = decision;
            decisions.push(DecisionRecord { seat, depth, nodes, playouts, time });
            self.apply(decision.m);
        }
    }
}

fn clicks<G: Notation>(game: &G, m: G::Move) -> MoveClicks {
    let Clicks { places, choice } = game.clicks(m);
    MoveClicks { player: game.turn(), text: game.move_to_text(m), clicks: places, choice }
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
