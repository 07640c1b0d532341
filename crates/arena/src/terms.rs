//! The terms of a game between agents, besides the budgets of their decisions: a clock, and adjudication.

use std::collections::HashMap;
use std::str::FromStr;

use nply::settings::{self, Visitor};
use nply::{Budget, Clock, Error, Settings};

/// The terms of a game between agents, besides the budgets of their decisions. By default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Each player's time for the whole game. A player who exceeds it loses, see [`Forfeit`](crate::Forfeit).
    pub clock: Option<Clock>,
    /// When the game is ended as shared.
    pub adjudication: Adjudication,
}

impl Terms {
    /// The budget of a decision where none is given: with a clock, that is limit enough.
    pub fn usual_budget(&self) -> Budget {
        if self.clock.is_some() { Budget::default() } else { Budget::nodes(10_000) }
    }
}

/// When a game is ended as shared by all players who are still in, although it could go on. By default never; a limit of plies
/// that belongs to the rules of a game holds in any case.
///
/// ```
/// use nply_arena::Adjudication;
/// let adjudication: Adjudication = "plies=200,repetition=3".parse().unwrap();
/// assert_eq!(adjudication, Adjudication { repetition: Some(3), plies: Some(200) });
/// assert_eq!(adjudication.to_string(), "repetition=3,plies=200");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// Number of times that the same position occurs, with the same player to move.
    pub repetition: Option<u32>,
    /// Number of plies.
    pub plies: Option<u32>,
}

impl Settings for Adjudication {
    fn visit(&mut self, v: &mut Visitor<'_>) {
        let most = u64::from(u32::MAX);
        v.open_whole("repetition", &mut self.repetition, 2..=most, "times that the same position occurs");
        v.open_whole("plies", &mut self.plies, 1..=most, "plies played");
    }
}

impl std::fmt::Display for Adjudication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&settings::write(self))
    }
}

impl FromStr for Adjudication {
    type Err = Error;

    fn from_str(text: &str) -> Result<Adjudication, Error> {
        let mut adjudication = Adjudication::default();
        settings::read(&mut adjudication, text)?;
        if adjudication == Adjudication::default() {
            return Err(Error::usage("nothing is adjudicated").help("write repetition=3, plies=200, or both"));
        }
        Ok(adjudication)
    }
}

/// Watches a game for what ends it by [`Adjudication`].
#[derive(Debug, Default)]
pub(crate) struct Adjudicator {
    rules: Adjudication,
    /// How often each position has occurred, by its key.
    seen: HashMap<u64, u32>,
}

impl Adjudicator {
    pub(crate) fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, seen: HashMap::new() }
    }

    /// Sees the next position, after so many plies; the reason if the game ends here. Each position of the game is seen once.
    pub(crate) fn see(&mut self, key: u64, plies: usize) -> Option<String> {
        if let Some(most) = self.rules.repetition {
            let times = self.seen.entry(key).or_default();
            *times += 1;
            if *times >= most {
                return Some(format!("the same position occurred {most} times"));
            }
        }
        let most = self.rules.plies.filter(|&most| plies >= most as usize)?;
        Some(format!("{most} plies were played"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nply::testing;

    #[test]
    fn no_text_makes_the_reader_of_adjudications_fail() {
        testing::mangle(&["repetition=3,plies=200", "plies=1k", "repetition=2"], 1_000_000, |text| match text
            .parse::<Adjudication>(
        ) {
            Ok(rules) => assert_eq!(rules.to_string().parse(), Ok(rules), "{text:?}"),
            Err(error) => testing::check_error(&error.message, text),
        });
        for (text, expected) in [
            ("", "nothing is adjudicated"),
            ("repetition=1", "repetition does not take \"1\""),
            ("plies=0", "plies does not take \"0\""),
            ("ply=9", "unknown setting \"ply\""),
        ] {
            assert!(text.parse::<Adjudication>().unwrap_err().message.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_game_ends_at_the_given_repetition_or_ply_and_not_before() {
        let ends = |text: &str, keys: &[u64]| {
            let mut adjudicator = Adjudicator::new(text.parse().unwrap());
            keys.iter().enumerate().find_map(|(ply, &key)| Some((ply, adjudicator.see(key, ply)?)))
        };
        let keys = [1, 2, 1, 3, 2, 1, 3];
        assert_eq!(ends("repetition=3", &keys), Some((5, "the same position occurred 3 times".into())));
        assert_eq!(ends("repetition=2", &keys).unwrap().0, 2);
        assert_eq!(ends("repetition=4", &keys), None);
        assert_eq!(ends("plies=4", &keys), Some((4, "4 plies were played".into())));
        assert_eq!(ends("plies=4,repetition=2", &keys).unwrap().0, 2);
        assert_eq!(ends("plies=7", &keys), None);
    }
}
