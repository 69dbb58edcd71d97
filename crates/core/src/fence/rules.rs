//! The gestures of a text that speaks to a model: a table of patterns behind one prefilter.

use super::InjectionKind::{self, Banner, Exfiltration, Imperative, Override, RoleMarker, ToolCall};
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

/// Bytes around a key word that a gesture lies in.
const AROUND: usize = 240;

struct Rule {
    kind: InjectionKind,
    /// Words of which every match holds one, in lower case.
    keys: &'static [&'static str],
    /// Over text in lower case with single blanks.
    pattern: &'static str,
    regex: OnceLock<Regex>,
}

const fn rule(kind: InjectionKind, keys: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule {
        kind,
        keys,
        pattern,
        regex: OnceLock::new(),
    }
}

static RULES: [Rule; 19] = [
    rule(
        Override,
        &["ignore", "disregard", "forget", "override", "bypass"],
        r"\b(?:ignore|disregard|forget|override|bypass)\b(?: (?:all|any|every|each|of|the|your|my|these|those|this|and|everything|other|please|completely|entirely|about)){0,5} (?:previous|prior|earlier|preceding|above|former|existing|original|initial|system|developer|safety)(?: (?:and|or|system|user|safety|developer|previous|prior|given|set)){0,3} (?:instructions?|prompts?|directions|directives|rules|guidelines|commands|orders|policies|constraints)\b",
    ),
    rule(
        Override,
        &["ignore", "disregard", "forget"],
        r"\b(?:ignore|disregard|forget) (?:all |any |everything |your )+(?:instructions|you (?:were|have been|know)|training|guidelines)\b",
    ),
    rule(
        Override,
        &["instructions"],
        r"(?:^|[\n.!:;#*] ?)(?:new|updated|revised|real|actual) (?:system )?instructions ?(?:for (?:you|the (?:ai|assistant|model|agent)))?:",
    ),
    rule(
        Override,
        &["instrucciones", "instructions précédentes", "anweisungen", "instruções"],
        r"\b(?:ignora|ignore[zr]?|ignoriere|vergiss) (?:todas |toutes |alle |as |las |les |die )*(?:instrucciones|instructions|anweisungen|instruções|vorherigen|bisherigen|previous|précédentes|anteriores)",
    ),
    rule(
        Override,
        &["忽略", "无视", "無視"],
        r"(?:忽略|无视|無視)(?:之前|以上|先前|所有|前面|上述).{0,8}(?:指令|指示|提示|命令)",
    ),
    rule(
        Override,
        &["you are now", "from now on", "pretend"],
        r"\b(?:you are now|from now on,? you(?: are| will|'ll| must)|pretend (?:that )?you are) (?:a |an |in |the |no longer |not |act |be |only |always |to |going )*(?:dan\b|unrestricted|jailbroken|developer mode|free (?:of|from)|assistant|ai\b|language model|different|evil|root|admin|respond|answer|obey|bound)",
    ),
    rule(
        Exfiltration,
        &[
            "system prompt",
            "system message",
            "your prompt",
            "your instructions",
            "initial prompt",
        ],
        r"\b(?:reveal|print|show|output|repeat|display|leak|dump|disclose|send|reply with|give me|tell me|write out|include)\b(?: (?:me|us|the|all|of|full|entire|complete|exact|verbatim|contents|text|content|out)){0,5} (?:your (?:full |entire |complete |own |hidden |secret |initial |original |exact )*(?:system )?(?:prompt|message|instructions)|(?:full |entire |hidden |secret )*system prompt)\b",
    ),
    rule(
        Exfiltration,
        &["the user", "the human", "anyone"],
        r"\b(?:do not|don't|never|without) (?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|show|showing|alert|alerting|notify|notifying|let)(?:ing)? (?:this |it |that |any of this |anything )?(?:to |about this to )?(?:the (?:user|human|developer|operator)|anyone)\b.{0,40}\b(?:this|that|instruction|comment|about|know|aware)\b",
    ),
    rule(
        Exfiltration,
        &[
            "api key",
            "credentials",
            "environment variables",
            "secrets",
            ".env",
            "ssh key",
            "password",
        ],
        r"\b(?:ai|assistant|agent|model|llm|claude|gpt|copilot|you) (?:must|should|shall|need to|have to|will|are to|please)(?: now| also| first| immediately| always)? (?:send|post|upload|exfiltrate|email|forward|transmit|print|output|include)\b.{0,60}\b(?:api keys?|credentials|environment variables|secrets|\.env|ssh keys?|passwords?)\b",
    ),
    rule(
        Imperative,
        &[
            "assistant",
            "agent",
            "language model",
            "llm",
            "chatbot",
            "claude",
            "chatgpt",
            "copilot",
            "gemini",
            "codex",
        ],
        r"\b(?:attention|note to|notice to|message to|message for|instructions? (?:for|to)|important for|hey|dear|hello|to all|to any) (?:all |any |the |every |other )*(?:ai |llm |coding |automated )*(?:assistants?|agents?|language models?|llms?|chatbots?|claude|chatgpt|copilot|gemini|codex)(?: reading| processing| reviewing| working)?[^a-z0-9_]{1,4}.{0,80}\b(?:must|should|please|do not|don't|run|execute|add|delete|remove|send|write|open|use|insert|install|call|fetch|say|respond|ignore|stop|always|never)\b",
    ),
    rule(
        Imperative,
        &["if you are", "as an ai", "when you", "you are an ai", "you are a"],
        r"\bif you(?: are|'re) an? (?:ai|llm|large|language|automated|coding|artificial|chat)[ a-z]{0,40}?(?:assistant|agent|model|llm|ai|bot|system|intelligence)?\b,? .{0,40}\b(?:must|should|please|do not|don't|run|execute|add|delete|remove|send|write|open|use|insert|install|call|fetch|say|respond|reply|ignore|stop|always|never|include|append)\b",
    ),
    rule(
        Imperative,
        &[
            "ai agents",
            "ai assistants",
            "ai models",
            "llms",
            "coding agents",
            "coding assistants",
            "language models",
        ],
        r"(?:^|[\n.!:;#*] ?)(?:ai|coding|llm|language)[ -]?(?:agents?|assistants?|models?|bots?)(?: reading this)? (?:must|shall|are required to|are instructed to|have to)(?: not| never| always| now| first)? [a-z]+",
    ),
    rule(
        Imperative,
        &["execute the following", "run the following", "you must now"],
        r"\b(?:you must now|you should now|your (?:new |next |only |real )+(?:task|goal|job|objective|mission) is to|as an ai(?: assistant| model| language model)?,? you (?:must|should|will|are to))\b.{0,80}",
    ),
    rule(
        Imperative,
        &[
            "your new task",
            "your real task",
            "your only goal",
            "your new goal",
            "your next task",
            "as an ai",
        ],
        r"\b(?:your (?:new|real|only|true) (?:task|goal|job|objective|mission) is|as an ai(?: assistant| model| language model)?,? you (?:must|should|will|are to|have to))\b",
    ),
    rule(
        RoleMarker,
        &[
            "<|im_start|>",
            "<|im_end|>",
            "<|system|>",
            "<|user|>",
            "<|assistant|>",
            "<|endoftext|>",
            "<|start_header_id|>",
            "<|eot_id|>",
            "<<sys>>",
            "[/inst]",
        ],
        r"<\|(?:im_start|im_end|system|user|assistant|start_header_id|eot_id)\|>|<<sys>>|\[/inst\]",
    ),
    rule(
        RoleMarker,
        &["<system", "</system", "<assistant", "<human"],
        r"</?(?:system[-_](?:reminder|prompt|message|instructions?))>|<(?:system|assistant|human)> ?(?:you|ignore|from now|disregard|i will|sure|the user|important)",
    ),
    rule(
        RoleMarker,
        &["system:", "assistant:", "### instruction", "### system"],
        r"(?:^|\n)[ #*/>-]*(?:### ?)?(?:system|assistant|developer)(?: (?:prompt|message|instruction|override))?: ?(?:you are|you must|you will|ignore|disregard|from now|sure, i|the user has|new instructions|all previous)",
    ),
    rule(
        ToolCall,
        &[
            "<tool_call",
            "<function_call",
            "<invoke name",
            "<tool_use",
            "<tool_result",
            "<function_results",
            "<|tool",
            "<antml",
            "<execute_bash",
        ],
        r"</?(?:antml:)?(?:tool_calls?|function_calls?|tool_use|tool_results?|function_results?|execute_bash)>|<(?:antml:)?invoke name ?=|<\|tool[a-z_▁]*\|>",
    ),
    rule(
        Banner,
        &[
            "tell the user",
            "inform the user",
            "report to the user",
            "let the user know",
            "remind the user",
            "ask the user",
            "to the user",
            "in your reply",
            "in your response",
            "in your answer",
            "your final answer",
            "your summary",
        ],
        r"(?:^|[\n.!:;#*\[\](] ?)(?:please |important:? |note:? |always |you must |you should |make sure to |be sure to |remember to |agents?:? |assistants?:? |when (?:done|finished|you (?:reply|answer|finish|respond)),? )+(?:tell|inform|report|announce|remind|mention|let|ask|recommend|include|add|state|show|display|say)\b.{0,80}\b(?:the user|your (?:final )?(?:reply|response|answer|summary))\b",
    ),
];

struct Prefilter {
    words: AhoCorasick,
    rule_of: Vec<usize>,
}

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut rule_of = Vec::new();
    for (i, rule) in RULES.iter().enumerate() {
        for key in rule.keys {
            words.push(*key);
            rule_of.push(i);
        }
    }
    Prefilter {
        words: AhoCorasick::new(words).expect("the key words are few and short"),
        rule_of,
    }
});

/// Adds the gestures of each kind that `text` holds.
pub(super) fn count(text: &str, counts: &mut [u64]) {
    let text = normal(text);
    let prefilter = &*PREFILTER;
    let mut seen = [0usize; RULES.len()];
    for hit in prefilter.words.find_overlapping_iter(text.as_ref()) {
        let i = prefilter.rule_of[hit.pattern().as_usize()];
        if hit.start() < seen[i] {
            continue;
        }
        let start = floor(&text, hit.start().saturating_sub(AROUND).max(seen[i]));
        let end = floor(&text, (hit.end() + 2 * AROUND).min(text.len()));
        let rule = &RULES[i];
        let regex = rule
            .regex
            .get_or_init(|| Regex::new(rule.pattern).expect("the patterns of the table compile"));
        match regex.find(&text[start..end]) {
            Some(found) => {
                counts[rule.kind as usize] += 1;
                seen[i] = (start + found.end()).max(hit.end());
            }
            None => seen[i] = hit.end(),
        }
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text as a reader takes it in: lower case, single blanks, without hidden characters, and with the leaders that a comment or quotation
/// puts before each line gone, so that a sentence over several lines reads as one. Line ends before a new
/// sentence stay.
fn normal(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    let mut leader = true;
    for c in text.chars() {
        match c {
            '\n' => {
                // The sentence goes on in the next line unless it ended here.
                if out.ends_with(['.', '!', ':', ';', '\n']) || out.is_empty() {
                    out.push('\n');
                    blank = true;
                } else if !blank {
                    out.push(' ');
                    blank = true;
                }
                leader = true;
            }
            c if c.is_whitespace() => {
                if !blank {
                    out.push(' ');
                    blank = true;
                }
            }
            '#' | '/' | '*' | ';' | '>' | '-' | '%' | '|' | '\'' | '"' if leader => {}
            '0'..='9' if leader && c.is_ascii_digit() => out.push(c),
            c if super::is_hidden(c) || matches!(c, '\u{200c}' | '\u{200d}') => {}
            // Full-width forms read as their plain letters.
            '\u{ff01}'..='\u{ff5e}' => {
                let plain = char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c);
                out.extend(plain.to_lowercase());
                blank = false;
                leader = false;
            }
            c => {
                out.extend(c.to_lowercase());
                blank = false;
                leader = false;
            }
        }
    }
    out.into()
}
