//! Names of variables that carry credentials.

use std::ffi::OsStr;

/// Whether a variable of this name carries a credential or the address of an agent that holds one. A child never gets
/// such a variable, not even when its caller names it: what a child needs to know goes into a file that it may read.
pub fn is_credential_name(name: &OsStr) -> bool {
    const EXACT: &[&str] = &[
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "GPG_AGENT_INFO",
        "SSH_ASKPASS",
        "GIT_ASKPASS",
        "GIT_SSH_COMMAND",
        "KUBECONFIG",
        "DOCKER_AUTH_CONFIG",
        "DOCKER_CONFIG",
        "DBUS_SESSION_BUS_ADDRESS",
        "NETRC",
        "PGPASSFILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ];
    const PREFIXES: &[&str] = &["AWS_", "AZURE_", "NPM_CONFIG__AUTH"];
    const WORDS: &[&str] = &[
        "TOKEN",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "PAT",
        "AUTH",
        "AUTHTOKEN",
        "COOKIE",
    ];
    // `X_KEY` alone is too broad (a cache key); with one of these before it, it is a secret.
    const KEY_WORDS: &[&str] = &[
        "API",
        "ACCESS",
        "PRIVATE",
        "SECRET",
        "ACCOUNT",
        "SIGNING",
        "ENCRYPTION",
        "MASTER",
    ];
    let upper = name.to_string_lossy().to_ascii_uppercase();
    if EXACT.contains(&upper.as_str()) || PREFIXES.iter().any(|p| upper.starts_with(p)) {
        return true;
    }
    let words: Vec<&str> = upper.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    words.iter().any(|w| WORDS.contains(w))
        || words.windows(2).any(|w| w[1] == "KEY" && KEY_WORDS.contains(&w[0]))
        || words
            .last()
            .is_some_and(|w| w.len() > 5 && (w.ends_with("TOKEN") || w.ends_with("APIKEY") || w.ends_with("PASSWORD")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known() {
        let check = |name: &str, expected: bool| assert_eq!(is_credential_name(OsStr::new(name)), expected, "{name}");
        for name in [
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "NPM_TOKEN",
            "NODE_AUTH_TOKEN",
            "npm_config__authToken",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_PROFILE",
            "AZURE_CLIENT_ID",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SSH_AUTH_SOCK",
            "GIT_ASKPASS",
            "KUBECONFIG",
            "PGPASSWORD",
            "DB_PASSWORD",
            "MY_SECRET",
            "STRIPE_SECRET_KEY",
            "azure_devops_ext_pat",
            "VAULT_TOKEN",
            "GITLAB_PAT",
            "SERVICE_PRIVATE_KEY",
            "XAUTHTOKEN",
        ] {
            check(name, true);
        }
        for name in [
            "PATH",
            "HOME",
            "TMPDIR",
            "LC_ALL",
            "DO_NOT_TRACK",
            "GRAFT_NO_REFRESH",
            "npm_config_cache",
            "npm_config_userconfig",
            "HTTPS_PROXY",
            "NODE_EXTRA_CA_CERTS",
            "SSL_CERT_FILE",
            "GIT_CONFIG_NOSYSTEM",
            "CACHE_KEY",
            "AUTHOR",
            "PATTERN",
            "OPENSSL_CONF",
        ] {
            check(name, false);
        }
    }
}
