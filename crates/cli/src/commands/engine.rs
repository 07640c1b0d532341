//! `nply engine`.

use std::io::{self, BufReader};

use nply_arena::Engine;

use super::App;
use crate::args;
use crate::output::{Failure, Out};

pub(super) fn run(asked: &args::Engine, app: &App, out: &mut Out) -> Result<(), Failure> {
    let game = asked.position.game(&app.registry)?;
    let mut engine = Engine::new(app.registry.clone(), game, asked.position.request(), &asked.agent)?;
    Ok(engine.serve(BufReader::new(io::stdin()), out)?)
}
