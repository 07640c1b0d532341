//! The fingerprint of search behavior that kept matches carry.

/// Identifies what the searches of this build do: two builds with the same fingerprint play the same games from the same
/// seeds and node budgets.
pub const FINGERPRINT: &str = include_str!("fingerprint.txt").trim_ascii();
