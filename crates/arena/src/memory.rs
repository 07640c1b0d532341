//! The memory that agents may take, and the memory that there is.
//!
//! Tables and trees ask for their memory when they need it, so a match can run for hours before the machine has none left. What
//! they may take at most is known before: it is among the agents' settings.

use std::path::Path;

use nply::{Error, quantity, settings};

use crate::matches::Match;
use crate::registry::NamedAgent;

/// The most that the agents of some games take, all played at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Number of games.
    games: u64,
    /// The agents of a game, each with what it may take.
    seats: Vec<(String, u64)>,
    /// The settings that decide.
    keys: Vec<&'static str>,
}

/// The memory of a machine, or of the part of it that this process may use, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// What nobody uses.
    pub available: u64,
}

impl NamedAgent {
    /// The settings by which it takes memory, those of an agent inside included, each with the most bytes.
    fn sizes(&self) -> Vec<(&'static str, u64)> {
        let mut sizes = settings::sizes(&mut *self.settings.boxed());
        sizes.extend(self.inner().into_iter().flat_map(NamedAgent::sizes));
        sizes.retain(|(_, bytes)| *bytes > 0);
        sizes
    }
}

impl Match {
    /// The most that the games played at the same time take.
    pub fn demand(&self) -> Demand {
        let games = (self.threads as u64).clamp(1, self.total().max(1));
        let bytes = |agent: usize| self.agents[agent].sizes().iter().map(|(_, bytes)| *bytes).sum::<u64>();
        let each: Vec<u64> = (0..self.agents.len()).map(bytes).collect();
        let most = self.seatings().heaviest(&each);
        Demand::new(games, most.into_iter().map(|agent| &self.agents[agent]))
    }
}

impl Demand {
    /// What so many games with these agents take.
    pub fn new<'a>(games: u64, agents: impl IntoIterator<Item = &'a NamedAgent>) -> Demand {
        let mut demand = Demand { games, seats: Vec::new(), keys: Vec::new() };
        for agent in agents {
            let sizes = agent.sizes();
            demand.seats.push((agent.info().name.into(), sizes.iter().map(|(_, bytes)| *bytes).sum()));
            demand.keys.extend(sizes.iter().map(|(key, _)| *key));
        }
        demand.keys.sort_unstable();
        demand.keys.dedup();
        demand
    }

    /// The most bytes.
    pub fn bytes(&self) -> u64 {
        self.seats.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes)).saturating_mul(self.games)
    }

    /// Refuses more than there is; of more than half of what nobody uses, a warning is returned.
    pub fn check(&self, memory: Memory) -> Result<Option<String>, Error> {
        let (needed, Memory { total, available }) = (rough(self.bytes()), memory);
        if self.bytes() > total {
            let message = format!("the agents may take {needed} of memory, and this machine has {}", rough(total));
            return Err(Error::refused(message).help(format!("that is {}; {}", self.parts(), self.cure())));
        }
        Ok((self.bytes() > available / 2).then(|| {
            let available = rough(available);
            format!(
                "the agents may take {needed} of the {available} of memory that are free: {}; {}",
                self.parts(),
                self.cure()
            )
        }))
    }

    /// Where it comes from: `2 threads × (2 × 1G for mcts + 64M for brs)`.
    fn parts(&self) -> String {
        let mut counts: Vec<(&(String, u64), u64)> = Vec::new();
        for seat in self.seats.iter().filter(|(_, bytes)| *bytes > 0) {
            match counts.iter_mut().find(|(known, _)| *known == seat) {
                Some((_, count)) => *count += 1,
                None => counts.push((seat, 1)),
            }
        }
        counts.sort_by_key(|&((_, bytes), count)| std::cmp::Reverse(bytes.saturating_mul(count)));
        let part = |&((name, bytes), count): &(&(String, u64), u64)| {
            let times = if count > 1 { format!("{count} × ") } else { String::new() };
            format!("{times}{} for {name}", quantity::size_text(*bytes))
        };
        let game = counts.iter().map(part).collect::<Vec<String>>().join(" + ");
        if self.games > 1 { format!("{} threads × ({game})", self.games) } else { game }
    }

    /// What to change.
    fn cure(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(|key| format!("{key}=")).collect();
        let threads = if self.games > 1 { ", or fewer --threads" } else { "" };
        format!("give them a smaller {}{threads}", keys.join(" or "))
    }
}

/// A number of bytes to one digit after the point: `5.9G`.
fn rough(bytes: u64) -> String {
    let units = [(1u64 << 40, "T"), (1 << 30, "G"), (1 << 20, "M")];
    let (unit, letter) = units.into_iter().find(|(unit, _)| bytes >= *unit).unwrap_or((1 << 10, "k"));
    let tenths = (u128::from(bytes) * 10).div_ceil(u128::from(unit));
    if tenths.is_multiple_of(10) {
        format!("{}{letter}", tenths / 10)
    } else {
        format!("{}.{}{letter}", tenths / 10, tenths % 10)
    }
}

impl Memory {
    /// The memory of this machine; `None` where the system does not tell.
    pub fn here() -> Option<Memory> {
        if cfg!(target_os = "linux") { Memory::below(Path::new("/")) } else { None }
    }

    /// The memory by the files of Linux below a root.
    fn below(root: &Path) -> Option<Memory> {
        let read = |path: &str| std::fs::read_to_string(root.join(path)).ok();
        let info = read("proc/meminfo")?;
        // MemTotal:       24660488 kB
        let of = |key: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
        };
        let total = of("MemTotal:")?;
        let mut memory = Memory { total, available: of("MemAvailable:").unwrap_or(total) };
        // A container's share: of each group that this process is in, and of the groups around it.
        for line in read("proc/self/cgroup").unwrap_or_default().lines() {
            let mut words = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (words.next(), words.next()) else { continue };
            let (folder, limit, usage, inactive) = if controllers.is_empty() {
                ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ")
            } else if controllers.split(',').any(|controller| controller == "memory") {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ")
            } else {
                continue;
            };
            let mut group = path.trim_matches('/');
            loop {
                let get = |file: &str| read(&format!("{folder}/{group}/{file}"));
                let number = |file: &str| get(file)?.trim().parse::<u64>().ok();
                if let Some(limit) = number(limit) {
                    // Of what is used, the system takes back files that it only keeps in case they are read again.
                    let stat = get("memory.stat").unwrap_or_default();
                    let inactive =
                        stat.lines().find_map(|line| line.strip_prefix(inactive)?.trim().parse::<u64>().ok());
                    let used = number(usage).unwrap_or(0).saturating_sub(inactive.unwrap_or(0));
                    memory.total = memory.total.min(limit);
                    memory.available = memory.available.min(limit.saturating_sub(used));
                }
                if group.is_empty() {
                    break;
                }
                group = group.rsplit_once('/').map_or("", |(around, _)| around);
            }
        }
        Some(memory)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nply::Budget;

    use super::*;
    use crate::{Registry, Seating};

    const G: u64 = 1 << 30;

    fn sample(agents: &str, threads: usize) -> Match {
        let game = Registry::standard().find("rolit").unwrap();
        Match {
            agents: game.agent_list(agents, 3).unwrap(),
            game,
            players: 3,
            games: 20,
            budget: Budget::nodes(50),
            terms: Default::default(),
            openings: None,
            seating: Seating::All,
            schedule: crate::Schedule::All,
            sampled: None,
            seed: 7,
            threads,
            progress: |_, _| (),
        }
    }

    #[test]
    fn tables_and_trees_are_added_up_over_threads_and_seats() {
        for (agents, threads, expected) in [
            ("random greedy", 8, 0),
            ("mcts", 2, 6 * G),
            ("mcts random", 2, 4 * G),
            ("mcts brs random", 1, G + (64 << 20)),
            ("mcts:memory=10M brs:table=1M paranoid:table=off", 4, 44 << 20),
            ("brs:table=1M mcts:memory=2M mcts:memory=3M mcts:memory=4M", 1, 9 << 20),
            ("worlds:agent=(maxn:table=5M)", 1, 15 << 20),
            ("worlds:agent=(mcts)", 100, 60 * G),
        ] {
            let game = sample(agents, threads);
            // No more games are played at the same time than there are.
            assert_eq!(game.demand().bytes(), expected, "{agents}");
        }
        assert_eq!(sample("mcts:memory=17000000000G", 8).demand().bytes(), u64::MAX);
    }

    #[test]
    fn too_much_is_refused_and_much_is_mentioned_with_what_to_change() {
        let demand = sample("mcts brs", 2).demand();
        let there = |total, available| demand.check(Memory { total, available });
        assert_eq!(there(24 * G, 20 * G).unwrap(), None);
        let warning = there(8 * G, 6 * G).unwrap().unwrap();
        assert_eq!(
            warning,
            "the agents may take 4.2G of the 6G of memory that are free: 2 threads × (2 × 1G for mcts + 64M for brs); \
             give them a smaller memory= or table=, or fewer --threads"
        );
        let error = there(4 * G, 4 * G).unwrap_err();
        assert_eq!(error.message, "the agents may take 4.2G of memory, and this machine has 4G");
        assert!(error.help.unwrap().starts_with("that is 2 threads × ("));
        let alone = Demand::new(1, &sample("mcts", 1).agents).check(Memory { total: G / 2, available: 5 }).unwrap_err();
        assert_eq!(alone.help.unwrap(), "that is 1G for mcts; give them a smaller memory=");
    }

    #[test]
    fn the_memory_of_a_machine_or_a_container_is_read() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Memory::below(root.path()), None);
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let here = || Memory::below(root.path()).unwrap();
        write("proc/meminfo", "MemTotal:       8388608 kB\nMemFree:  1 kB\nMemAvailable:    4194304 kB\n");
        assert_eq!(here(), Memory { total: 8 * G, available: 4 * G });
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        assert_eq!(here(), Memory { total: 8 * G, available: 4 * G });
        write("sys/fs/cgroup/a/memory.max", &format!("{}\n", 3 * G));
        write("sys/fs/cgroup/a/memory.current", &format!("{}\n", 2 * G));
        write("sys/fs/cgroup/a/memory.stat", &format!("anon 1\ninactive_file {G}\n"));
        assert_eq!(here(), Memory { total: 3 * G, available: 2 * G });
        write("proc/self/cgroup", "5:cpu:/x\n4:memory:/x\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", &G.to_string());
        write("sys/fs/cgroup/memory/x/memory.usage_in_bytes", "24\n");
        assert_eq!(here(), Memory { total: G, available: G - 24 });
        if cfg!(target_os = "linux") {
            let here = Memory::here().unwrap();
            assert!(here.total >= here.available && here.available > 1 << 20, "{here:?}");
        }
    }
}
