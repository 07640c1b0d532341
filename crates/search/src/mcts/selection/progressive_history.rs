//! Progressive History: how well a move did for its player in all simulated games, wherever it was played.

use super::{Child, MctsSettings, Played, SelectionTerm, Shares, UNIT};

/// `(s_a/n_a) · W / (n − s + 1)`: the move's rate of success, which fades with the child's losses.
#[derive(Default)]
pub(in super::super) struct ProgressiveHistory {
    /// W for a unit of a share.
    weight: f64,
    players: usize,
    /// For each move and player.
    records: Vec<Record>,
}

/// How often a move was played, and the units that it brought. Whole numbers in the type in which they are used; they stay
/// exact.
#[derive(Clone, Copy, Default)]
struct Record {
    plays: f64,
    gain: f64,
}

impl SelectionTerm for ProgressiveHistory {
    // The list may be half empty.
    const BYTES: usize = 2 * size_of::<Record>();

    fn begin(&mut self, settings: &MctsSettings, players: usize) {
        let w = if settings.has_history() { settings.w } else { 0.0 };
        (self.weight, self.players) = (w / f64::from(UNIT), players);
    }

    #[inline]
    fn value(&self, child: &Child) -> f64 {
        match self.records.get(child.number as usize * self.players + child.player.index()) {
            Some(record) if record.gain > 0.0 => {
                record.gain * self.weight / (record.plays * (child.visits - child.share + 1.0))
            }
            _ => 0.0,
        }
    }

    fn explain(&self, child: &Child, each: &mut dyn FnMut(&'static str, f64)) {
        each("history", self.value(child));
    }

    #[inline]
    fn learns(&self) -> bool {
        self.weight != 0.0
    }

    #[inline]
    fn learn(&mut self, line: &[Played], gains: &Shares) {
        for &Played { player, number } in line {
            let at = number as usize * self.players + player.index();
            if at >= self.records.len() {
                self.records.resize((number as usize + 1) * self.players, Record::default());
            }
            let record = &mut self.records[at];
            record.plays += 1.0;
            record.gain += f64::from(gains[player.index()]);
        }
    }

    fn clear(&mut self) {
        self.records.clear();
    }
}
