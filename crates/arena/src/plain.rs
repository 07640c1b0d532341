//! Matches as plain data, so that any process on any machine can play any of their games.

use nply::{Code, Error};
use serde_json::{Value, json};

use crate::bench::FINGERPRINT;
use crate::matches::Match;
use crate::openings::Openings;
use crate::registry::{NamedAgent, Registry};
use crate::store::MatchSettings;
use crate::terms::Terms;

impl Match {
    /// The match as plain data: its settings, its number of games and its openings. Threads and progress reports are left to whoever
    /// plays it.
    ///
    /// ```
    /// use nply_arena::{Match, MatchFile, Registry};
    /// let registry = Registry::standard();
    /// let text = "game = 'tree'\nagents = ['maxn', 'random']\ngames = 10\n[[match]]\nname = 'm'";
    /// let game = MatchFile::parse(&registry, text).unwrap().get(&registry, 0).unwrap();
    /// let there = Match::from_json(&registry, &game.to_json()).unwrap();
    /// assert_eq!((there.settings(), there.total()), (game.settings(), game.total()));
    /// ```
    pub fn to_json(&self) -> Value {
        let openings = self.openings.as_ref().map(Openings::to_json);
        json!({ "settings": self.settings().json(), "games": self.games, "openings": openings })
    }

    /// Reads [`to_json`](Match::to_json) back, for one thread. An error if it is of another program, which might play other games, or
    /// would be another match here.
    pub fn from_json(registry: &Registry, json: &Value) -> Result<Match, Error> {
        let wrong = |what: &str| Error::new(Code::BadValue, format!("not a match: {what} does not fit"));
        let settings: MatchSettings =
            serde_json::from_value(json["settings"].clone()).map_err(|_| wrong("settings"))?;
        let help = "install the same version of nply wherever games are played";
        let here = env!("CARGO_PKG_VERSION");
        if settings.version != here {
            let message = format!("the match is of nply {}, and this is nply {here}", settings.version);
            return Err(Error::refused(message).help(help));
        }
        if settings.fingerprint.as_deref() != Some(FINGERPRINT) {
            let there = settings.fingerprint.as_deref().unwrap_or("none");
            let message = format!(
                "the match is of a program with other search behavior: fingerprint {there}, and this one has {FINGERPRINT}"
            );
            return Err(Error::refused(message).help(help));
        }
        let game = registry.find(&settings.game)?;
        let players = game.player_count(Some(settings.players))?;
        let agent = |(index, text): (usize, &String)| -> Result<NamedAgent, Error> {
            let mut agent = game.agent(text, players)?;
            agent.label = settings.names.get(index).cloned().flatten();
            Ok(agent)
        };
        let agents = settings.agents.iter().enumerate().map(agent).collect::<Result<Vec<NamedAgent>, Error>>()?;
        let adjudication =
            if settings.adjudicate.is_empty() { Ok(Default::default()) } else { settings.adjudicate.parse() };
        let clock = settings.clock.as_deref().map(str::parse).transpose()?;
        let found = Match {
            players,
            agents,
            games: json["games"].as_u64().ok_or_else(|| wrong("games"))?,
            budget: settings.common_budget().ok_or_else(|| wrong("budget"))?,
            terms: Terms { clock, adjudication: adjudication? },
            openings: match &json["openings"] {
                Value::Null => None,
                openings => Some(Openings::from_json(openings).ok_or_else(|| wrong("openings"))?),
            },
            seating: settings.seating,
            schedule: settings.schedule,
            sampled: Some(settings.sampled),
            seed: settings.seed,
            threads: 1,
            progress: |_, _| (),
            game,
        };
        found.check_schedule()?;
        match settings.difference(&found.settings()) {
            None => Ok(found),
            Some((what, asked, here)) => {
                let message =
                    format!("the match has the {what} {asked:?}, and this program would play it with {here:?}");
                Err(Error::refused(message).help(help))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::MatchFile;

    /// A line of every kind of setting.
    const FILE: &str = r#"
        game = "rolit"
        players = 3
        games = 12
        nodes = 30
        seed = 5
        [[match]]
        name = "plain"
        agents = ["brs:eval=discs", "random"]
        [[match]]
        name = "random-openings"
        agents = ["greedy", { name = "random", label = "any" }]
        openings = "random:3"
        adjudicate = "plies=20"
        schedule = "pairs"
        [[match]]
        name = "book"
        agents = ["greedy", "random", "maxn:nodes=20,eval=discs"]
        openings = "book.txt"
        seating = "fixed"
        [[match]]
        name = "clock"
        agents = ["random", "greedy"]
        clock = "60s+0.5s"
        nodes = 10
        [[match]]
        name = "sample"
        agents = ["random", "greedy", "maxn:depth=1", "brs:depth=1", "paranoid:depth=1"]
        games = 10
        [[match]]
        name = "cards"
        game = "hearts"
        agents = ["random", "greedy"]
    "#;

    fn matches() -> Vec<Match> {
        let (folder, registry) = (tempfile::tempdir().unwrap(), Registry::standard());
        let start = registry.find("rolit").unwrap().open(&crate::Opening::default().request(3, 1)).unwrap();
        let moves = start.moves();
        let lines = format!("{}\n{}\n", moves[0], start.position());
        std::fs::write(folder.path().join("book.txt"), lines).unwrap();
        let file = MatchFile::parse_in(&registry, FILE, folder.path()).unwrap();
        // The folder is gone when they are played.
        (0..file.matches.len()).map(|index| file.get(&registry, index).unwrap()).collect()
    }

    #[test]
    fn a_match_that_was_sent_as_text_plays_the_same_games() {
        for game in matches() {
            let text = game.to_json().to_string();
            let there = Match::from_json(&Registry::standard(), &serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!((there.settings(), there.total(), there.games), (game.settings(), game.total(), game.games));
            assert_eq!(there.to_json(), game.to_json());
            let play = |game: &Match| {
                let records = game.play_games(&[0, 3, 7], &Arc::default(), |_| ()).unwrap();
                let told = |record: crate::GameRecord| (record.seating, record.opening, record.moves, record.payoff);
                records.into_iter().map(told).collect::<Vec<_>>()
            };
            assert_eq!(play(&there), play(&game), "{text}");
        }
    }

    #[test]
    fn other_programs_and_damaged_text_are_refused_with_a_reason() {
        let (json, registry) = (matches()[2].to_json(), Registry::standard());
        let refused = |path: &str, value: Value| {
            let mut other = json.clone();
            *other.pointer_mut(path).unwrap() = value;
            let error = Match::from_json(&registry, &other).map(drop).unwrap_err();
            format!("{error} {}", error.help.clone().unwrap_or_default())
        };
        for (path, value, expected) in [
            ("/settings/version", json!("9.9.9"), "the match is of nply 9.9.9, and this is nply"),
            ("/settings/version", json!("9.9.9"), "install the same version of nply wherever games are played"),
            ("/settings/fingerprint", json!("other"), "other search behavior: fingerprint other, and this one has"),
            ("/settings/fingerprint", Value::Null, "fingerprint none"),
            ("/settings/openings", json!("book.txt#0"), "the match has the openings"),
            ("/settings/budget", json!("nodes=many"), "budget does not fit"),
            ("/settings/game", json!("go"), "unknown game \"go\""),
            ("/settings", json!(7), "settings does not fit"),
            ("/games", Value::Null, "games does not fit"),
            ("/openings", json!([1]), "openings does not fit"),
        ] {
            let message = refused(path, value);
            assert!(message.contains(expected), "{path}: {message}");
        }
    }
}
