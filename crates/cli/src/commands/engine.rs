//! `nply engine`.

use std::io::{self, BufReader};

use nply_arena::{Engine, Spec};

use crate::args;
use crate::output::{Failure, Out};

pub(super) fn run(asked: &args::Engine, out: &mut Out) -> Result<(), Failure> {
    let (game, agent) = (asked.position.game()?, Spec::parse(&asked.agent)?);
    let mut engine = Engine::new(game, asked.position.request(), agent)?;
    Ok(engine.serve(BufReader::new(io::stdin()), out)?)
}
