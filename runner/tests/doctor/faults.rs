//! Unsound hosts: an example with a line or two changed, the check that fails, and words that its failure has.

/// An example host.
#[derive(Clone, Copy)]
pub(crate) enum Host {
    Python,
    JavaScript,
}

impl Host {
    /// Its folder, its program and the interpreter.
    pub(crate) fn parts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Python => ("examples/adapters/python", "skill_host.py", "python3"),
            Self::JavaScript => ("examples/adapters/javascript", "skill-host.mjs", "node"),
        }
    }
}
use Host::{JavaScript, Python};

/// An unsound host.
#[derive(Clone, Copy)]
pub(crate) struct Fault<'a> {
    pub(crate) name: &'a str,
    pub(crate) host: Host,
    /// File, line, and what stands there instead.
    pub(crate) edits: &'a [(&'a str, &'a str, &'a str)],
    /// Flags of `doctor`, in place of those that all have.
    pub(crate) flags: &'a [&'a str],
    /// The one check that fails.
    pub(crate) check: &'a str,
    pub(crate) words: &'a str,
}

const MAIN: &str = "skill_host.py";
const NODE: &str = "skill-host.mjs";
/// Where a request is about to be dispatched.
const DISPATCH: &str = "            return METHODS[method](params)";
const WRITE: &str = "        sys.stdout.buffer.write(conversation.answer(line))";
const LOOP: &str = "    for line in sys.stdin.buffer:";
const DEFS: &str = "PROTOCOL = 1";
const MAKE: &str = "    conversation = Conversation()";
const ENDING: &str = "            break";
const ENCODE: &str =
    "    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(\",\", \":\")).encode(\"utf-8\") + b\"\\n\"";

const START: &[Fault<'static>] = &[
    Fault {
        name: "greets-on-stdout",
        host: Python,
        edits: &[(MAIN, MAKE, "    conversation = Conversation()\n    print('host is ready', flush=True)")],
        flags: &[],
        check: "start.initialize",
        words: "host is ready",
    },
    Fault {
        name: "waits-for-the-end-of-stdin",
        host: Python,
        edits: &[(MAIN, LOOP, "    for line in sys.stdin.buffer.readlines():")],
        flags: &["--start-timeout", "1s"],
        check: "start.initialize",
        words: "did not answer `initialize` within 1s",
    },
    Fault {
        name: "exits-at-once",
        host: JavaScript,
        edits: &[(NODE, "const PROTOCOL = 1;", "const PROTOCOL = 1;\nprocess.exit(7);")],
        flags: &[],
        check: "start.initialize",
        words: "exited with status 7",
    },
    Fault {
        name: "speaks-every-version",
        host: Python,
        edits: &[(
            MAIN,
            "        if not isinstance(offered, list) or PROTOCOL not in map(activation.whole, offered):",
            "        if not isinstance(offered, list):",
        )],
        flags: &[],
        check: "start.version",
        words: "a declaration that says protocol 1",
    },
    Fault {
        name: "exits-where-no-version-is-common",
        host: JavaScript,
        edits: &[(NODE, "    throw new Fault(INVALID_PARAMS, `this host speaks protocol ${PROTOCOL} only`);", "    process.exit(3);")],
        flags: &[],
        check: "start.version",
        words: "exited with status 3",
    },
];

const DECLARATION: &[Fault<'static>] = &[
    Fault {
        name: "lacks-two-keys",
        host: Python,
        edits: &[
            (MAIN, "            \"diagnostics\": \"rules\",", ""),
            (MAIN, "            \"max_in_flight\": 64,", "            \"max_in_flight\": 0,"),
        ],
        flags: &[],
        check: "declaration.form",
        words: "/max_in_flight",
    },
    Fault {
        name: "declares-a-step",
        host: Python,
        edits: &[(MAIN, "SESSION_OPERATION = \"lifecycle.run\"", "SESSION_OPERATION = \"lifecycle.open\"")],
        flags: &[],
        check: "declaration.operations",
        words: "lifecycle.run, which stands for",
    },
    Fault {
        name: "misspells-an-operation",
        host: JavaScript,
        edits: &[
            (
                NODE,
                "  operations: [...new Set([...OPERATIONS.keys()].map((method) => (RUN.has(method) ? \"lifecycle.run\" : method)))],",
                "  operations: [\"activation.load\", \"packet.projct\"],",
            ),
            (
                NODE,
                "  contracts: { skill_activation_evidence: [1], skill_lifecycle: [1], evidence_return_packet: [PACKET_VERSION] },",
                "  contracts: { skill_activation_evidence: [1] },",
            ),
        ],
        flags: &[],
        check: "declaration.operations",
        words: "did you mean packet.project?",
    },
    Fault {
        name: "forgets-a-contract",
        host: Python,
        edits: &[(MAIN, "                \"skill_lifecycle\": [1],", "")],
        flags: &[],
        check: "declaration.contracts",
        words: "skill_lifecycle",
    },
    Fault {
        name: "another-version-of-a-contract",
        host: Python,
        edits: &[(
            MAIN,
            "                \"evidence_return_packet\": [packets.VERSION],",
            "                \"evidence_return_packet\": [0.1],",
        )],
        flags: &[],
        check: "declaration.contracts",
        words: "\\\"0.1\\\"",
    },
];

const ONE_REQUEST: &[Fault<'static>] = &[
    Fault {
        name: "declares-what-it-lacks",
        host: Python,
        edits: &[(
            MAIN,
            "METHODS = {**OPERATIONS, **SESSION_METHODS}",
            "METHODS = {**OPERATIONS, **SESSION_METHODS}\nMETHODS.pop('packet.project')",
        )],
        flags: &[],
        check: "answers.packet.project",
        words: "-32601",
    },
    Fault {
        name: "answers-with-a-list",
        host: Python,
        edits: &[(MAIN, "    \"registry.merge\": registry.merge,", "    \"registry.merge\": lambda params: [],")],
        flags: &[],
        check: "answers.registry.merge",
        words: "{registry, shadowed}",
    },
    Fault {
        name: "writes-a-key-twice",
        host: JavaScript,
        edits: &[(
            NODE,
            "    return JSON.stringify({ jsonrpc: \"2.0\", id, result });",
            "    return JSON.stringify({ jsonrpc: \"2.0\", id, result }).replace('\"ttl\":', '\"ttl\":0,\"ttl\":');",
        )],
        flags: &[],
        check: "answers.lifecycle.plan",
        words: "duplicate key",
    },
    Fault {
        name: "opens-no-session",
        host: Python,
        edits: &[("lifecycle.py", "    return {\"session\": name}", "    return {\"session\": 1}")],
        flags: &[],
        check: "answers.lifecycle.run",
        words: "{session}, with a text",
    },
    Fault {
        name: "another-error-for-unknown-methods",
        host: Python,
        edits: &[(MAIN, "METHOD_NOT_FOUND = -32601", "METHOD_NOT_FOUND = -32603")],
        flags: &[],
        check: "methods.unknown",
        words: "-32603",
    },
    Fault {
        name: "dies-of-an-unknown-method",
        host: JavaScript,
        edits: &[(NODE, "    throw new Fault(METHOD_NOT_FOUND, \"unknown method\");", "    process.exit(4);")],
        flags: &[],
        check: "methods.unknown",
        words: "exited with status 4",
    },
    Fault {
        name: "answers-methods-of-objects",
        host: Python,
        edits: &[
            (MAIN, DISPATCH, DISPATCH),
            (
                MAIN,
                "        method = message.get(\"method\")",
                "        method = message.get(\"method\")\n        if method == 'constructor':\n            return {}",
            ),
        ],
        flags: &[],
        check: "methods.unknown",
        words: "the result {}",
    },
    Fault {
        name: "another-error-for-what-is-undeclared",
        host: Python,
        edits: &[
            (MAIN, "            \"operations\": [*OPERATIONS, SESSION_OPERATION],", "            \"operations\": [*OPERATIONS],"),
            (
                MAIN,
                DISPATCH,
                "            if method in SESSION_METHODS:\n                raise RpcError(INVALID_REQUEST, 'no sessions here')\n            return METHODS[method](params)",
            ),
        ],
        flags: &[],
        check: "methods.undeclared",
        words: "-32600",
    },
    Fault {
        name: "refuses-unknown-keys",
        host: Python,
        edits: &[(
            MAIN,
            DISPATCH,
            "            if '_meta' in params:\n                raise RpcError(INVALID_PARAMS, 'unknown key')\n            return METHODS[method](params)",
        )],
        flags: &[],
        check: "params.unknown-keys",
        words: "unknown key",
    },
    Fault {
        name: "dies-of-a-wrong-type",
        host: Python,
        edits: &[(
            MAIN,
            DISPATCH,
            "            if 17 in params.values():\n                os._exit(5)\n            return METHODS[method](params)",
        )],
        flags: &[],
        check: "params.wrong-types",
        words: "exited with status 5",
    },
    Fault {
        name: "takes-a-wrong-type-for-good",
        host: Python,
        edits: &[(
            MAIN,
            DISPATCH,
            "            if 17 in params.values():\n                return {'valid': True}\n            return METHODS[method](params)",
        )],
        flags: &[],
        check: "params.wrong-types",
        words: "valid",
    },
];

const MANY_REQUESTS: &[Fault<'static>] = &[
    Fault {
        name: "remembers-what-it-planned",
        host: Python,
        edits: &[
            (MAIN, DEFS, "PROTOCOL = 1\nPLANS = []"),
            (
                MAIN,
                DISPATCH,
                "            if method == 'lifecycle.plan' and 17 not in params.values():\n                PLANS.append(1)\n                if len(PLANS) % 2 == 0:\n                    raise registry.Refusal('invalid_situation')\n            return METHODS[method](params)",
            ),
        ],
        flags: &[],
        check: "many.twice",
        words: "invalid_situation",
    },
    Fault {
        name: "mixes-up-ids",
        host: Python,
        edits: &[
            (
                MAIN,
                LOOP,
                "    rest = b''\n    while True:\n        chunk = sys.stdin.buffer.read1(1 << 16)\n        if not chunk:\n            break\n        *lines, rest = (rest + chunk).split(b'\\n')\n        said = [json.loads(conversation.answer(line)) for line in lines]\n        ids = [one['id'] for one in said]\n        for one, other in zip(said, ids[1:] + ids[:1]):\n            one['id'] = other\n            sys.stdout.buffer.write(encode(one))",
            ),
            (MAIN, WRITE, ""),
        ],
        flags: &[],
        check: "many.at-once",
        words: "which is the answer to",
    },
    Fault {
        name: "loses-lines-that-come-together",
        host: Python,
        edits: &[
            (
                MAIN,
                LOOP,
                "    rest = b''\n    while True:\n        chunk = sys.stdin.buffer.read1(1 << 16)\n        if not chunk:\n            break\n        *lines, rest = (rest + chunk).split(b'\\n')\n        for line in lines[:1]:\n            sys.stdout.buffer.write(conversation.answer(line))",
            ),
            (MAIN, WRITE, ""),
        ],
        flags: &["--timeout", "5s"],
        check: "many.at-once",
        words: "no answer within 5s",
    },
    Fault {
        name: "wears-out",
        host: Python,
        edits: &[
            (MAIN, DEFS, "PROTOCOL = 1\nASKED = []"),
            (
                MAIN,
                DISPATCH,
                "            ASKED.append(1)\n            if len(ASKED) > 900:\n                os._exit(6)\n            return METHODS[method](params)",
            ),
        ],
        flags: &[],
        check: "many.tiny",
        words: "exited with status 6",
    },
];

const TEXTS: &[Fault<'static>] = &[
    Fault {
        name: "composes-marks",
        host: Python,
        edits: &[(
            MAIN,
            ENCODE,
            "    import unicodedata\n    text = json.dumps(message, ensure_ascii=False, allow_nan=False)\n    return unicodedata.normalize('NFC', text).encode() + b'\\n'",
        )],
        flags: &[],
        check: "texts.unicode",
        words: "U+00E9 U+0020 U+00DF",
    },
    Fault {
        name: "cuts-at-line-separators",
        host: Python,
        edits: &[(
            MAIN,
            WRITE,
            "        for piece in line.decode().splitlines():\n            sys.stdout.buffer.write(conversation.answer(piece.encode()))",
        )],
        flags: &["--timeout", "5s"],
        check: "texts.unicode",
        words: "but before that a line that is none",
    },
    Fault {
        name: "loses-astral-characters",
        host: JavaScript,
        edits: &[(
            NODE,
            "    return JSON.stringify({ jsonrpc: \"2.0\", id, result });",
            "    return JSON.stringify({ jsonrpc: \"2.0\", id, result }).replace(/[\\ud800-\\udfff]+/g, \"?\");",
        )],
        flags: &[],
        check: "texts.unicode",
        words: "U+003F",
    },
    Fault {
        name: "rounds-numbers",
        host: Python,
        edits: &[(
            MAIN,
            "            line.decode(\"utf-8\"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite",
            "            line.decode(\"utf-8\"), object_pairs_hook=unique, parse_float=finite, parse_constant=finite,\n            parse_int=lambda text: int(text) if len(text) < 16 else int(text) // 100 * 100",
        )],
        flags: &[],
        check: "texts.numbers",
        words: "9007199254740900 there",
    },
    Fault {
        name: "reads-a-mebibyte",
        host: Python,
        edits: &[(MAIN, LOOP, "    for line in iter(lambda: sys.stdin.buffer.readline(1 << 20), b''):")],
        flags: &["--timeout", "5s"],
        check: "sizes.request",
        words: "activation.load with 1 MiB of params",
    },
    Fault {
        name: "writes-two-mebibytes",
        host: Python,
        edits: &[(MAIN, ENCODE, "    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode()[: 2 << 20] + b'\\n'")],
        flags: &["--timeout", "5s"],
        check: "sizes.answer",
        words: "not JSON",
    },
];

const SESSIONS: &[Fault<'static>] = &[
    Fault {
        name: "has-one-session",
        host: Python,
        edits: &[("lifecycle.py", "    name = f\"session-{next(NUMBERS)}\"", "    name = \"session\"")],
        flags: &[],
        check: "sessions.apart",
        words: "for both",
    },
    Fault {
        name: "plays-on-in-the-last-session",
        host: Python,
        edits: &[(
            "lifecycle.py",
            "    return {\"events\": SESSIONS[session_name(params)].step(params.get(\"event\"))}",
            "    session_name(params)\n    return {\"events\": list(SESSIONS.values())[-1].step(params.get(\"event\"))}",
        )],
        flags: &[],
        check: "sessions.apart",
        words: "a refusal, invalid_scenario",
    },
    Fault {
        name: "loads-no-body-beside-another-session",
        host: Python,
        edits: &[(
            "lifecycle.py",
            "    return {\"events\": SESSIONS[session_name(params)].step(params.get(\"event\"))}",
            "    events = SESSIONS[session_name(params)].step(params.get(\"event\"))\n    return {\"events\": [it for it in events if len(SESSIONS) == 1 or it['type'] != 'body.loaded']}",
        )],
        flags: &[],
        check: "sessions.apart",
        words: "what it does alone",
    },
    Fault {
        name: "plays-on-without-a-session",
        host: Python,
        edits: &[(
            "lifecycle.py",
            "    return {\"events\": SESSIONS[session_name(params)].step(params.get(\"event\"))}",
            "    if isinstance(params.get('session'), str) and params['session'] not in SESSIONS:\n        return {'events': []}\n    return {\"events\": SESSIONS[session_name(params)].step(params.get(\"event\"))}",
        )],
        flags: &[],
        check: "sessions.unknown",
        words: "a session that nobody opened",
    },
    Fault {
        name: "keeps-closed-sessions",
        host: Python,
        edits: &[("lifecycle.py", "    del SESSIONS[session_name(params)]", "    session_name(params)")],
        flags: &[],
        check: "sessions.unknown",
        words: "a session that was closed",
    },
];

const PROCESS: &[Fault<'static>] = &[
    Fault {
        name: "bears-no-silence",
        host: Python,
        edits: &[(
            MAIN,
            LOOP,
            "    import signal\n    signal.setitimer(signal.ITIMER_REAL, 20, 0)\n    for line in sys.stdin.buffer:\n        signal.setitimer(signal.ITIMER_REAL, 20, 0)",
        )],
        flags: &["--silence", "21s"],
        check: "process.silence",
        words: "signal 14",
    },
    Fault {
        name: "wants-to-be-alone",
        host: Python,
        edits: &[(
            MAIN,
            DEFS,
            "PROTOCOL = 1\nimport fcntl\nLOCK = open(__file__ + '.lock', 'w')\nfcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        )],
        flags: &[],
        check: "process.beside",
        words: "BlockingIOError",
    },
    Fault {
        name: "writes-as-the-locale-has-it",
        host: Python,
        edits: &[(
            MAIN,
            ENCODE,
            "    encoding = 'ascii' if os.environ.get('LC_ALL') == 'C' else 'utf-8'\n    return json.dumps(message, ensure_ascii=False, allow_nan=False).encode(encoding, 'replace') + b'\\n'",
        )],
        flags: &[],
        check: "process.locale",
        words: "U+003F",
    },
    Fault {
        name: "stays-when-stdin-closes",
        host: Python,
        edits: &[
            (MAIN, ENDING, "            return"),
            (MAIN, "        sys.stdout.buffer.flush()", "        sys.stdout.buffer.flush()  # and then"),
            (
                MAIN,
                MAKE,
                "    conversation = Conversation()\n    import atexit, time\n    atexit.register(lambda: conversation.finished or time.sleep(60))",
            ),
        ],
        flags: &[],
        check: "process.stdin",
        words: "a process that stayed",
    },
    Fault {
        name: "answers-shutdown-with-a-word",
        host: Python,
        edits: &[(MAIN, "            return None", "            return 'goodbye'")],
        flags: &[],
        check: "process.shutdown",
        words: "something else than the result null",
    },
    Fault {
        name: "leaves-without-an-answer",
        host: JavaScript,
        edits: &[(NODE, "  session.over = true;", "  process.exit(0);")],
        flags: &[],
        check: "process.shutdown",
        words: "did not answer `shutdown`",
    },
    Fault {
        name: "stays-after-shutdown",
        host: JavaScript,
        edits: &[(NODE, "  session.over = true;", "  session.over = true;\n  setInterval(() => {}, 1000);")],
        flags: &[],
        check: "process.exit",
        words: "a process that stayed",
    },
    Fault {
        name: "leaves-its-lock",
        host: Python,
        edits: &[(MAIN, MAKE, LEAVES_ITS_LOCK)],
        flags: &[],
        check: "process.again",
        words: "found the lock of",
    },
];

/// Each process has a lock file of its own, which it removes when it ends well; a file without its process stops every start.
const LEAVES_ITS_LOCK: &str = "    conversation = Conversation()
    import atexit, glob
    def is_alive(path):
        try:
            os.kill(int(path.rsplit('.', 1)[1]), 0)
            return True
        except OSError:
            return False
    for path in glob.glob(__file__ + '.lock.*'):
        if not is_alive(path):
            sys.exit('found the lock of ' + path)
    mine = f'{__file__}.lock.{os.getpid()}'
    open(mine, 'w').close()
    atexit.register(lambda: os.remove(mine))";

const STDOUT: &[Fault<'static>] = &[
    Fault {
        name: "answers-plans-twice",
        host: Python,
        edits: &[(
            MAIN,
            WRITE,
            "        for _ in range(2 if b'lifecycle.plan' in line else 1):\n            sys.stdout.buffer.write(conversation.answer(line))",
        )],
        flags: &[],
        check: "stdout.once",
        words: "a second or late answer",
    },
    Fault {
        name: "prints-what-it-loads",
        host: Python,
        edits: &[(
            MAIN,
            DISPATCH,
            "            if method == 'activation.load':\n                print('loading a skill', flush=True)\n            return METHODS[method](params)",
        )],
        flags: &[],
        check: "stdout.only-answers",
        words: "loading a skill",
    },
    Fault {
        name: "says-goodbye-on-stdout",
        host: JavaScript,
        edits: &[(NODE, "  session.over = true;", "  session.over = true;\n  process.on(\"exit\", () => console.log(\"goodbye\"));")],
        flags: &[],
        check: "stdout.only-answers",
        words: "1 lines that are not its answer",
    },
];

/// All of them, by what they get wrong.
pub(crate) const GROUPS: [&[Fault<'static>]; 8] = [START, DECLARATION, ONE_REQUEST, MANY_REQUESTS, TEXTS, SESSIONS, PROCESS, STDOUT];
