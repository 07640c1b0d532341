//! Who may talk to the server: checks of `Host` and `Origin`, and the headers of every answer.
//!
//! A web site that a person visits can send requests to `127.0.0.1`, and with a name that it lets point there (DNS rebinding) it can
//! even read the answers. So a request must name this server in `Host` and, if it comes from a page, come from a page of this server.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::error::ApiError;

/// The names that the server answers to.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    port: u16,
    /// Whether any address is a name, because the server listens on others than loopback. An address cannot be rebound.
    any_address: bool,
    hosts: Vec<String>,
}

impl Names {
    pub(crate) fn new(address: IpAddr, port: u16, hosts: &[String]) -> Names {
        let hosts = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        Names { port, any_address: !address.is_loopback(), hosts }
    }

    /// Refuses a request that does not name this server, or comes from a page of another.
    pub(crate) fn check(&self, headers: &HeaderMap, is_api: bool) -> Result<(), ApiError> {
        let host = single(headers, &header::HOST)?;
        if !host.is_some_and(|host| self.is_own(host)) {
            let message = format!("this server is not {:?}", host.unwrap_or(""));
            let help = "open the address that `nply serve` printed, or allow this name with --host NAME";
            return Err(forbidden("host", message).help(help));
        }
        if let Some(origin) = single(headers, &header::ORIGIN)? {
            let own = origin.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme));
            if !own.is_some_and(|(_, authority)| self.is_own(authority)) {
                return Err(forbidden("origin", format!("pages of {origin:?} may not use this server")));
            }
        }
        // Browsers add it where there is no Origin: links and images of other sites may not reach the interface.
        let site = single(headers, &HeaderName::from_static("sec-fetch-site"))?;
        if is_api && site.is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Err(forbidden("origin", "other sites may not use this server"));
        }
        Ok(())
    }

    fn is_own(&self, authority: &str) -> bool {
        let (host, port) = split(authority);
        let host = host.to_ascii_lowercase();
        if self.hosts.contains(&host) {
            // A name that was allowed may belong to a proxy, which has a port of its own.
            return port.is_none_or(|port| port.parse::<u16>().is_ok());
        }
        let is_named = host == "localhost"
            || host.parse::<IpAddr>().is_ok_and(|address| self.any_address || address.is_loopback());
        is_named && port.map_or(self.port == 80, |port| port.parse() == Ok(self.port))
    }
}

/// The one value of a header, if it has any.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    match (value.map(HeaderValue::to_str), values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(text)), None) => Ok(Some(text)),
        _ => Err(forbidden("host", format!("the header {name} makes no sense"))),
    }
}

/// Host, without the brackets of IPv6, and port.
fn split(authority: &str) -> (&str, Option<&str>) {
    if let Some((host, rest)) = authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':').unwrap_or("?")) });
    }
    authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
}

fn forbidden(code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, code, message)
}

/// Only what the server itself serves is loaded, nothing inline runs, and no other page frames it.
pub(crate) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The headers of every answer.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(names: &Names, headers: &[(&'static str, &str)]) -> bool {
        let pairs = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
        let mut map = HeaderMap::new();
        map.extend(pairs.map(|(name, value): (_, HeaderValue)| (Some(name), value)));
        names.check(&map, true).is_ok()
    }

    #[test]
    fn only_own_names_are_answered() {
        let names = Names::new(IpAddr::from([127, 0, 0, 1]), 8080, &["Nply.example".into()]);
        for host in
            ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080", "127.3.2.1:8080", "nply.example"]
        {
            assert!(is_allowed(&names, &[("host", host)]), "{host}");
        }
        for host in
            ["", "127.0.0.1", "localhost:81", "evil.example:8080", "192.168.1.5:8080", "[::1", "[::1]x", "a:b:c"]
        {
            assert!(!is_allowed(&names, &[("host", host)]), "{host}");
        }
        assert!(!is_allowed(&names, &[]), "no Host");
        assert!(!is_allowed(&names, &[("host", "localhost:8080"), ("host", "evil.example")]), "two of them");
        let open = Names::new(IpAddr::from([0, 0, 0, 0]), 8080, &[]);
        assert!(is_allowed(&open, &[("host", "192.168.1.5:8080")]));
        assert!(!is_allowed(&open, &[("host", "evil.example:8080")]));
    }

    #[test]
    fn pages_of_others_are_refused() {
        let names = Names::new(IpAddr::from([127, 0, 0, 1]), 8080, &[]);
        let from = |origin| is_allowed(&names, &[("host", "localhost:8080"), ("origin", origin)]);
        assert!(from("http://localhost:8080") && from("http://127.0.0.1:8080"));
        for origin in
            ["null", "http://localhost:3000", "https://evil.example", "localhost:8080", "file://localhost:8080", ""]
        {
            assert!(!from(origin), "{origin}");
        }
        let site = |site| is_allowed(&names, &[("host", "localhost:8080"), ("sec-fetch-site", site)]);
        assert!(site("same-origin") && site("none") && !site("cross-site") && !site("same-site"));
    }
}
