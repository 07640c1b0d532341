//! An agent from outside, registered for one game, learns what has happened.

use std::sync::Mutex;

use nply::settings::Visitor;
use nply::{
    Agent, AgentSettings, AlgorithmFor, Budget, Context, Decision, Error, Game, Kit, Limit, Made, Settings, Tree,
};
use nply_arena::{Opening, Registry, Request, Terms};

/// Plays the first move and writes down every context.
#[derive(Clone, Debug, Default, PartialEq)]
struct WitnessSettings;

impl Settings for WitnessSettings {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
}

impl AgentSettings for WitnessSettings {
    const NAME: &'static str = "witness";
    const ABOUT: &'static str = "the first move; records its contexts";
    const LIMITS: &'static [Limit] = &[];
    const NEEDS_LIMIT: bool = false;
}

impl AlgorithmFor<Tree> for WitnessSettings {
    fn agent(&self, _: &Kit<'_, Tree>) -> Made<Tree> {
        Ok(Box::new(Witness))
    }
}

struct Witness;

/// The contexts of all witnesses: ply, moves, and the moves as text.
type Seen = (u32, Option<Vec<usize>>, Vec<String>);
static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());

impl Agent<Tree> for Witness {
    fn search(
        &mut self,
        game: &Tree,
        _: &Budget,
        _: &mut dyn FnMut(&Decision<<Tree as Game>::Move>),
    ) -> Decision<<Tree as Game>::Move> {
        let mut moves = Vec::new();
        game.moves(&mut moves);
        Decision::blind(moves[0])
    }

    fn observe(&mut self, context: &Context<'_, <Tree as Game>::Move>) {
        let played = context.played.map(|played| played.iter().map(|&m| m as usize).collect());
        SEEN.lock().unwrap().push((context.ply, played, (context.texts)()));
    }
}

#[test]
fn an_agent_learns_the_ply_and_the_moves_since_it_was_last_asked() {
    let registry = Registry::empty().game::<Tree>().agent::<Tree, WitnessSettings>();
    assert!(registry.agents().iter().any(|agent| agent.name == "witness" && agent.games == Some(vec!["tree"])));
    let position = "(1 1,1 (2 1,1 (1 1,1 (2 1,1 (1 1,1 2,2)))))".to_string();
    let game = registry.find("tree").unwrap();
    let request = Request { players: Some(2), position: Some(position), ..Request::default() };
    let mut session = game.open(&request).unwrap();
    let agent = session.agent("witness").unwrap();
    let (first, second) = (session.seat(&agent, 1).unwrap(), session.seat(&agent, 2).unwrap());
    let ask = |session: &mut Box<dyn nply_arena::Session>, seat| {
        session.think(seat, &Budget::default(), &mut |_| ()).unwrap();
        SEEN.lock().unwrap().pop().unwrap()
    };
    assert_eq!(ask(&mut session, first), (0, Some(vec![]), vec![]));
    session.play("2").unwrap();
    assert_eq!(ask(&mut session, second), (1, Some(vec![2]), vec!["2".to_string()]));
    session.play_all("2 2").unwrap();
    assert_eq!(ask(&mut session, first).1, Some(vec![2, 2, 2]));
    // A move taken back that the first has seen, and the second has not.
    session.undo();
    session.play("2").unwrap();
    assert_eq!(ask(&mut session, first), (3, None, vec![]));
    assert_eq!(ask(&mut session, second), (3, Some(vec![2, 2]), vec!["2".to_string(), "2".to_string()]));
    // A position that is shown comes with its own context.
    session.show("(2 1,1 (1 1,1 2,2))", Some(7), None).unwrap();
    assert_eq!(ask(&mut session, second), (7, None, vec![]));
    session.show("(1 1,1 2,2)", Some(8), Some("2")).unwrap();
    assert_eq!(ask(&mut session, first), (8, Some(vec![2]), vec!["2".to_string()]));
    session.show("(1 1,1 2,2)", Some(9), Some("nonsense")).unwrap();
    assert_eq!(ask(&mut session, first), (9, None, vec![]));
    // The moves of an opening are nobody's decisions, but everybody learns them.
    let opening = Opening { position: request.position.clone(), moves: vec!["2".into(), "2".into()] };
    let mut session = game.open(&opening.request(2, 1)).unwrap();
    assert_eq!([1, 2].map(|seed| session.seat(&agent, seed).unwrap()), [0, 1]);
    let clock = Terms { clock: Some("60s".parse().unwrap()), ..Terms::default() };
    let course = session.play_out(&[Budget::default(), Budget::default()], &clock).unwrap().unwrap();
    let seats: Vec<usize> = course.decisions.iter().map(|decision| decision.seat).collect();
    assert_eq!((seats, session.played()), (vec![0], ["2", "2", "1"].map(String::from).to_vec()));
    let seen = SEEN.lock().unwrap().pop().unwrap();
    assert_eq!(seen, (2, Some(vec![2, 2]), vec!["2".to_string(), "2".to_string()]));
}

#[test]
fn programs_are_started_only_where_that_is_allowed() {
    let game = Registry::standard().find("tree").unwrap();
    for agent in ["program:path=sh", "worlds:agent=(program:path=sh)"] {
        let mut session = game.open(&Request::default()).unwrap();
        let agent = session.agent(agent).unwrap();
        let error: Error = session.seat(&agent, 1).unwrap_err();
        assert_eq!(error.message, "outside programs are not started here");
    }
}
