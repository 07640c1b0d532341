//! What the server allows at most: each limit is an option of `nply serve`, declared here.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use nply::quantity;

use crate::error::ApiError;

/// The limits of a server.
#[derive(Args, Clone, Debug)]
pub struct Limits {
    /// Largest body of a request
    #[arg(long, value_name = "BYTES", default_value = "256k", value_parser = quantity::size)]
    pub max_body: u64,
    /// Number of sessions that are kept
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub max_sessions: usize,
    /// Number of plies of a session
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub max_plies: usize,
    /// Number of searches that wait for a thread
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_waiting: usize,
    /// Number of searches of one session, or of the analyses from one address, that wait
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub max_waiting_each: usize,
    /// Number of finished searches whose results can still be asked for
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_finished: usize,
    /// Time of a search
    #[arg(long, value_name = "T", default_value = "30s", value_parser = quantity::time)]
    pub max_time: Duration,
    /// Memory for the table or the tree of an agent
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = quantity::size)]
    pub max_memory: u64,
    /// Number of tournaments that are kept
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub max_tournaments: usize,
    /// Number of games of a tournament
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub max_games: u64,
    /// Time of a move in a tournament
    #[arg(long, value_name = "T", default_value = "2s", value_parser = quantity::time)]
    pub max_move_time: Duration,
    /// Time after which a tournament is stopped; it can be resumed
    #[arg(long, value_name = "T", default_value = "1h", value_parser = quantity::time)]
    pub max_tournament_time: Duration,
    /// Number of requests per second from one address
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = value_parser!(u32).range(1..))]
    pub rate: u32,
    /// Number of requests from one address that may come at once
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u32).range(1..))]
    pub burst: u32,
    /// Number of open connections
    #[arg(long, value_name = "N", default_value_t = 512)]
    pub max_connections: usize,
}

/// The requests of each address, as a bucket of tokens.
pub(crate) struct Buckets {
    rate: f64,
    burst: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

struct Bucket {
    tokens: f64,
    filled: Instant,
}

/// Addresses remembered at most; full buckets are forgotten before.
const ADDRESSES: usize = 10_000;

impl Buckets {
    pub(crate) fn new(limits: &Limits) -> Buckets {
        Buckets { rate: limits.rate.into(), burst: limits.burst.into(), buckets: Mutex::default() }
    }

    /// Takes a token, or says how long to wait for one.
    pub(crate) fn take(&self, address: IpAddr, now: Instant) -> Result<(), ApiError> {
        let mut buckets = self.buckets.lock().expect("nobody panics with it");
        if buckets.len() >= ADDRESSES && !buckets.contains_key(&address) {
            buckets.retain(|_, bucket| bucket.refill(now, self.rate, self.burst) < self.burst);
            if buckets.len() >= ADDRESSES {
                return Err(self.refused(1.0));
            }
        }
        let bucket = buckets.entry(address).or_insert(Bucket { tokens: self.burst, filled: now });
        if bucket.refill(now, self.rate, self.burst) < 1.0 {
            return Err(self.refused((1.0 - bucket.tokens) / self.rate));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }

    fn refused(&self, seconds: f64) -> ApiError {
        let message = format!("more than {} requests per second came from this address", self.rate);
        ApiError::too_many("rate", message).retry_after(seconds.ceil().max(1.0) as u64)
    }
}

impl Bucket {
    fn refill(&mut self, now: Instant, rate: f64, burst: f64) -> f64 {
        let seconds = now.saturating_duration_since(self.filled).as_secs_f64();
        (self.tokens, self.filled) = ((self.tokens + seconds * rate).min(burst), now);
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let buckets = Buckets { rate: 2.0, burst: 3.0, buckets: Mutex::default() };
        let (here, there) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([127, 0, 0, 2]));
        let start = Instant::now();
        let taken = |address, millis| buckets.take(address, start + Duration::from_millis(millis)).is_ok();
        assert_eq!([0, 0, 0, 0].map(|millis| taken(here, millis)), [true, true, true, false]);
        assert!(taken(there, 0), "another address has a bucket of its own");
        assert_eq!([400, 500, 500, 1000].map(|millis| taken(here, millis)), [false, true, false, true]);
    }

    #[test]
    fn full_buckets_are_forgotten_before_addresses_are_refused() {
        let buckets = Buckets { rate: 1.0, burst: 2.0, buckets: Mutex::default() };
        let start = Instant::now();
        let address = |number: usize| IpAddr::from((number as u32).to_be_bytes());
        assert!((0..ADDRESSES).all(|number| buckets.take(address(number), start).is_ok()));
        assert!(buckets.take(address(ADDRESSES), start).is_err());
        assert!(buckets.take(address(ADDRESSES), start + Duration::from_secs(2)).is_ok());
    }
}
