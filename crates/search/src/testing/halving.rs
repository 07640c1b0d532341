//! Plain sequential halving, for comparison with the one that goes along with the simulations.

/// How sequential halving divides a number of playouts among moves whose rates are known: the simulations of each, and the move that is
/// left, if the playouts suffice for all rounds and more.
///
/// ```
/// use nply::testing::plain_halving;
/// // Two rounds: ⌊16 / (4 · 2)⌋ = 2 for each of four, ⌊16 / (2 · 2)⌋ = 4 for each of two.
/// assert_eq!(plain_halving(&[0.0, 1.0, 0.0, 0.5], 16), (vec![2, 6, 2, 6], None));
/// // One and three; the five that are left over go to the last.
/// assert_eq!(plain_halving(&[0.0, 1.0, 0.0, 0.5], 15), (vec![1, 9, 1, 4], Some(1)));
/// ```
pub fn plain_halving(rates: &[f64], playouts: u64) -> (Vec<u64>, Option<usize>) {
    let rounds = (rates.len() as f64).log2().ceil() as u64;
    let (mut given, mut rest) = (vec![0; rates.len()], playouts);
    let mut left: Vec<usize> = (0..rates.len()).collect();
    for _ in 0..rounds {
        let quota = (playouts / (left.len() as u64 * rounds)).max(1);
        for &place in &left {
            given[place] += quota.min(rest);
            rest -= quota.min(rest);
        }
        // The better half, the first of equals, in the old order.
        let mut ranked = left.clone();
        ranked.sort_by(|&a, &b| rates[b].total_cmp(&rates[a]));
        ranked.truncate(left.len().div_ceil(2));
        left.retain(|place| ranked.contains(place));
    }
    given[left[0]] += rest;
    (given, Some(left[0]).filter(|_| rest > 0))
}
