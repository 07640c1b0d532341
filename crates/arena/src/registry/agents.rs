//! The agents, their options, and how each is made for a game.

use std::sync::Arc;

use nply::{Agent, Evaluator, Greedy, MoveOrder, Noisy, Notation, Random};

use super::{GameInfo, Registered};
use crate::error::Error;
use crate::spec::{Kind, OptionInfo, Options, Spec};

/// What is said of an agent: its name and options.
#[derive(Clone, Copy, Debug)]
pub struct AgentInfo {
    /// The name.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// Its options, in groups that agents share.
    groups: &'static [&'static [OptionInfo]],
    /// Whether it takes the options of the game's ordering too.
    is_ordered: bool,
}

impl AgentInfo {
    /// The options; in a game, also those that the game's ordering adds.
    pub fn options(&self, game: Option<&GameInfo>) -> Vec<OptionInfo> {
        let mut options: Vec<OptionInfo> = self.groups.iter().copied().flatten().copied().collect();
        if self.is_ordered {
            options.extend(game.map_or(&[][..], |game| game.order_options));
        }
        options
    }
}

/// What is said of each agent.
pub fn agents() -> &'static [AgentInfo] {
    AGENTS
}

const AGENTS: &[AgentInfo] = &[
    AgentInfo { name: "random", about: "any legal move, each as likely as any other", groups: &[], is_ordered: false },
    AgentInfo {
        name: "greedy",
        about: "the move whose position looks best for the mover; equals at random",
        groups: &[EVALUATION],
        is_ordered: false,
    },
];

/// Options of whoever judges positions.
const EVALUATION: &[OptionInfo] = &[
    OptionInfo { key: "eval", kind: Kind::Eval, default: "", about: "the evaluation; by default the game's first" },
    OptionInfo {
        key: "noise",
        kind: Kind::Choice(&["no", "yes"]),
        default: "",
        about: "a small random factor in the evaluation; by default only in tournaments",
    },
];

/// Everything that making an agent needs.
pub(crate) struct AgentMaker<'a, G: Notation, E, O> {
    pub(crate) registered: &'a Arc<Registered<G, E, O>>,
    /// The position of the game, whose options an evaluation may depend on.
    pub(crate) game: &'a G,
    pub(crate) seed: u64,
    /// Whether evaluations are noisy unless the agent says otherwise.
    pub(crate) noise: bool,
    pub(crate) noise_seed: u64,
}

/// One agent being made.
pub(crate) struct Making<'a, G: Notation, E, O> {
    maker: &'a AgentMaker<'a, G, E, O>,
    options: Options,
}

impl<G, E, O> AgentMaker<'_, G, E, O>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    /// Finds an agent by its name, checks its options and makes it.
    pub(crate) fn make(&self, spec: &Spec) -> Result<Box<dyn Agent<G>>, Error> {
        let Some(info) = AGENTS.iter().find(|info| info.name == spec.name) else {
            let names: Vec<&str> = AGENTS.iter().map(|info| info.name).collect();
            return Err(Error::unknown("agent", &spec.name, &names));
        };
        let game = &self.registered.entry.info;
        let options = Options::check(spec, &info.options(Some(game)), &game.eval_names())?;
        let making = Making { maker: self, options };
        match info.name {
            "random" => Ok(Box::new(Random::new(self.seed))),
            "greedy" => Ok(Box::new(Greedy::new(making.evaluator()?, self.seed))),
            other => unreachable!("{other} is declared but not made"),
        }
    }
}

impl<G, E, O> Making<'_, G, E, O>
where
    G: Notation + 'static,
    E: Evaluator<G> + 'static,
    O: MoveOrder<G> + 'static,
{
    fn evaluator(&self) -> Result<Noisy<E>, Error> {
        let entry = &self.maker.registered.entry;
        let inner = (entry.eval)(self.options.text("eval"), self.maker.game)?;
        let noisy = match self.options.text("noise") {
            "" => self.maker.noise,
            said => said == "yes",
        };
        Ok(Noisy { inner, most: if noisy { entry.noise } else { 0 }, seed: self.maker.noise_seed })
    }
}
