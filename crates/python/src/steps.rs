//! A game that is played in place, by the numbers of its moves: what environments for learning are made of.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nply::Error;
use nply::numbers::{Layout, Planes};
use nply::scene::{SvgOptions, svg};
use nply_arena::{NamedGame, Request, Session};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use crate::errors::raised;
use crate::position::{Position, Start};

/// A game that is played in place. Players are numbered from 0.
#[pyclass(frozen, module = "nply._nply")]
pub(crate) struct Steps {
    game: NamedGame,
    layout: Layout,
    state: Mutex<State>,
}

struct State {
    start: Arc<Start>,
    session: Box<dyn Session>,
    /// Kept from one observation to the next.
    planes: Planes,
    numbers: Vec<usize>,
}

impl Steps {
    pub(crate) fn new(game: NamedGame, start: Arc<Start>, session: Box<dyn Session>) -> Result<Steps, Error> {
        let layout = session.layout()?;
        let state = State { start, session, planes: Planes::default(), numbers: Vec::new() };
        Ok(Steps { game, layout, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The player to move, or -1 if the game is over; and whether each player still takes part, one bit each.
    fn turn(&self) -> (i32, u32) {
        let is_over = self.session.payoff().is_some();
        let turn = if is_over { -1 } else { self.session.turn() as i32 - 1 };
        let is_in = self.session.is_in();
        (turn, is_in.iter().rev().fold(0, |bits, &is_in| bits << 1 | u32::from(is_in)))
    }

    fn viewers(&self, player: Option<usize>) -> Vec<usize> {
        player.map_or_else(|| (1..=self.session.player_count()).collect(), |player| vec![player + 1])
    }
}

#[pymethods]
impl Steps {
    /// Number of players.
    #[getter]
    fn players(&self) -> usize {
        self.state().session.player_count()
    }

    /// The names of the planes.
    #[getter]
    fn planes(&self) -> Vec<String> {
        self.layout.planes.clone()
    }

    /// The rows and columns of every plane.
    #[getter]
    fn grid(&self) -> (usize, usize) {
        self.layout.grid.into()
    }

    /// How many numbers moves have.
    #[getter]
    fn actions(&self) -> usize {
        self.layout.moves
    }

    /// The player to move, or -1 if the game is over; and whether each player still takes part, one bit each.
    #[getter]
    fn turn(&self) -> (i32, u32) {
        self.state().turn()
    }

    /// Each player's share of the win once the game is over, otherwise None.
    #[getter]
    fn payoff(&self) -> Option<Vec<f32>> {
        self.state().session.payoff()
    }

    /// The position, which stays as it is.
    #[getter]
    fn position(&self) -> Position {
        let state = self.state();
        Position::after(self.game.clone(), state.start.clone(), &*state.session)
    }

    /// Back to the start, with the deal of this seed; returns `turn`.
    fn reset(&self, py: Python<'_>, seed: u64) -> PyResult<(i32, u32)> {
        let mut state = self.state();
        let start = Start { players: state.start.players, position: state.start.position.clone(), seed };
        let (players, position) = (Some(start.players), start.position.clone());
        let request = Request { players, position, seed, ..Request::default() };
        state.session = raised(py, self.game.open(&request))?;
        state.start = Arc::new(start);
        Ok(state.turn())
    }

    /// Plays the legal move with this number; returns `turn`.
    fn step(&self, py: Python<'_>, action: usize) -> PyResult<(i32, u32)> {
        let mut state = self.state();
        raised(py, state.session.play_number(action))?;
        Ok(state.turn())
    }

    /// What a player sees, or who sees everything: the planes as float32, and a byte for each number of a move, 1 if the player may play it.
    #[pyo3(signature = (player=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        player: Option<usize>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let state = &mut *self.state();
        let State { session, planes, numbers, .. } = state;
        raised(py, session.draw(player.map(|player| player + 1), planes))?;
        numbers.clear();
        if player.is_none_or(|player| player + 1 == session.turn()) {
            raised(py, session.move_numbers(numbers))?;
        }
        let values = planes.values();
        let seen = PyByteArray::new_with(py, size_of_val(values), |bytes| {
            for (place, value) in bytes.chunks_exact_mut(size_of::<f32>()).zip(values) {
                place.copy_from_slice(&value.to_ne_bytes());
            }
            Ok(())
        })?;
        let mask = PyByteArray::new_with(py, self.layout.moves, |bytes| {
            for &number in numbers.iter() {
                bytes[number] = 1;
            }
            Ok(())
        })?;
        Ok((seen, mask))
    }

    /// The legal moves as text with their numbers, in the game's own order.
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<(String, usize)>> {
        let state = self.state();
        let mut numbers = Vec::new();
        raised(py, state.session.move_numbers(&mut numbers))?;
        Ok(state.session.moves().into_iter().zip(numbers).collect())
    }

    /// The picture in characters that a player sees, or who sees everything.
    #[pyo3(signature = (player=None, color=false))]
    fn picture(&self, player: Option<usize>, color: bool) -> String {
        let state = self.state();
        state.session.picture_for(&state.viewers(player), color)
    }

    /// The picture as SVG, or None if the game has none.
    #[pyo3(signature = (player=None))]
    fn svg(&self, player: Option<usize>) -> Option<String> {
        let state = self.state();
        let scene = state.session.scene(&state.viewers(player))?;
        let title = state.session.info().name.into();
        Some(svg(&scene, &SvgOptions { title, ..SvgOptions::default() }))
    }

    /// By its position.
    #[pyo3(signature = () -> "tuple[object, ...]")]
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let steps = py.import("operator")?.getattr("methodcaller")?.call1(("_steps",))?;
        Ok((steps, (self.position(),)).into_pyobject(py)?.into_any())
    }
}
