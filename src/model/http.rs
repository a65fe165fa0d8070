//! The one HTTP client of all models.

use std::sync::OnceLock;
use std::time::Duration;

use crate::proto::{Fault, FaultKind};

/// How long a connection may take to open. There is no limit on a whole reply, only on silence.
const CONNECT: Duration = Duration::from_secs(15);

/// The shared client: pooled connections, HTTP/2, the system's proxy and certificates.
pub(super) fn client() -> Result<reqwest::Client, Fault> {
    static CLIENT: OnceLock<Result<reqwest::Client, String>> = OnceLock::new();
    let made = CLIENT.get_or_init(|| {
        // Fails only when a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(same_origin())
            .tcp_nodelay(true)
            .http2_keep_alive_interval(Duration::from_secs(20))
            .http2_keep_alive_timeout(Duration::from_secs(10))
            .http2_adaptive_window(true)
            .user_agent(concat!("octomind/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| error.to_string())
    });
    made.clone().map_err(|error| Fault {
        detail: Some(error),
        ..Fault::new(
            FaultKind::Network,
            "The HTTP client cannot be set up.",
            "Check the system's certificates and proxy settings.",
        )
    })
}

/// Redirects are followed to the same scheme, host and port only: a key in a header of ours, and the
/// conversation, would go along to any other.
fn same_origin() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let first = attempt.previous().first();
        let same = first.is_some_and(|url| url.origin() == attempt.url().origin());
        if same && attempt.previous().len() < 5 { attempt.follow() } else { attempt.stop() }
    })
}
