//! UCT: the rate of success, and a bonus for children that have been tried seldom.

use super::{Child, MctsSettings, SelectionTerm};

/// `s/n + C · sqrt(ln N / n)`, with `(1 − α) · s/n + α · v` for `s/n` where evaluations v are backed up.
#[derive(Default)]
pub(in super::super) struct Uct {
    c: f64,
    /// α.
    implicit: f64,
    /// C² ln N.
    exploration: f64,
}

impl SelectionTerm for Uct {
    fn begin(&mut self, settings: &MctsSettings, _: usize) {
        (self.c, self.implicit) = (settings.c, settings.implicit);
    }

    #[inline]
    fn enter(&mut self, visits: u32) {
        self.exploration = self.c * self.c * ln(visits.max(1));
    }

    #[inline]
    fn value(&self, child: &Child) -> f64 {
        let part = 1.0 / child.visits;
        let mut rate = child.share * part;
        if self.implicit > 0.0 {
            rate = (1.0 - self.implicit) * rate + self.implicit * child.implicit;
        }
        rate + (self.exploration * part).sqrt()
    }

    fn explain(&self, child: &Child, each: &mut dyn FnMut(&'static str, f64)) {
        each("rate", (1.0 - self.implicit) * child.share / child.visits);
        if self.implicit > 0.0 {
            each("implicit", self.implicit * child.implicit);
        }
        each("exploration", (self.exploration / child.visits).sqrt());
    }
}

/// The natural logarithm, the same on every machine: only additions, multiplications and divisions, which are exact to
/// the last bit everywhere.
#[inline]
pub(in super::super) fn ln(n: u32) -> f64 {
    LOGARITHMS.get(n as usize).copied().unwrap_or_else(|| series(n))
}

/// The logarithms of small numbers, which most nodes ask for; not that of 0.
static LOGARITHMS: [f64; 1 << 12] = {
    let mut logarithms = [0.0; 1 << 12];
    let mut n = 1;
    while n < logarithms.len() {
        logarithms[n] = series(n as u32);
        n += 1;
    }
    logarithms
};

const fn series(n: u32) -> f64 {
    let exponent = n.ilog2();
    let (mut power, mut mantissa) = (exponent as f64, n as f64 / (1u32 << exponent) as f64);
    if mantissa > std::f64::consts::SQRT_2 {
        (power, mantissa) = (power + 1.0, mantissa / 2.0);
    }
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    let (mut sum, mut odd) = (1.0 / 17.0, 15);
    while odd >= 3 {
        sum = sum * square + 1.0 / odd as f64;
        odd -= 2;
    }
    power * std::f64::consts::LN_2 + 2.0 * t * (1.0 + square * sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right() {
        for n in (1..100_000).chain((1..32).map(|bit| u32::MAX >> bit)) {
            let (own, library) = (ln(n), f64::from(n).ln());
            assert!((own - library).abs() <= 1e-13 * library.max(1.0), "{n}: {own} {library}");
        }
    }
}
