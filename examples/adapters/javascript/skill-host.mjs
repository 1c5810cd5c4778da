#!/usr/bin/env node
// A skill host that speaks proofmark's adapter protocol: JSON-RPC 2.0, one message
// a line, requests on standard input and answers on standard output.

import { once } from "node:events";

import { catalog, evidence, load, read, RENDERING } from "./activation.mjs";
import { close, open, plan, step } from "./lifecycle.mjs";
import { projectPacket, renderPacket } from "./packet-views.mjs";
import { PACKET_VERSION, validatePacket } from "./packets.mjs";
import { validateReceipt } from "./receipts.mjs";
import { BadParams, isMapping, mergeLayers, Refusal } from "./registry.mjs";
import { validateTrace } from "./traces.mjs";

const PROTOCOL = 1;
const LINE_FEED = 0x0a;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const NOT_INITIALIZED = -32002;

// A Map, because a method may be called `constructor`.
const OPERATIONS = new Map([
  ["activation.evidence", evidence],
  ["activation.catalog", catalog],
  ["activation.load", load],
  ["activation.read", read],
  ["registry.merge", mergeLayers],
  ["lifecycle.validate_receipt", validateReceipt],
  ["lifecycle.validate_trace", validateTrace],
  ["lifecycle.open", open],
  ["lifecycle.step", step],
  ["lifecycle.close", close],
  ["lifecycle.plan", plan],
  ["packet.validate", validatePacket],
  ["packet.render", renderPacket],
  ["packet.project", projectPacket],
]);

/** An operation of several calls, which are declared under one name. */
const RUN = new Set(["lifecycle.open", "lifecycle.step", "lifecycle.close"]);

const GREETING = {
  protocol: PROTOCOL,
  implementation: { name: "example-skill-host", version: "0.1.0", language: "JavaScript" },
  operations: [...new Set([...OPERATIONS.keys()].map((method) => (RUN.has(method) ? "lifecycle.run" : method)))],
  contracts: { skill_activation_evidence: [1], skill_lifecycle: [1], evidence_return_packet: [PACKET_VERSION] },
  rendering: RENDERING,
  diagnostics: "rules",
  max_in_flight: 64,
};

/** A request that could not be tried, as against one that the contract refuses. */
class Fault extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const session = { initialized: false, over: false };

/** The answer to one line, as one line. There is always one, whatever the line holds. */
function answer(line) {
  let id = null;
  try {
    const request = parse(line);
    id = idOf(request);
    const result = dispatch(request);
    return JSON.stringify({ jsonrpc: "2.0", id, result });
  } catch (error) {
    if (!(error instanceof Fault)) console.error(error);
    const { code, message } = error instanceof Fault ? error : new Fault(INTERNAL_ERROR, "internal error");
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

function parse(line) {
  if (line === null) throw new Fault(PARSE_ERROR, `a line may have at most ${MAX_LINE_BYTES} bytes`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    return JSON.parse(text);
  } catch {
    throw new Fault(PARSE_ERROR, "the line is not JSON in UTF-8");
  }
}

function idOf(request) {
  const id = isMapping(request) ? request.id : undefined;
  const usable = (typeof id === "string" && !hasLoneSurrogate(id)) || Number.isFinite(id);
  if (!usable) throw new Fault(INVALID_REQUEST, "not a request with an id");
  return id;
}

function dispatch(request) {
  const { jsonrpc, method, params = {} } = request;
  if (jsonrpc !== "2.0" || typeof method !== "string") {
    throw new Fault(INVALID_REQUEST, "not a JSON-RPC 2.0 request");
  }
  if (!session.initialized && method !== "initialize") {
    throw new Fault(NOT_INITIALIZED, "initialize comes first");
  }
  const operation = OPERATIONS.get(method);
  if (operation === undefined && method !== "initialize" && method !== "shutdown") {
    throw new Fault(METHOD_NOT_FOUND, "unknown method");
  }
  if (!isMapping(params)) throw new Fault(INVALID_PARAMS, "params must be an object");
  // Half of a surrogate pair is no character, so no length can be given for it.
  if (hasLoneSurrogate(params)) throw new Fault(INVALID_PARAMS, "a text holds a lone surrogate");

  if (method === "initialize") return initialize(params);
  if (method === "shutdown") return shutdown();
  try {
    return operation(params);
  } catch (error) {
    if (error instanceof BadParams) throw new Fault(INVALID_PARAMS, error.message);
    if (!(error instanceof Refusal)) throw error;
    return { error: { category: error.category }, event: error.event };
  }
}

function initialize({ protocol }) {
  if (!Array.isArray(protocol) || !protocol.includes(PROTOCOL)) {
    throw new Fault(INVALID_PARAMS, `this host speaks protocol ${PROTOCOL} only`);
  }
  session.initialized = true;
  return GREETING;
}

function shutdown() {
  session.over = true;
  return null;
}

function hasLoneSurrogate(value) {
  // A stack of our own: the nesting of a request may be deeper than calls can go.
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") {
      if (/\p{Surrogate}/u.test(next)) return true;
    } else if (Array.isArray(next)) {
      for (const item of next) pending.push(item);
    } else if (isMapping(next)) {
      for (const key of Object.keys(next)) pending.push(key, next[key]);
    }
  }
  return false;
}

/** The lines of a stream as bytes, without their line feed; null for one that is too long. */
async function* linesOf(stream) {
  let parts = [];
  let size = 0;
  const collect = (part) => {
    size += part.length;
    if (size > MAX_LINE_BYTES) parts = [];
    else parts.push(part);
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      collect(chunk.subarray(start, end));
      yield size > MAX_LINE_BYTES ? null : Buffer.concat(parts);
      parts = [];
      size = 0;
      start = end + 1;
    }
    collect(chunk.subarray(start));
  }
  if (size > 0) yield size > MAX_LINE_BYTES ? null : Buffer.concat(parts);
}

// Whoever started us has stopped listening, so there is nobody left to tell.
process.stdout.on("error", () => process.exit(1));

for await (const line of linesOf(process.stdin)) {
  if (!process.stdout.write(`${answer(line)}\n`)) await once(process.stdout, "drain");
  if (session.over) break;
}
// No call to exit: the process ends by itself once everything written has been taken.
