//! Distances from winning: the moves that each player would still need alone on the board, in games that know them.

use nply::Error;

use crate::record::{Ending, GameRecord};
use crate::registry::{NamedGame, Registry, Request};
use crate::session::Session;
use crate::store::MatchSettings;

/// Checks that the distance from winning is known in a match.
pub(super) fn check_distance(registry: &Registry, settings: &MatchSettings) -> Result<(), Error> {
    let start =
        registry.find(&settings.game)?.open(&Request { players: Some(settings.players), ..Request::default() })?;
    if start.knows_moves_to_win() { Ok(()) } else { Err(unknown(settings)) }
}

/// The distance from winning of each seat at the end of a game, 0 for the winner; an error if the game knows none.
pub(super) fn final_distances(
    registry: &Registry,
    settings: &MatchSettings,
    record: &GameRecord,
) -> Result<Vec<f64>, Error> {
    let mut end = registry.find(&settings.game)?.open(&request(settings, record))?;
    record.moves.iter().try_for_each(|m| end.play(m))?;
    let left = end.moves_to_win(true)?.ok_or_else(|| unknown(settings))?.into_iter().enumerate();
    Ok(left.map(|(seat, left)| if record.winner() == Some(seat) { 0.0 } else { left }).collect())
}

fn unknown(settings: &MatchSettings) -> Error {
    let message = format!("the distance from winning is not known in {}", settings.game);
    Error::failed(message).help("measure something else")
}

fn request(settings: &MatchSettings, record: &GameRecord) -> Request {
    record.opening.request(settings.players, record.seed)
}

/// Follows games move by move to tell how far each seat was from winning.
///
/// Known for games with a distance function whose table is in the cache folder: nothing is built for this. There is none for a
/// game that was forfeited or that another version played by other rules.
#[derive(Clone)]
pub(super) struct Distances {
    game: NamedGame,
    settings: MatchSettings,
    distance: fn(&dyn Session) -> Result<Vec<f64>, Error>,
}

/// How far each seat was from winning in a game.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Approach {
    /// For each seat: the moves still needed at the end; 0 for the winner.
    pub(super) left: Vec<f64>,
    /// For each seat: the moves still needed after none, one, two, … of its own moves.
    pub(super) course: Vec<Vec<f64>>,
}

impl Distances {
    /// The distances in a match; `None` if the game knows none.
    pub(super) fn of(registry: &Registry, settings: &MatchSettings) -> Option<Distances> {
        let (players, game) = (Some(settings.players), registry.find(&settings.game).ok()?);
        let start = game.open(&Request { players, ..Request::default() }).ok()?;
        start.moves_to_win(false).ok()??;
        let distance = |session: &dyn Session| session.moves_to_win(false)?.ok_or_else(|| Error::failed("not known"));
        Some(Distances { game, settings: settings.clone(), distance })
    }

    pub(super) fn approach(&self, record: &GameRecord) -> Option<Approach> {
        if record.ending != Ending::Normal {
            return None;
        }
        let course = course(&self.game, &self.settings, record, self.distance).ok()?;
        let last = |(seat, course): (usize, &Vec<f64>)| match record.winner() {
            Some(winner) if winner == seat => 0.0,
            _ => course.last().copied().unwrap_or(0.0),
        };
        Some(Approach { left: course.iter().enumerate().map(last).collect(), course })
    }
}

/// What each player needs after the opening and after each of its own moves.
fn course(
    game: &NamedGame,
    settings: &MatchSettings,
    record: &GameRecord,
    distance: fn(&dyn Session) -> Result<Vec<f64>, Error>,
) -> Result<Vec<Vec<f64>>, Error> {
    let mut session = game.open(&request(settings, record))?;
    let mut course: Vec<Vec<f64>> = distance(&*session)?.into_iter().map(|start| vec![start]).collect();
    for m in &record.moves {
        let seat = session.turn() - 1;
        session.play(m)?;
        course[seat].push(distance(&*session)?[seat]);
    }
    Ok(course)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Match;
    use crate::record::Forfeit;

    /// Any number that depends on each player's pieces will do: here their places in the text of the position.
    fn distance(session: &dyn Session) -> Result<Vec<f64>, Error> {
        let position = session.position();
        let of = |player: usize| {
            let digit = char::from_digit(player as u32, 10).unwrap();
            position.char_indices().filter(|(_, c)| *c == digit).map(|(at, _)| at as f64).sum::<f64>()
        };
        Ok((1..=session.player_count()).map(of).collect())
    }

    #[test]
    fn distances_are_followed_move_by_move() {
        let registry = Registry::standard();
        let rolit = registry.find("rolit").unwrap();
        let game = Match {
            agents: rolit.agent_list("greedy:eval=discs random", 3).unwrap(),
            game: rolit,
            players: 3,
            games: 6,
            budget: nply::Budget::nodes(500),
            terms: crate::Terms::default(),
            seating: crate::Seating::All,
            schedule: crate::Schedule::All,
            openings: None,
            sampled: None,
            seed: 4,
            threads: 2,
            progress: |_, _| (),
        };
        let (settings, mut games) = (game.settings(), game.run(&Default::default(), |_| ()).unwrap());
        games[2].ending = Ending::Forfeit(Forfeit::default());
        games[3].payoff = vec![0.0, 1.0, 0.0];
        let distances = Distances { game: game.game.clone(), settings, distance };
        assert_eq!(distances.approach(&games[2]), None, "a forfeit has none");
        for (at, record) in games.iter().enumerate().filter(|(at, _)| *at != 2) {
            let Approach { left, course } = distances.approach(record).unwrap();
            let mut made = [0; 3];
            for plies in 0..=record.moves.len() {
                let (players, moves) = (Some(3), record.moves[..plies].join(" "));
                let there = game.game.open(&Request { players, moves, ..Request::default() }).unwrap();
                let expected = distance(&*there).unwrap();
                if plies == 0 {
                    (0..3).for_each(|seat| assert_eq!(course[seat][0], expected[seat], "game {at}"));
                } else {
                    let seat = record.decisions[plies - 1].seat;
                    made[seat] += 1;
                    assert_eq!(course[seat][made[seat]], expected[seat], "game {at}, ply {plies}");
                }
            }
            for seat in 0..3 {
                assert_eq!(course[seat].len() as u64, record.costs[seat].moves + 1);
                let is_winner = record.winner() == Some(seat);
                assert_eq!(left[seat], if is_winner { 0.0 } else { *course[seat].last().unwrap() });
            }
        }
    }

    #[test]
    fn a_game_without_a_distance_has_none() {
        let settings = MatchSettings { game: "hearts".into(), players: 2, ..MatchSettings::default() };
        let registry = Registry::standard();
        let settings = MatchSettings { players: 3, ..settings };
        assert!(Distances::of(&registry, &settings).is_none());
        let error = final_distances(&registry, &settings, &GameRecord::default()).unwrap_err();
        assert!(error.message.contains("is not known in hearts"), "{error}");
    }
}
