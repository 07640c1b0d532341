//! The server: from the listening socket to the end.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use etcetera::BaseStrategy;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nply::Error;
use nply_arena::Registry;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::api::extract::{Peer, too_large};
use crate::error::ApiError;
use crate::limits::Buckets;
use crate::queue::Pool;
use crate::security::{HEADERS, Names};
use crate::store::Store;
use crate::{App, Options, api, client};

/// How long a client may take for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The longest head of a request.
const LONGEST_HEAD: usize = 64 << 10;
/// How long requests and searches may take to end when the server stops.
const LAST_TIME: Duration = Duration::from_secs(5);

/// A server that listens and does not answer yet.
pub struct Server {
    app: Arc<App>,
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
}

/// Stops a server.
#[derive(Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Ends searches and streams; the server ends soon after.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Opens the file of sessions and listens, with so many threads for searches.
    pub fn bind(registry: Registry, options: &Options, threads: usize) -> Result<Server, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(16)
            .enable_all()
            .build()
            .map_err(|error| Error::failed(format!("the system has no threads left: {error}")))?;
        let store = Store::open(&file(options)?)?;
        if let Some(folder) = options.results.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(Error::file(format!("there is no folder {}", folder.display())));
        }
        let tournaments = store.beside("tournaments");
        std::fs::create_dir_all(&tournaments)
            .map_err(|error| Error::file(format!("cannot make the folder {}: {error}", tournaments.display())))?;
        let asked = SocketAddr::new(options.listen, options.port);
        let bound = runtime.block_on(TcpListener::bind(asked));
        let listener = bound.map_err(|error| unbound(asked, &error))?;
        let address = listener.local_addr().map_err(|error| unbound(asked, &error))?;
        let limits = &options.limits;
        let app = App {
            store,
            sessions: Default::default(),
            searches: Default::default(),
            tournaments: Default::default(),
            pool: Pool::new("search", threads, limits.max_waiting, limits.max_waiting_each),
            background: Pool::new("tournament", 1, limits.max_tournaments, 1),
            buckets: Buckets::new(limits),
            names: Names::new(address.ip(), address.port(), &options.host),
            stop: watch::Sender::new(false),
            runtime: runtime.handle().clone(),
            threads,
            options: options.clone(),
            registry,
        };
        Ok(Server { app: Arc::new(app), runtime, listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it, from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.app.stop.clone())
    }

    /// Answers until it is stopped, or interrupted by a signal. Searches then end, and so do streams. A second signal ends the
    /// process at once.
    pub fn run(self) -> Result<(), Error> {
        let Server { app, runtime, listener, .. } = self;
        runtime.block_on(async {
            let stop = app.stop.clone();
            tokio::spawn(obey_signals(move || {
                stop.send_replace(true);
            }));
            serve(&app, listener).await;
        });
        app.pool.close(LAST_TIME);
        app.background.close(LAST_TIME);
        runtime.shutdown_timeout(Duration::from_millis(100));
        Ok(())
    }
}

/// Serves a registry until the process is interrupted, and prints the address.
pub fn run(registry: Registry, options: &Options, threads: usize, quiet: bool) -> Result<(), Error> {
    let server = Server::bind(registry, options, threads)?;
    let address = server.address();
    if !address.ip().is_loopback() && !quiet {
        eprintln!("warning: everybody who reaches {address} can play, search and read all sessions here");
    }
    // Whoever started the server may not read what it prints.
    let mut out = std::io::stdout();
    let _ = writeln!(out, "http://{address}/").and_then(|()| out.flush());
    server.run()
}

/// The file of sessions.
fn file(options: &Options) -> Result<PathBuf, Error> {
    if let Some(path) = &options.db {
        return Ok(path.clone());
    }
    let folders = etcetera::choose_base_strategy().map_err(|_| {
        Error::file("the folder for data of the user is unknown").help("name a file of sessions with --db FILE")
    })?;
    Ok(folders.data_dir().join("nply").join("sessions.db"))
}

fn unbound(asked: SocketAddr, error: &std::io::Error) -> Error {
    let failed = Error::failed(format!("cannot listen on {asked}: {error}"));
    match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            failed.help("choose another port with --port P, or any that is free with --port 0")
        }
        std::io::ErrorKind::PermissionDenied => failed.help("choose a port above 1023 with --port P"),
        _ => failed.help("choose an address of this machine with --listen ADDR"),
    }
}

/// The signals that end a server.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// Ignored under `nohup`.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = if nply_arena::ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())?, hangup })
    }

    /// Waits for the next one; its number.
    async fn next(&mut self) -> i32 {
        let Signals { interrupt, terminate, hangup } = self;
        let hung_up = async {
            match hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => 2,
            _ = terminate.recv() => 15,
            _ = hung_up => 1,
        }
    }
}

/// The signals that end a server.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
        2
    }
}

/// Calls `stop` at the first signal; the second ends the process.
async fn obey_signals(stop: impl FnOnce()) {
    // Without them a signal simply ends the process.
    let Ok(mut signals) = Signals::new() else { return };
    signals.next().await;
    stop();
    let signal = signals.next().await;
    std::process::exit(128 + signal);
}

fn router(app: &Arc<App>) -> Router {
    let unknown = async || ApiError::not_found("such operation");
    let wrong_method = async || ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this path has no such method");
    let api = api::router().fallback(unknown).method_not_allowed_fallback(wrong_method);
    let mut router = Router::new()
        .nest(api::ROOT, api)
        .fallback(axum::routing::get(client::file).fallback(wrong_method))
        .with_state(app.clone())
        .layer(CatchPanicLayer::custom(|_| ApiError::internal("the request failed unexpectedly").into_response()))
        .layer(from_fn_with_state(app.clone(), guard));
    for (name, value) in HEADERS {
        let (name, value) = (HeaderName::from_static(name), HeaderValue::from_static(value));
        router = router.layer(SetResponseHeaderLayer::overriding(name, value));
    }
    // What the client's files say about themselves stays.
    router.layer(SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
}

/// Refuses what no operation needs to see.
async fn guard(State(app): State<Arc<App>>, Peer(address): Peer, request: Request, next: Next) -> Response {
    let checked = app.buckets.take(address, Instant::now()).and_then(|()| {
        let is_api = request.uri().path().starts_with("/api");
        app.names.check(request.headers(), is_api)?;
        let length = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        let length = length.and_then(|length| length.parse::<u64>().ok()).unwrap_or(0);
        if length > app.options.limits.max_body { Err(too_large()) } else { Ok(()) }
    });
    match checked {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Accepts connections until the server stops, and waits a little for those that are open then.
async fn serve(app: &Arc<App>, listener: TcpListener) {
    let router = router(app);
    let most = app.options.limits.max_connections.max(1);
    let room = Arc::new(Semaphore::new(most));
    let mut stop = app.stop.subscribe();
    loop {
        let place = tokio::select! {
            place = room.clone().acquire_owned() => place.expect("it is never closed"),
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let Ok((stream, peer)) = accepted else {
            // The system has no room for another connection: some will end.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (router, stop) = (router.clone(), app.stop.subscribe());
        tokio::spawn(async move {
            converse(stream, peer, router, stop).await;
            drop(place);
        });
    }
    drop(listener);
    app.searches.cancel_all();
    app.tournaments.stop_all();
    let _ = tokio::time::timeout(LAST_TIME, room.acquire_many(most as u32)).await;
}

/// Answers the requests of one connection.
async fn converse(stream: TcpStream, peer: SocketAddr, router: Router, mut stop: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let service = router.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Peer(peer.ip().to_canonical()));
        request
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = std::pin::pin!(connection);
    // A client that breaks off is no error of ours.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
