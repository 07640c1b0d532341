//! A bounded pool of threads with a fair queue: whoever asks for much waits longer than whoever asks for little.
//!
//! Jobs have a key: the session they belong to, or the address they come from. The threads take one job of each key in turn, so that
//! a key with many jobs does not keep the others waiting.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::ApiError;

type Job = Box<dyn FnOnce() + Send>;

/// Threads, and the jobs that wait for them.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    most: usize,
    most_each: usize,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
}

#[derive(Default)]
struct Queue {
    /// The keys that have jobs waiting, the next one first.
    turns: VecDeque<String>,
    jobs: HashMap<String, VecDeque<Job>>,
    waiting: usize,
    is_closed: bool,
}

impl Queue {
    fn next(&mut self) -> Option<Job> {
        let key = self.turns.pop_front()?;
        let jobs = self.jobs.get_mut(&key).expect("a key with a turn has jobs");
        let job = jobs.pop_front().expect("a key with a turn has jobs");
        if jobs.is_empty() {
            self.jobs.remove(&key);
        } else {
            self.turns.push_back(key);
        }
        self.waiting -= 1;
        Some(job)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nobody panics with it")
    }

    fn work(&self) {
        // Requests are answered at once even when every core searches. Elsewhere than on Linux this does nothing.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::nice(5);
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.next() {
                drop(queue);
                // A job reports its own failure; the thread lives on.
                let _ = catch_unwind(AssertUnwindSafe(job));
                queue = self.lock();
            } else if queue.is_closed {
                return;
            } else {
                queue = self.ready.wait(queue).expect("nobody panics with it");
            }
        }
    }
}

impl Pool {
    /// So many threads; at most so many jobs wait, and so many of one key.
    pub(crate) fn new(name: &str, threads: usize, most: usize, most_each: usize) -> Pool {
        let shared = Arc::new(Shared { queue: Mutex::default(), ready: Condvar::new() });
        let spawn = |number: usize| {
            let shared = shared.clone();
            let named = thread::Builder::new().name(format!("{name}-{number}"));
            named.spawn(move || shared.work()).expect("the system has a thread left")
        };
        let threads = (0..threads.max(1)).map(spawn).collect();
        Pool { shared, threads: Mutex::new(threads), most, most_each }
    }

    /// Queues a job, or refuses it if too many wait.
    pub(crate) fn push(&self, key: &str, job: impl FnOnce() + Send + 'static) -> Result<(), ApiError> {
        let mut queue = self.shared.lock();
        if queue.is_closed {
            return Err(ApiError::busy("stopping", "the server is stopping"));
        }
        if queue.jobs.get(key).is_some_and(|jobs| jobs.len() >= self.most_each) {
            let message = format!("{} searches are waiting here already", self.most_each);
            return Err(ApiError::too_many("waiting", message).help("cancel one, or wait").retry_after(2));
        }
        if queue.waiting >= self.most {
            return Err(ApiError::busy("busy", format!("{} searches are waiting", self.most)).help("try again later"));
        }
        queue.waiting += 1;
        if !queue.jobs.contains_key(key) {
            queue.turns.push_back(key.into());
        }
        queue.jobs.entry(key.into()).or_default().push_back(Box::new(job));
        drop(queue);
        self.shared.ready.notify_one();
        Ok(())
    }

    /// Takes no more jobs, drops those that wait, and waits for those under way; whether all have ended in time.
    pub(crate) fn close(&self, patience: Duration) -> bool {
        let mut queue = self.shared.lock();
        queue.is_closed = true;
        let dropped = (std::mem::take(&mut queue.turns), std::mem::take(&mut queue.jobs));
        queue.waiting = 0;
        drop(queue);
        drop(dropped);
        self.shared.ready.notify_all();
        let until = Instant::now() + patience;
        let threads = std::mem::take(&mut *self.threads.lock().expect("nobody panics with it"));
        while threads.iter().any(|thread| !thread.is_finished()) {
            if Instant::now() >= until {
                return false;
            }
            thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// A pool whose only thread waits until the sender is dropped.
    fn blocked(most: usize, most_each: usize) -> (Pool, std::sync::mpsc::Sender<()>) {
        let pool = Pool::new("test", 1, most, most_each);
        let (go, wait) = channel::<()>();
        let (begun, has_begun) = channel();
        let job = move || {
            begun.send(()).unwrap();
            let _ = wait.recv();
        };
        pool.push("first", job).unwrap();
        has_begun.recv().unwrap();
        (pool, go)
    }

    #[test]
    fn keys_take_turns() {
        let (pool, go) = blocked(100, 10);
        let (done, results) = channel();
        for (key, count) in [("a", 4), ("b", 2), ("c", 1)] {
            for number in 0..count {
                let done = done.clone();
                pool.push(key, move || done.send(format!("{key}{number}")).unwrap()).unwrap();
            }
        }
        drop((go, done));
        assert_eq!(results.iter().collect::<Vec<String>>(), ["a0", "b0", "c0", "a1", "b1", "a2", "a3"]);
    }

    #[test]
    fn too_many_jobs_are_refused() {
        let (pool, go) = blocked(3, 2);
        let push = |key| pool.push(key, || ()).map_err(|error| error.status.as_u16());
        assert_eq!(["a", "a", "a", "b", "c"].map(push), [Ok(()), Ok(()), Err(429), Ok(()), Err(503)]);
        drop(go);
        assert!(pool.close(Duration::from_secs(10)));
        assert_eq!(push("a"), Err(503));
    }

    #[test]
    fn a_job_that_panics_does_not_end_its_thread() {
        let pool = Pool::new("test", 1, 10, 10);
        let (done, result) = channel();
        pool.push("a", || panic!("a job of a test fails")).unwrap();
        pool.push("a", move || done.send(1).unwrap()).unwrap();
        assert_eq!(result.recv(), Ok(1));
    }
}
