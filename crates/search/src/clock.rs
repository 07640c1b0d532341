//! Clocks: a player's time for a whole game, [`Clock`]; everybody's clock during one, [`Clocks`]; and how an agent divides its
//! time among its moves, [`Clocks::plan`].

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::{Code, Error, Player, quantity};

/// A player's time for a whole game, and what is added to it after each of the player's moves: `60s+0.5s`. Without an
/// increment, `60s`.
///
/// ```
/// use nply::Clock;
/// let clock: Clock = "1m+0.5s".parse().unwrap();
/// assert_eq!(clock.to_string(), "60s+500ms");
/// assert_eq!(clock.to_string().parse(), Ok(clock));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clock {
    /// The time at the start of the game; above zero.
    pub time: Duration,
    /// The time that is added after each move.
    pub increment: Duration,
}

impl FromStr for Clock {
    type Err = Error;

    fn from_str(text: &str) -> Result<Clock, Error> {
        let wrong = || Error::new(Code::BadValue, format!("{text:?} is not a clock; write 60s or 60s+0.5s"));
        let (time, increment) = match text.split_once('+') {
            Some((time, increment)) => (time, quantity::time(increment).map_err(|_| wrong())?),
            None => (text, Duration::ZERO),
        };
        let time = quantity::time(time).ok().filter(|time| !time.is_zero()).ok_or_else(wrong)?;
        Ok(Clock { time, increment })
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quantity::time_text(self.time))?;
        if self.increment.is_zero() { Ok(()) } else { write!(f, "+{}", quantity::time_text(self.increment)) }
    }
}

/// Everybody's clock when a player is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The time that each player has left, in the order of the players.
    pub left: Vec<Duration>,
    /// The time that is added after each move.
    pub increment: Duration,
    /// The most that one decision may take, where that is limited besides.
    pub most: Option<Duration>,
}

/// The part of a player's time that is never planned: what a move costs besides thinking, such as waiting for a core or a pipe.
const MARGIN: Duration = Duration::from_millis(10);

impl Clocks {
    /// The clocks at the start of a game.
    pub fn new(clock: Clock, players: usize) -> Clocks {
        Clocks { left: vec![clock.time; players], increment: clock.increment, most: None }
    }

    /// Takes a decision's time from a player's clock, and adds the increment; `false` if the player had less time, who then has
    /// none left.
    #[must_use]
    pub fn spend(&mut self, player: Player, time: Duration) -> bool {
        let left = &mut self.left[player.index()];
        let rest = left.checked_sub(time);
        *left = rest.map_or(Duration::ZERO, |rest| rest.saturating_add(self.increment));
        rest.is_some()
    }

    /// The time for a player's next decision if so many more are expected: an equal part of what is left and most of the
    /// increment, at most half of what is left. It is never more than what is left, and never more than [`most`](Clocks::most).
    pub fn plan(&self, player: Player, moves: u32) -> Duration {
        let free = self.left[player.index()].saturating_sub(MARGIN);
        let share = (free / moves.max(1)).saturating_add(self.increment / 4 * 3);
        share.min(free / 2).min(self.most.unwrap_or(Duration::MAX))
    }
}

/// The number of own moves that are expected where a game does not show how far it is.
const USUAL: f64 = 30.0;
/// A part of the game that is too small to tell its length from.
const EARLY: f64 = 0.1;

/// The number of moves that a player still has to make, after so many, if this part of the game is over: see
/// [`Declaration::stage`](crate::Declaration::stage). A guess, between 4 and 60.
///
/// ```
/// use nply::moves_left;
/// assert_eq!(moves_left(10, 0.25), 30);
/// assert_eq!(moves_left(0, 0.0), 30);
/// ```
pub fn moves_left(made: u32, stage: f64) -> u32 {
    let left = if stage < EARLY { USUAL } else { f64::from(made) * (1.0 - stage) / stage };
    left.round().clamp(4.0, 60.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rng, testing};

    #[test]
    fn no_text_makes_the_reader_of_clocks_fail() {
        let mut read = 0;
        testing::mangle(&["60s+0.5s", "1m", "2h+200ms", "0.25s+0s"], 1_000_000, |text| match text.parse::<Clock>() {
            Ok(clock) => {
                read += 1;
                assert!(!clock.time.is_zero(), "{text:?}");
                // Beyond some weeks a nanosecond is more than a floating-point number can tell.
                if clock.time.max(clock.increment) < Duration::from_secs(1_000_000) {
                    assert_eq!(clock.to_string().parse(), Ok(clock), "{text:?}");
                }
            }
            Err(error) => testing::check_error(&error, text),
        });
        assert!(read > 1000, "{read}");
        for text in ["", "60", "0s", "60s+", "+1s", "60s+1", "60s+1s+1s", "-1s"] {
            let error = text.parse::<Clock>().unwrap_err();
            assert!(error.message.ends_with("is not a clock; write 60s or 60s+0.5s"), "{error}");
        }
    }

    /// A duration of any size up to a day, small ones as often as large ones.
    fn any_time(rng: &mut Rng) -> Duration {
        let most = 1 << rng.below(31);
        Duration::from_nanos(rng.below(most) as u64) * (1 << rng.below(16))
    }

    #[test]
    fn a_plan_is_never_more_than_what_is_left() {
        let mut rng = Rng::new(1);
        for _ in 0..200_000 {
            let most = (rng.below(2) == 0).then(|| any_time(&mut rng));
            let left: Vec<Duration> = (0..3).map(|_| any_time(&mut rng)).collect();
            let clocks = Clocks { left, increment: any_time(&mut rng), most };
            let moves = rng.below(100) as u32;
            for player in Player::all(3) {
                let plan = clocks.plan(player, moves);
                assert!(plan <= clocks.left[player.index()] / 2, "{clocks:?}, {moves} moves: {plan:?}");
                assert!(most.is_none_or(|most| plan <= most), "{clocks:?}: {plan:?}");
            }
        }
    }

    #[test]
    fn a_player_who_keeps_to_the_plan_never_runs_out_of_time_and_uses_most_of_it() {
        let (mut rng, player) = (Rng::new(2), Player::new(0));
        for round in 0..200 {
            let clock = if round % 2 == 0 { "1s+20ms" } else { "60s" }.parse().unwrap();
            let (mut clocks, length) = (Clocks::new(clock, 2), 5 + rng.below(200) as u32);
            let overhead = Duration::from_micros(rng.below(if clock.increment.is_zero() { 2000 } else { 5000 }) as u64);
            for made in 0..length {
                let moves = moves_left(made, f64::from(made) / f64::from(length));
                assert!(clocks.spend(player, clocks.plan(player, moves) + overhead), "{clock}, {length} moves");
            }
            let part = clocks.left[0].as_secs_f64() / clock.time.as_secs_f64();
            assert!(length < 20 || part < 0.4, "{clock}, {length} moves: {part} is left");
        }
    }

    #[test]
    fn a_decision_longer_than_the_time_left_empties_the_clock() {
        let mut clocks = Clocks::new("1s+1s".parse().unwrap(), 2);
        let (one, other) = (Player::new(0), Player::new(1));
        assert!(clocks.spend(one, Duration::from_millis(400)));
        assert_eq!(clocks.left, [Duration::from_millis(1600), Duration::from_secs(1)]);
        assert!(!clocks.spend(other, Duration::from_millis(1001)));
        assert_eq!(clocks.left[1], Duration::ZERO);
    }
}
