//! What the policy compiles to: plain data that the helper process carries out, and the messages between the two.

use crate::grants::{Access, Grant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use understory_ports::SandboxCommand;
use understory_ports::sandbox::{Network, Protection, Require};

/// Bytes of a path, an argument or a variable; they need not be text.
type Bytes = Vec<u8>;

/// One path with what is granted on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// The path.
    pub path: Bytes,
    /// What is granted.
    pub access: Access,
    /// Whether it must exist.
    pub required: bool,
}

/// Everything the helper needs. It looks nothing up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The program.
    pub program: Bytes,
    /// Its arguments, without its own name.
    pub args: Vec<Bytes>,
    /// `NAME=value`.
    pub environment: Vec<Bytes>,
    /// Working directory.
    pub cwd: Bytes,
    /// The only paths that may be used, and how.
    pub rules: Vec<Rule>,
    /// Paths that are covered up.
    pub hidden: Vec<Bytes>,
    /// Whether sockets are denied.
    pub deny_network: bool,
    /// Whether namespaces are tried.
    pub namespaces: bool,
    /// Bound on data, in bytes.
    pub memory: Option<u64>,
    /// Bound on the user's processes.
    pub processes: Option<u64>,
    /// Bound on a file's size, in bytes.
    pub file_size: Option<u64>,
    /// Whether anything less than all is refused.
    pub require_all: bool,
}

/// Compiles a command for this kernel. Pure.
pub fn compile(command: &SandboxCommand, environment: &BTreeMap<OsString, OsString>, grants: &[Grant]) -> Plan {
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    Plan {
        program: bytes(&command.program),
        args: command.args.iter().map(|a| a.as_bytes().to_vec()).collect(),
        environment: environment
            .iter()
            .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
            .collect(),
        cwd: bytes(&command.cwd),
        rules: grants
            .iter()
            .map(|grant| Rule {
                path: bytes(&grant.path),
                access: grant.access,
                required: grant.required,
            })
            .collect(),
        hidden: command.hidden.iter().map(|p| bytes(p)).collect(),
        deny_network: command.network == Network::Denied,
        namespaces: true,
        memory: command.limits.memory,
        processes: command.limits.processes,
        file_size: command.limits.file_size,
        require_all: command.require == Require::Enforced,
    }
}

impl Plan {
    /// The network's state, for the filter.
    pub fn network(&self) -> Network {
        if self.deny_network {
            Network::Denied
        } else {
            Network::Allowed
        }
    }

    /// What a run under this plan has to have to be called enforced.
    pub fn wanted(&self) -> Vec<Protection> {
        Protection::ALL
            .iter()
            .copied()
            .filter(|protection| match protection {
                Protection::Hidden => !self.hidden.is_empty(),
                Protection::NetworkNamespace => self.deny_network,
                Protection::ProcessLimit => self.processes.is_some(),
                _ => true,
            })
            .collect()
    }
}

/// A path from its bytes.
pub fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

/// A step of starting that failed before the program ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// A namespace was made and could not be finished; without namespaces it may work.
    Namespaces,
    /// The mounts could not be arranged.
    Mounts,
    /// Forking.
    Fork,
    /// Entering the working directory.
    Cwd,
    /// The program was not found.
    Find,
    /// A limit could not be set.
    Limit,
    /// A grant could not be made; the index of its rule follows.
    Grant(u32),
    /// Landlock or the filter failed in a way that is not "not supported".
    Confine,
    /// Executing.
    Execute,
}

/// What the helper tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// The helper lives and has read its plan.
    Ready,
    /// The program is about to run. Its number where it shares the host's process table, and the indexes in
    /// [`Protection::ALL`] of what is missing.
    Starting {
        /// Number of the program's process, 0 in a table of its own.
        process: u32,
        /// What is missing.
        missing: Vec<u8>,
    },
    /// All was required and this is missing; nothing ran.
    Refused {
        /// What is missing.
        missing: Vec<u8>,
    },
    /// A step failed; nothing ran.
    Failed {
        /// Which.
        step: Step,
        /// The operating system's number.
        errno: i32,
    },
    /// The program ended and nothing of it is left.
    Ended {
        /// Its code, if it ended by itself.
        code: Option<i32>,
        /// The signal that ended it, else.
        signal: Option<i32>,
        /// Whether it left processes that had to be killed.
        leaked: bool,
    },
}

/// Indexes in [`Protection::ALL`], the form in which messages carry protections.
pub fn to_indexes(protections: &[Protection]) -> Vec<u8> {
    (0u8..)
        .zip(Protection::ALL)
        .filter(|(_, p)| protections.contains(p))
        .map(|(index, _)| index)
        .collect()
}

/// Protections from their indexes.
pub fn from_indexes(indexes: &[u8]) -> Vec<Protection> {
    indexes
        .iter()
        .filter_map(|index| Protection::ALL.get(usize::from(*index)).copied())
        .collect()
}

/// The order to end everything, with time to do so.
pub const ASK: u8 = b'T';
/// The order to kill everything. The end of the connection means the same.
pub const KILL: u8 = b'K';

/// No honest message is longer: arguments and environment are bounded by the kernel at a few MiB.
const LONGEST: usize = 64 << 20;

/// Writes one value with its length before it.
pub fn send(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_stdvec(value).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_le_bytes()[..], &body].concat())
}

/// Reads one value.
pub fn receive<T: for<'a> Deserialize<'a>>(from: &mut dyn Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = Vec::new();
    from.take(length as u64).read_to_end(&mut body)?;
    postcard::from_bytes(&body).map_err(io::Error::other)
}

/// Takes the whole values off the front of what was read so far.
pub fn take_messages(buffer: &mut Vec<u8>) -> io::Result<Vec<Message>> {
    let mut messages = Vec::new();
    while let Some((length, _)) = buffer.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let Some(body) = buffer.get(4..4 + length) else { break };
        messages.push(postcard::from_bytes(body).map_err(io::Error::other)?);
        buffer.drain(..4 + length);
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn plan() -> Plan {
        let command = SandboxCommand::new("/bin/tool", "/tree")
            .arg(OsStr::from_bytes(b"a\xff"))
            .hide("/tree/.env");
        let environment = BTreeMap::from([("A".into(), OsString::from("1"))]);
        let grants = [Grant {
            path: "/tree".into(),
            access: Access {
                read: true,
                ..Access::default()
            },
            required: true,
        }];
        compile(&command, &environment, &grants)
    }

    #[test]
    fn a_command_compiles_to_bytes() {
        let plan = plan();
        assert_eq!(plan.program, b"/bin/tool");
        assert_eq!(plan.args, [b"a\xff".to_vec()]);
        assert_eq!(plan.environment, [b"A=1".to_vec()]);
        assert_eq!(plan.rules[0].path, b"/tree");
        assert!(plan.deny_network && !plan.require_all);
    }

    #[test]
    fn what_is_wanted_depends_on_what_is_asked() {
        let mut plan = plan();
        assert!(plan.wanted().contains(&Protection::Hidden));
        assert!(!plan.wanted().contains(&Protection::ProcessLimit));
        plan.hidden.clear();
        plan.deny_network = false;
        plan.processes = Some(10);
        assert!(!plan.wanted().contains(&Protection::Hidden));
        assert!(!plan.wanted().contains(&Protection::NetworkNamespace));
        assert!(plan.wanted().contains(&Protection::Network));
        assert!(plan.wanted().contains(&Protection::ProcessLimit));
    }

    #[test]
    fn messages_survive_any_cut() {
        let messages = [
            Message::Ready,
            Message::Starting {
                process: 7,
                missing: to_indexes(&[Protection::Files, Protection::Descriptors]),
            },
            Message::Failed {
                step: Step::Grant(3),
                errno: 2,
            },
            Message::Ended {
                code: Some(0),
                signal: None,
                leaked: true,
            },
        ];
        let mut wire = Vec::new();
        for message in &messages {
            send(&mut wire, message).unwrap();
        }
        for cut in 0..=wire.len() {
            let mut buffer = wire[..cut].to_vec();
            let mut got = take_messages(&mut buffer).unwrap();
            buffer.extend(&wire[cut..]);
            got.extend(take_messages(&mut buffer).unwrap());
            assert_eq!(got, messages, "cut at {cut}");
            assert!(buffer.is_empty());
        }
        let mut sent = Vec::new();
        send(&mut sent, &plan()).unwrap();
        assert_eq!(receive::<Plan>(&mut &sent[..]).unwrap(), plan());
        assert!(receive::<Plan>(&mut &sent[..sent.len() - 1]).is_err());
        assert!(take_messages(&mut vec![0xff; 8]).is_err());
        assert_eq!(from_indexes(&[0, 9, 200]), [Protection::ALL[0], Protection::ALL[9]]);
    }
}
