//! Blocks of pages that compare agents with each other instead of a paper's figures: rates, who leads where, colors and budgets.
//!
//! A table that is shown as `leaders`, `heat` or `budgets` has matches named GAME-PLAYERS-BUDGET, such as `rolit-3-10ms`. An agent
//! belongs to the family that its name says, whatever its settings are.

use nply::{Error, Spec};

use super::{Measured, Played, Results};
use crate::experiment::LEVEL;
use crate::plot::{Heat, Panel, PanelRow, heat_svg, panels_svg};
use crate::report::{Format, Table, estimate_text};
use crate::statistics::{Estimate, Measure, Tally, difference, holm, two_sided};

/// Matches of one game and number of players with different budgets.
struct Place<'a> {
    /// What the names of its matches start with.
    name: &'a str,
    /// The budget and the match, in the order of the file.
    budgets: Vec<(&'a str, &'a Played)>,
}

/// The places of a table and the budgets, each in the order in which they come.
fn places(table: &Measured) -> (Vec<Place<'_>>, Vec<&str>) {
    let (mut places, mut budgets): (Vec<Place<'_>>, Vec<&str>) = (Vec::new(), Vec::new());
    for played in &table.played {
        let full = table.file.matches[played.entry].name.as_str();
        let (name, budget) = full.rsplit_once('-').unwrap_or((full, ""));
        if !budgets.contains(&budget) {
            budgets.push(budget);
        }
        match places.iter_mut().find(|place| place.name == name) {
            Some(place) => place.budgets.push((budget, played)),
            None => places.push(Place { name, budgets: vec![(budget, played)] }),
        }
    }
    (places, budgets)
}

impl Place<'_> {
    fn at(&self, budget: &str) -> Option<&Played> {
        self.budgets.iter().find(|(own, _)| *own == budget).map(|&(_, played)| played)
    }

    /// How people call it: `rolit-3` is `rolit, 3`.
    fn title(&self) -> String {
        self.name.rsplit_once('-').map_or_else(|| self.name.into(), |(game, players)| format!("{game}, {players}"))
    }
}

/// The family of an agent of a match.
fn family(played: &Played, agent: usize) -> String {
    let text = &played.settings.agents[agent];
    Spec::parse(text).map_or_else(|_| text.clone(), |spec| spec.name)
}

/// The index of the agent of a family.
fn member(played: &Played, name: &str) -> Option<usize> {
    (0..played.settings.agents.len()).find(|&agent| family(played, agent) == name)
}

/// The families of a table, in the order in which they come.
fn families(table: &Measured) -> Vec<String> {
    let mut families = Vec::new();
    for played in &table.played {
        for agent in 0..played.settings.agents.len() {
            let name = family(played, agent);
            if !families.contains(&name) {
                families.push(name);
            }
        }
    }
    families
}

/// The probability that a difference is by chance.
fn chance(gap: Option<Estimate>) -> f64 {
    gap.filter(|gap| gap.high.is_finite()).map_or(1.0, |gap| {
        let nearer = if gap.value > 0.0 { gap.value - gap.low } else { gap.high - gap.value };
        two_sided(gap.value / (nearer / crate::experiment::Z))
    })
}

impl Results<'_> {
    fn rate(&self, played: &Played, agent: usize) -> Result<Option<Estimate>, Error> {
        Measure::Rate.estimate(self.registry, agent, &played.settings, &played.games)
    }

    /// The agents of a match by their rates, the best first.
    fn ranked(&self, played: &Played) -> Result<Vec<(usize, Estimate)>, Error> {
        let mut ranked = Vec::new();
        for agent in 0..played.settings.agents.len() {
            ranked.extend(self.rate(played, agent)?.map(|rate| (agent, rate)));
        }
        ranked.sort_by(|(_, one), (_, other)| other.value.total_cmp(&one.value));
        Ok(ranked)
    }

    /// Every agent of every match: its rate, rating, depth, and nodes.
    pub(super) fn rates_block(&self, name: &str) -> Result<String, Error> {
        let table = self.table(name)?;
        let mut text = format!("{}.\n\n", table.file.title);
        if table.played.is_empty() {
            text.push_str("Not played yet.\n");
            return Ok(text);
        }
        let words = ["match", "agent", "win rate (%) (95 % interval)", "rating to the first", "depth", "nodes a move"];
        let more = ["budget", "games", "distinct", "draws", "cut off"];
        let mut rows = Vec::new();
        for (at, played) in table.played.iter().enumerate() {
            let tally = Tally::of(self.registry, &played.settings, &played.games);
            let shown = tally.rows();
            for (place, (agent, rate)) in self.ranked(played)?.into_iter().enumerate() {
                let row = &shown[agent];
                let rating = tally.rating(agent).map(|found| [found.value, found.low, found.high]);
                let rating = rating.map_or_else(String::new, |[value, low, high]| match agent {
                    0 => "0".into(),
                    _ => format!("{value:+.0} ({low:+.0} to {high:+.0})"),
                });
                let mut cells = vec![
                    table.match_name(at).into(),
                    format!("`{}`", played.settings.label(agent)),
                    estimate_text(Some(rate)),
                    rating,
                    row.depth.map_or_else(String::new, |depth| format!("{:.1}", depth.value)),
                    format!("{:.0}", row.nodes),
                ];
                cells.extend(if place == 0 { self.facts(played) } else { vec![String::new(); more.len()] });
                rows.push(cells);
            }
        }
        let header = words.iter().chain(&more).map(|&word| word.into()).collect();
        let shown = Table { caption: String::new(), header, rows }.write(Format::Markdown);
        text.push_str(shown.trim_start_matches('*').trim_start());
        text.push('\n');
        if !table.file.note.is_empty() {
            text.push_str(&format!("{}\n\n", table.file.note));
        }
        text.push_str(&table.remarks());
        Ok(text)
    }

    /// Who leads in each place, by budget, and whether that is more than chance: 5 % for all of them together.
    pub(super) fn leaders_block(&self, name: &str) -> Result<String, Error> {
        let table = self.table(name)?;
        let (places, budgets) = places(table);
        let (mut rows, mut chances) = (Vec::new(), Vec::new());
        for place in &places {
            for budget in &budgets {
                let Some(played) = place.at(budget) else { continue };
                let ranked = self.ranked(played)?;
                let [(first, best), (second, next), ..] = ranked[..] else { continue };
                chances.push(chance(difference(first, second, &played.settings, &played.games)));
                let even = 100.0 * played.settings.even_rate();
                let named = |agent: usize| format!("`{}`", family(played, agent));
                rows.push(vec![
                    place.title(),
                    budget.to_string(),
                    named(first),
                    estimate_text(Some(best)),
                    named(second),
                    estimate_text(Some(next)),
                    format!("{even:.1}"),
                ]);
            }
        }
        for (row, chance) in rows.iter_mut().zip(holm(&chances)) {
            row.push(if chance < LEVEL { "shown" } else { "open" }.into());
        }
        let header = ["game, players", "budget", "first", "its rate (%)", "second", "its rate (%)", "even", "lead"];
        let header = header.map(String::from).to_vec();
        let shown = Table { caption: String::new(), header, rows }.write(Format::Markdown);
        Ok(shown.trim_start_matches('*').trim_start().into())
    }

    /// The rates of all families in all places as colors, a panel for each budget.
    pub(super) fn heat(&self, name: &str) -> Result<String, Error> {
        let table = self.table(name)?;
        let ((places, budgets), families) = (places(table), families(table));
        let even = |place: &Place<'_>| 100.0 * place.budgets[0].1.settings.even_rate();
        let rows = places.iter().map(|place| (place.title(), even(place))).collect();
        let mut panels = Vec::new();
        for budget in budgets {
            let mut cells = Vec::new();
            for place in &places {
                let mut row = Vec::new();
                for family in &families {
                    let found = place.at(budget).and_then(|played| Some((played, member(played, family)?)));
                    let rate = found.map(|(played, agent)| self.rate(played, agent)).transpose()?.flatten();
                    row.push(rate.map(|rate| rate.value));
                }
                cells.push(row);
            }
            panels.push((budget.to_string(), cells));
        }
        Ok(heat_svg(&table.file.title, &Heat { columns: families, rows, panels }))
    }

    /// The rates of all families with the first and the last budget, a panel for each place.
    pub(super) fn budgets(&self, name: &str) -> Result<String, Error> {
        let table = self.table(name)?;
        let (places, budgets) = places(table);
        let (Some(first), Some(last)) = (budgets.first(), budgets.last()) else {
            return Ok(panels_svg(&table.file.title, ["", ""], &[]));
        };
        let mut panels = Vec::new();
        for place in &places {
            let (Some(one), Some(other)) = (place.at(first), place.at(last)) else { continue };
            let mut rows = Vec::new();
            for (agent, small) in self.ranked(one)? {
                let name = family(one, agent);
                let Some(member) = member(other, &name) else { continue };
                let Some(large) = self.rate(other, member)? else { continue };
                let mark = |rate: Estimate| (rate.value, rate.high.is_finite().then_some((rate.low, rate.high)));
                rows.push(PanelRow { name, hollow: mark(small), filled: mark(large) });
            }
            panels.push(Panel { title: place.title(), is_rate: true, rows });
        }
        let legend = [&format!("{first} a move"), &format!("{last} a move, both with 95 % intervals")];
        Ok(panels_svg(&table.file.title, legend.map(String::as_str), &panels))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::experiment::MatchFile;
    use crate::registry::Registry;

    const FILE: &str = r#"
        title = "Agents"
        game = "rolit:size=4"
        agents = ["random", "brs:eval=discs,depth=4", "paranoid:eval=discs,depth=1"]
        games = 60
        seed = 3
        [[match]]
        name = "rolit-3-10ms"
        players = 3
        [[match]]
        name = "rolit-3-50ms"
        players = 3
        [[match]]
        name = "rolit-2-10ms"
        players = 2
        agents = ["random", "alphabeta:eval=discs,depth=4"]
    "#;

    /// All matches of the file but those missing, played.
    fn table(registry: &Registry, missing: &[&str]) -> Measured {
        let file = MatchFile::parse(registry, FILE).unwrap();
        let mut played = Vec::new();
        for (entry, own) in file.matches.iter().enumerate().filter(|(_, own)| !missing.contains(&own.name.as_str())) {
            let game = file.get(registry, entry).unwrap();
            let games = game.run(&Arc::default(), |_| ()).unwrap();
            let remark = (own.name == "rolit-3-50ms").then(|| "it is short".to_string());
            played.push(Played { entry, settings: game.settings(), games, remark });
        }
        let missing = missing.iter().map(|name| name.to_string()).collect();
        Measured { name: "agents".into(), file, commands: Vec::new(), played, missing, cells: Vec::new() }
    }

    /// The cells of the row of a table that starts so.
    fn row<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
        let line = text.lines().find(|line| line.starts_with(&format!("| {start} "))).expect(text);
        line.trim_matches('|').split('|').map(str::trim).collect()
    }

    #[test]
    fn agents_are_ranked_and_a_lead_is_shown_only_if_it_is_more_than_chance() {
        let registry = Registry::standard();
        let results = Results { registry: &registry, tables: vec![table(&registry, &[])] };
        let rates = results.rates_block("agents").unwrap();
        let first = row(&rates, "rolit-3-10ms");
        assert_eq!(first[1], "`brs:eval=discs,depth=4`", "{rates}");
        assert_eq!(first[7], "60", "{rates}");
        assert!(rates.ends_with("\n- it is short.\n"), "{rates}");
        // As many rows as agents, and the rates of a match sum to one game.
        let rows: Vec<&str> = rates.lines().filter(|line| line.starts_with("| rolit-3-10ms ")).collect();
        let rate = |line: &&str| row(line, "rolit-3-10ms")[2].split(' ').next().unwrap().parse::<f64>().unwrap();
        assert_eq!(rows.len(), 3);
        assert!((rows.iter().map(rate).sum::<f64>() - 100.0).abs() < 0.2, "{rates}");

        let leaders = results.leaders_block("agents").unwrap();
        let two = row(&leaders, "rolit, 2");
        assert_eq!((two[1], two[2], two[4], two[6], two[7]), ("10ms", "`alphabeta`", "`random`", "50.0", "shown"));
        assert_eq!(leaders.lines().count(), 2 + 3, "{leaders}");
        // Two games show nothing.
        let mut even = table(&registry, &["rolit-3-10ms", "rolit-3-50ms"]);
        let played = &mut even.played[0];
        played.games.retain(|game| game.number < 2);
        let results = Results { registry: &registry, tables: vec![even] };
        assert_eq!(row(&results.leaders_block("agents").unwrap(), "rolit, 2")[7], "open");
    }

    #[test]
    fn colors_and_budgets_show_every_family_that_played() {
        let registry = Registry::standard();
        let results = Results { registry: &registry, tables: vec![table(&registry, &["rolit-3-50ms"])] };
        let heat = results.heat("agents").unwrap();
        // Three agents of three players, and two of two.
        assert_eq!(heat.matches("<rect x=").count(), 5, "{heat}");
        assert!(heat.contains(">alphabeta</text>") && heat.contains(">rolit, 3</text>"), "{heat}");
        assert!(!heat.contains("50ms"), "{heat}");
        let results = Results { registry: &registry, tables: vec![table(&registry, &[])] };
        let budgets = results.budgets("agents").unwrap();
        // Two has one budget only.
        assert!(budgets.contains(">rolit, 3</text>") && !budgets.contains(">rolit, 2</text>"), "{budgets}");
        assert_eq!(budgets.matches("<circle").count(), 2 + 2 * 3, "{budgets}");
        assert!(results.rates_block("others").unwrap_err().message.contains("no table"));
    }

    #[test]
    fn what_is_not_played_is_named() {
        let registry = Registry::standard();
        let missing = ["rolit-3-10ms", "rolit-3-50ms", "rolit-2-10ms"];
        let results = Results { registry: &registry, tables: vec![table(&registry, &missing)] };
        assert!(results.rates_block("agents").unwrap().ends_with("Not played yet.\n"));
        let results = Results { registry: &registry, tables: vec![table(&registry, &missing[..1])] };
        assert!(results.rates_block("agents").unwrap().ends_with("- Not played yet: rolit-3-10ms.\n"));
    }
}
