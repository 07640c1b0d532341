//! Progress as server-sent events: the last state of a search or tournament, and every later one.

use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;

/// How far a stream is.
enum Step<R> {
    Watching(R),
    Ended,
}

/// A stream of what `report` makes of each state: the event's name, its data, and whether it is the last. A reader that is slow misses
/// states in between, never the last. It ends when the server stops.
pub(crate) fn events<T, D, F>(
    states: watch::Receiver<T>,
    stop: watch::Receiver<bool>,
    report: impl Fn(T) -> F + Send + 'static,
) -> Response
where
    T: Clone + Send + Sync + 'static,
    D: Serialize,
    F: Future<Output = (&'static str, D, bool)> + Send,
{
    let mut states = states;
    states.mark_changed();
    let step = Step::Watching((states, stop, report));
    let events = stream::unfold(step, async |step| {
        let Step::Watching((mut states, mut stop, report)) = step else { return None };
        let changed = tokio::select! {
            changed = states.changed() => changed.is_ok(),
            _ = stop.wait_for(|stop| *stop) => false,
        };
        if !changed {
            return None;
        }
        let state = states.borrow_and_update().clone();
        let (name, data, is_last) = report(state).await;
        let event = Event::default().event(name).json_data(data).unwrap_or_else(|_| Event::default().event("error"));
        let next = if is_last { Step::Ended } else { Step::Watching((states, stop, report)) };
        Some((Ok::<Event, Infallible>(event), next))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}
