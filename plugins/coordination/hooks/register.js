// Made from src/plugin by `npm run build`: change it there.

// src/hostile-text/escape-text.ts
var SHOWN_AS_THEY_ARE = "\\u200C\\u200D\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}\\u180B-\\u180D\\u180F\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}";
var HIDDEN_KINDS = "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}";
function hiddenCharacters(except = "") {
  return new RegExp(`(?![${SHOWN_AS_THEY_ARE}${except}])[${HIDDEN_KINDS}]`, "gu");
}
var HIDDEN = hiddenCharacters();
var HIDDEN_BUT_LINE_FEED = hiddenCharacters("\\n");
var SHORT = { "\n": "\\n", "\r": "\\r", "	": "\\t" };
function escapeText(text2) {
  return text2.replace(HIDDEN, escapeCharacter);
}
function escapeCharacter(character) {
  const short = SHORT[character];
  if (short !== void 0) return short;
  const hex = character.codePointAt(0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}

// src/chain/evidence.ts
function compareEvidence(a, b) {
  return compare(a.at, b.at) || compare(a.name, b.name);
}
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// node_modules/@noble/hashes/_u64.js
var fromNumH = (n) => n / 2 ** 32 | 0;
var fromNumL = (n) => n >>> 0;
function setU64FromNum(view, byteOffset, n, isLE) {
  const h = fromNumH(n);
  const l = fromNumL(n);
  view.setUint32(byteOffset, isLE ? l : h, isLE);
  view.setUint32(byteOffset + 4, isLE ? h : l, isLE);
}

// node_modules/@noble/hashes/utils.js
function isBytes(a) {
  return a instanceof Uint8Array || ArrayBuffer.isView(a) && a.constructor.name === "Uint8Array" && "BYTES_PER_ELEMENT" in a && a.BYTES_PER_ELEMENT === 1;
}
var atitle = (title) => title ? `"${title}" ` : "";
function anumber(n, title = "") {
  if (typeof n !== "number")
    throw new TypeError(atitle(title) + "expected number, got " + typeof n);
  if (!Number.isSafeInteger(n) || n < 0)
    throw new RangeError(atitle(title) + "expected integer >= 0, got " + n);
  return n;
}
function abytes(value, length, title = "") {
  if (isBytes(value) && (length === void 0 || value.length === length))
    return value;
  if (length !== void 0)
    anumber(length, "length");
  const bytes = isBytes(value);
  const ofLen = length !== void 0 ? ` of length ${length}` : "";
  const got = bytes ? `length=${value.length}` : `type=${typeof value}`;
  const message2 = atitle(title) + "expected Uint8Array" + ofLen + ", got " + got;
  if (!bytes)
    throw new TypeError(message2);
  throw new RangeError(message2);
}
var aobject = (value, label) => {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new TypeError((label === "object" ? "" : `"${label}" `) + "expected object, got type=" + typeof value);
};
var aopts = (value, label) => {
  aobject(value, label);
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null)
    throw new TypeError(`"${label}" expected plain object`);
  if (Object.hasOwn(value, "__proto__"))
    throw new TypeError(`"${label}.__proto__" is not allowed`);
};
function aexists(instance, checkFinished = true) {
  if (instance.destroyed)
    throw new Error("hash was destroyed");
  if (checkFinished && instance.finished)
    throw new Error("digest() was already called");
}
function aoutput(out, instance) {
  abytes(out, void 0, "output");
  const min = instance.outputLen;
  if (!(out.length >= min)) {
    throw new RangeError('"output" expected length >= ' + min);
  }
}
function clean(...arrays) {
  for (let i = 0; i < arrays.length; i++) {
    arrays[i].fill(0);
  }
}
function createView(arr) {
  return new DataView(arr.buffer, arr.byteOffset, arr.byteLength);
}
function rotr(word, shift) {
  return word << 32 - shift | word >>> shift;
}
var hasHexBuiltin = /* @__PURE__ */ (() => (
  // @ts-ignore
  typeof Uint8Array.from([]).toHex === "function" && typeof Uint8Array.fromHex === "function"
))();
var hexes = /* @__PURE__ */ Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
function bytesToHex(bytes) {
  abytes(bytes);
  if (hasHexBuiltin)
    return bytes.toHex();
  let hex = "";
  for (let i = 0; i < bytes.length; i++) {
    hex += hexes[bytes[i]];
  }
  return hex;
}
function utf8ToBytes(str) {
  if (typeof str !== "string")
    throw new TypeError("string expected");
  const encoded = new TextEncoder().encode(str);
  try {
    return new Uint8Array(encoded);
  } finally {
    clean(encoded);
  }
}
function checkOpts(defaults, opts, title = "opts") {
  aopts(defaults, "defaults");
  if (opts !== void 0)
    aopts(opts, title);
  const merged = Object.assign(/* @__PURE__ */ Object.create(null), defaults, opts);
  return merged;
}
function createHasher(hashCons, info = {}) {
  if (typeof hashCons !== "function")
    throw new TypeError('"hashCons" expected function, got type=' + typeof hashCons);
  info = checkOpts({}, info, "info");
  const hashC = (msg, opts) => hashCons(opts).update(msg).digest();
  const tmp = hashCons(void 0);
  hashC.outputLen = tmp.outputLen;
  hashC.blockLen = tmp.blockLen;
  hashC.canXOF = tmp.canXOF;
  hashC.create = (opts) => hashCons(opts);
  Object.assign(hashC, info);
  return Object.freeze(hashC);
}
var oidNist = (suffix) => ({
  // Current NIST hashAlgs suffixes used here fit in one DER subidentifier octet.
  // Larger suffix values would need base-128 OID encoding and a different length byte.
  oid: Uint8Array.from([6, 9, 96, 134, 72, 1, 101, 3, 4, 2, suffix])
});

// node_modules/@noble/hashes/_md.js
function Chi(a, b, c) {
  return a & b ^ ~a & c;
}
function Maj(a, b, c) {
  return a & b ^ a & c ^ b & c;
}
var HashMD = class {
  blockLen;
  outputLen;
  canXOF = false;
  padOffset;
  isLE;
  // For partial updates less than block size
  buffer;
  view;
  finished = false;
  length = 0;
  pos = 0;
  destroyed = false;
  constructor(blockLen, outputLen, padOffset, isLE) {
    this.blockLen = blockLen;
    this.outputLen = outputLen;
    this.padOffset = padOffset;
    this.isLE = isLE;
    this.buffer = new Uint8Array(blockLen);
    this.view = createView(this.buffer);
  }
  update(data) {
    aexists(this);
    abytes(data);
    const { view, buffer, blockLen } = this;
    const len = data.length;
    let processed = false;
    for (let pos = 0; pos < len; ) {
      const take = Math.min(blockLen - this.pos, len - pos);
      if (take === blockLen) {
        const dataView = createView(data);
        for (; blockLen <= len - pos; pos += blockLen)
          this.process(dataView, pos);
        processed = true;
        continue;
      }
      buffer.set(pos === 0 && take === len ? data : data.subarray(pos, pos + take), this.pos);
      this.pos += take;
      pos += take;
      if (this.pos === blockLen) {
        this.process(view, 0);
        this.pos = 0;
        processed = true;
      }
    }
    this.length += data.length;
    if (processed)
      this.roundClean();
    return this;
  }
  digestInto(out) {
    aexists(this);
    aoutput(out, this);
    this.finished = true;
    const { buffer, view, blockLen, isLE } = this;
    let { pos } = this;
    buffer[pos++] = 128;
    buffer.fill(0, pos);
    if (this.padOffset > blockLen - pos) {
      this.process(view, 0);
      buffer.fill(0);
    }
    setU64FromNum(view, blockLen - 8, this.length * 8, isLE);
    this.process(view, 0);
    this.roundClean();
    const oview = out === buffer ? view : createView(out);
    const len = this.outputLen;
    const outLen = len / 4;
    const state = this.get();
    if (len % 4 || outLen > state.length)
      throw new Error("invalid outputLen");
    for (let i = 0; i < outLen; i++)
      oview.setUint32(4 * i, state[i], isLE);
  }
  digest() {
    const { buffer, outputLen } = this;
    this.digestInto(buffer);
    const res = buffer.slice(0, outputLen);
    this.destroy();
    return res;
  }
  _cloneIntoMeta(to) {
    const { buffer, length, finished, destroyed, pos } = this;
    to.destroyed = destroyed;
    to.finished = finished;
    to.length = length;
    to.pos = pos;
    if (pos)
      to.buffer.set(buffer);
    return to;
  }
  clone() {
    return this._cloneInto();
  }
};
var SHA256_IV = /* @__PURE__ */ Uint32Array.from([
  1779033703,
  3144134277,
  1013904242,
  2773480762,
  1359893119,
  2600822924,
  528734635,
  1541459225
]);

// node_modules/@noble/hashes/sha2.js
var SHA256_K = /* @__PURE__ */ Uint32Array.from([
  1116352408,
  1899447441,
  3049323471,
  3921009573,
  961987163,
  1508970993,
  2453635748,
  2870763221,
  3624381080,
  310598401,
  607225278,
  1426881987,
  1925078388,
  2162078206,
  2614888103,
  3248222580,
  3835390401,
  4022224774,
  264347078,
  604807628,
  770255983,
  1249150122,
  1555081692,
  1996064986,
  2554220882,
  2821834349,
  2952996808,
  3210313671,
  3336571891,
  3584528711,
  113926993,
  338241895,
  666307205,
  773529912,
  1294757372,
  1396182291,
  1695183700,
  1986661051,
  2177026350,
  2456956037,
  2730485921,
  2820302411,
  3259730800,
  3345764771,
  3516065817,
  3600352804,
  4094571909,
  275423344,
  430227734,
  506948616,
  659060556,
  883997877,
  958139571,
  1322822218,
  1537002063,
  1747873779,
  1955562222,
  2024104815,
  2227730452,
  2361852424,
  2428436474,
  2756734187,
  3204031479,
  3329325298
]);
var SHA256_W = /* @__PURE__ */ new Uint32Array(64);
var SHA2_32B = class extends HashMD {
  // We cannot use array here since array allows indexing by variable
  // which means optimizer/compiler cannot use registers.
  // Numeric initializers matter: starting the fields as `undefined` changes
  // V8's field representation and makes sha256 3x slower (measured).
  A = 0;
  B = 0;
  C = 0;
  D = 0;
  E = 0;
  F = 0;
  G = 0;
  H = 0;
  constructor(outputLen, IV) {
    super(64, outputLen, 8, false);
    this.A = IV[0] | 0;
    this.B = IV[1] | 0;
    this.C = IV[2] | 0;
    this.D = IV[3] | 0;
    this.E = IV[4] | 0;
    this.F = IV[5] | 0;
    this.G = IV[6] | 0;
    this.H = IV[7] | 0;
  }
  get() {
    const { A, B, C, D, E, F, G, H } = this;
    return [A, B, C, D, E, F, G, H];
  }
  // prettier-ignore
  set(A, B, C, D, E, F, G, H) {
    this.A = A | 0;
    this.B = B | 0;
    this.C = C | 0;
    this.D = D | 0;
    this.E = E | 0;
    this.F = F | 0;
    this.G = G | 0;
    this.H = H | 0;
  }
  _cloneInto(to) {
    (to ||= new this.constructor()).set(...this.get());
    return this._cloneIntoMeta(to);
  }
  process(view, offset) {
    for (let i = 0; i < 16; i++, offset += 4)
      SHA256_W[i] = view.getUint32(offset, false);
    for (let i = 16; i < 64; i++) {
      const W15 = SHA256_W[i - 15];
      const W2 = SHA256_W[i - 2];
      const s0 = rotr(W15, 7) ^ rotr(W15, 18) ^ W15 >>> 3;
      const s1 = rotr(W2, 17) ^ rotr(W2, 19) ^ W2 >>> 10;
      SHA256_W[i] = s1 + SHA256_W[i - 7] + s0 + SHA256_W[i - 16] | 0;
    }
    let { A, B, C, D, E, F, G, H } = this;
    for (let i = 0; i < 64; i++) {
      const sigma1 = rotr(E, 6) ^ rotr(E, 11) ^ rotr(E, 25);
      const T1 = H + sigma1 + Chi(E, F, G) + SHA256_K[i] + SHA256_W[i] | 0;
      const sigma0 = rotr(A, 2) ^ rotr(A, 13) ^ rotr(A, 22);
      const T2 = sigma0 + Maj(A, B, C) | 0;
      H = G;
      G = F;
      F = E;
      E = D + T1 | 0;
      D = C;
      C = B;
      B = A;
      A = T1 + T2 | 0;
    }
    A = A + this.A | 0;
    B = B + this.B | 0;
    C = C + this.C | 0;
    D = D + this.D | 0;
    E = E + this.E | 0;
    F = F + this.F | 0;
    G = G + this.G | 0;
    H = H + this.H | 0;
    this.set(A, B, C, D, E, F, G, H);
  }
  roundClean() {
    clean(SHA256_W);
  }
  destroy() {
    this.destroyed = true;
    this.set(0, 0, 0, 0, 0, 0, 0, 0);
    clean(this.buffer);
  }
};
var _SHA256 = class extends SHA2_32B {
  constructor() {
    super(32, SHA256_IV);
  }
};
var sha256 = /* @__PURE__ */ createHasher(
  () => new _SHA256(),
  /* @__PURE__ */ oidNist(1)
);

// src/record/text-digest.ts
function digestText(text2) {
  const bytes = utf8ToBytes(text2);
  return { textLength: bytes.length, textSha256: bytesToHex(sha256(bytes)) };
}
function textFields(text2, recordText) {
  return recordText === "metadata" ? digestText(text2) : { text: text2 };
}

// src/record/join-notice.ts
function joinNotice(lead) {
  return `Session ${lead.sessionId} has joined your chain as a lead. Its part: ${lead.part}. It will report to you with ordinary messages; this notice needs no answer.`;
}
function isJoinNotice(message2, lead) {
  const notice = joinNotice(lead);
  return message2.text === void 0 ? message2.textSha256 === digestText(notice).textSha256 : message2.text === notice;
}

// src/record/timestamp.ts
var TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
function formatTimestamp(at) {
  return at.toISOString();
}
function isTimestamp(value) {
  if (!TIMESTAMP.test(value)) return false;
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString() === value;
}

// src/record/file-name.ts
var ENTRY_FILE = /^(\d{4})-?(\d\d)-?(\d\d)T(\d\d)-?(\d\d)-?(\d\d)[.-]?(\d{3})Z-([A-Za-z0-9_-]+)\.json$/;
function parseEntryFileName(name) {
  const match = ENTRY_FILE.exec(name);
  if (!match) return null;
  const [, year, month, day, hour, minute, second, millisecond, sequence] = match;
  const at = `${year}-${month}-${day}T${hour}:${minute}:${second}.${millisecond}Z`;
  return isTimestamp(at) ? { at, sequence } : null;
}
function loadNumberOf(name) {
  const match = /-([0-9a-f]{8})-(\d{6})\.json$/.exec(name);
  if (!match || !ENTRY_FILE.test(name)) return null;
  const number = Number(match[2]);
  return number === 0 ? null : { load: match[1], number };
}
function placeholderOf(name) {
  const match = /^\.(.+)\.icloud$/.exec(name);
  return match && parseEntryFileName(match[1]) ? match[1] : null;
}
function entryNameOf(name) {
  return conflictedName(name) ?? placeholderOf(name) ?? name;
}
function classifyName(name) {
  if (name.startsWith(".")) return null;
  if (conflictedName(name) !== null) return "conflict";
  if (!/\.json$/i.test(name)) return null;
  return parseEntryFileName(name) ? "entry" : "misnamed";
}
function entryFileName(at, sequence) {
  return `${formatTimestamp(at).replaceAll(":", "")}-${sequence}.json`;
}
function sequenceOf(load2) {
  let count = 0;
  return () => {
    count += 1;
    return `${load2}-${String(count).padStart(6, "0")}`;
  };
}
function conflictedName(name) {
  const match = /^(.+\.[jJ][sS][oO][nN])\.conflict-(?:[0-9a-f]{4}){3,16}$/.exec(name);
  return match ? match[1] : null;
}

// src/chain/load-numbers.ts
var MOST_LOADS = 1e3;
var MOST_MISSING = 1e3;
var MOST_SENT_AHEAD = 50;
function addNumber(loads, evidence) {
  const stated = loadNumberOf(evidence.name);
  if (loads === null || stated === null) return { loads, isOutOfOrder: false, isAfterGap: false };
  const index = loads.findIndex((one) => one.load === stated.load);
  const load2 = loads[index] ?? { load: stated.load, highest: 0, missing: [], ordered: 0, sentAhead: [] };
  const next = loadWith(load2, stated.number, evidence);
  const all = index === -1 ? [...loads, next] : loads.with(index, next);
  const isFull = all.length > MOST_LOADS || next.missing.length > load2.missing.length && isTooMuch(all);
  return {
    loads: isFull ? null : all,
    isOutOfOrder: stated.number < load2.ordered,
    isAfterGap: isCountedOn(load2, stated.number, evidence) || stated.number === 1 && evidence.kind !== "start"
  };
}
function isNumberMissingSince(join3, loads) {
  if (loads === null) return true;
  const own = loadNumberOf(join3.name);
  return loads.some(
    ({ load: load2, missing }) => missing.some(
      ({ from, givenBy }) => load2 === own?.load ? from > own.number : givenBy === null || givenBy >= join3.at
    )
  );
}
function isSentAhead(join3, loads) {
  const own = loadNumberOf(join3.name);
  const load2 = loads?.find((one) => one.load === own?.load);
  return (load2?.sentAhead ?? []).some(
    ({ to, number }) => number > own.number && (to === null || to === join3.parent)
  );
}
function isNumberedBefore(name, other) {
  const [one, two] = [loadNumberOf(name), loadNumberOf(other)];
  return one !== null && one.load === two?.load && one.number < two.number;
}
function loadWith(load2, number, evidence) {
  const isSent = evidence.kind === "message" && evidence.side === "sent";
  const ordered = isSent ? load2.ordered : Math.max(load2.ordered, number);
  const sentAhead = isSent ? sentAheadWith(load2, number, evidence) : load2.sentAhead;
  return {
    load: load2.load,
    highest: Math.max(load2.highest, number),
    missing: missingWith(load2, number, evidence, isSent ? null : evidence.at),
    ordered,
    sentAhead: sentAhead.filter((one) => one.number > ordered)
  };
}
function missingWith(load2, number, evidence, givenBy) {
  const before = evidence.name;
  if (number > load2.highest) {
    const dated = load2.missing.map((one) => ({ ...one, givenBy: one.givenBy ?? givenBy }));
    const isGap = number > load2.highest + 1 && !isCountedOn(load2, number, evidence);
    return isGap ? [...dated, { from: load2.highest + 1, to: number - 1, before, givenBy }] : dated;
  }
  return load2.missing.flatMap((one) => {
    const dated = { ...one, givenBy: one.givenBy ?? (one.to < number ? givenBy : null) };
    if (number < one.from || number > one.to) return [dated];
    const below = { from: one.from, to: number - 1, before, givenBy: one.givenBy ?? givenBy };
    const above = { ...one, from: number + 1 };
    return [below, above].filter(({ from, to }) => from <= to);
  });
}
function isCountedOn(load2, number, evidence) {
  return number > load2.highest + 1 && evidence.kind === "start" && typeof evidence.cause !== "string";
}
function sentAheadWith({ sentAhead }, number, evidence) {
  if (!evidence.isQueued && !evidence.missing) return sentAhead;
  const peer2 = evidence.missing ? null : evidence.peer.sessionId ?? null;
  const isKept = sentAhead.length < MOST_SENT_AHEAD || sentAhead.some((one) => one.to === peer2);
  const to = isKept ? peer2 : null;
  const others = sentAhead.filter((one) => one.to !== to);
  const highest = Math.max(number, ...sentAhead.filter((one) => one.to === to).map((one) => one.number));
  return [...others, { to, number: highest }];
}
function isTooMuch(loads) {
  return loads.reduce((sum, { missing }) => sum + missing.length, 0) > MOST_MISSING;
}

// src/chain/session-facts.ts
function isNewer(evidence, facts) {
  return compareEvidence(evidence, { at: facts.lastHeard, name: facts.newestName }) > 0;
}
function sessionFacts(sessionId2, evidence) {
  let facts = null;
  for (const one of evidence) facts = addEvidence(sessionId2, facts, one);
  return facts;
}
function addEvidence(sessionId2, facts, evidence) {
  const numbered = addNumber(facts === null ? [] : facts.loads, evidence);
  const join3 = joinAfter(sessionId2, facts, evidence);
  return {
    sessionId: sessionId2,
    firstHeard: facts?.firstHeard ?? evidence.at,
    lastHeard: evidence.at,
    newestName: evidence.name,
    entries: (facts?.entries ?? 0) + 1,
    cwd: evidence.cwd,
    coveredFrom: facts?.coveredFrom ?? (evidence.kind === "start" ? evidence.at : null),
    latestStart: startOf(evidence) ?? facts?.latestStart ?? null,
    join: join3,
    isGapSinceJoin: isGapAfter(facts, evidence, numbered),
    notWritten: notWrittenAfter(facts?.notWritten ?? [], evidence),
    loads: numbered.loads
  };
}
function isGapAfter(facts, evidence, numbered) {
  if (evidence.kind === "chain") return numbered.isOutOfOrder;
  if (!facts?.join) return false;
  const isReload = evidence.kind === "start" && evidence.cause === "reload";
  const isGap = numbered.isOutOfOrder || numbered.isAfterGap || isReload || Boolean(evidence.missing);
  return facts.isGapSinceJoin || isGap;
}
var MOST_NOT_WRITTEN = 1e3;
function notWrittenAfter(before, evidence) {
  const { name, missing } = evidence;
  return missing && before.length < MOST_NOT_WRITTEN ? [...before, { name, count: missing }] : before;
}
function startOf(evidence) {
  if (evidence.kind !== "start") return null;
  return { host: evidence.host, version: evidence.version, inbound: evidence.inbound };
}
function joinAfter(sessionId2, facts, evidence) {
  if (evidence.kind === "chain") {
    const { at, name, parent, part, brief } = evidence;
    const sentToUnknown = isSentAhead(evidence, facts?.loads ?? null);
    const unsent = { noticeSeen: false, sentToParent: false, sentToUnknown };
    return { at, name, parent, part, brief: brief ?? null, ...unsent };
  }
  const join3 = facts?.join ?? null;
  if (!join3 || evidence.kind !== "message" || evidence.side !== "sent" || !evidence.isQueued) return join3;
  const peer2 = evidence.peer.sessionId;
  if (peer2 !== void 0 && peer2 !== join3.parent) return join3;
  if (isNumberedBefore(evidence.name, join3.name)) return join3;
  if (!join3.noticeSeen && isJoinNotice(evidence, { sessionId: sessionId2, part: join3.part }))
    return { ...join3, noticeSeen: true };
  const mayBeOlder = evidence.at === join3.at && isNumberedBefore(join3.name, evidence.name);
  const isCertain = peer2 !== void 0 && !mayBeOlder;
  return isCertain ? { ...join3, sentToParent: true } : { ...join3, sentToUnknown: true };
}

// src/record/field.ts
var text = {
  rules: [{ holds: (value) => typeof value === "string", words: "must be a string" }]
};
function textThat(holds, words) {
  return { rules: [...text.rules, { holds: (value) => holds(value), words }] };
}
function oneOf(words, rule) {
  return { rules: [{ holds: (value) => words.includes(value), words: rule }] };
}
var trueOrFalse = {
  rules: [{ holds: (value) => typeof value === "boolean", words: "must be true or false" }]
};
function wholeNumber(least, words) {
  return {
    rules: [
      { holds: Number.isSafeInteger, words: "must be a whole number" },
      { holds: (value) => value >= least, words }
    ]
  };
}
function object(fields, words) {
  return { rules: [{ holds: isObject, words }], fields };
}
function optional(field) {
  return { ...field, isOptional: true };
}
function nullable(field) {
  return { ...field, isNullable: true };
}
function never(words) {
  return { isOptional: true, rules: [{ holds: () => false, words }] };
}
function whyNot(fields, object2, path = "") {
  for (const name in fields) {
    const { isOptional, isNullable, rules, fields: inside } = fields[name];
    const value = object2[name];
    if (value === void 0 ? isOptional : value === null && isNullable) continue;
    const broken = rules.find((rule) => !rule.holds(value));
    if (broken) return reasonFor(`${path}${name}`, value, broken.words);
    const reason = inside ? whyNot(inside, value, `${path}${name}.`) : null;
    if (reason !== null) return reason;
  }
  return null;
}
function reasonFor(field, found, words) {
  return found === void 0 ? `${field}: missing` : `${field}: ${words}`;
}
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// src/record/session-id.ts
var SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
function isSessionId(value) {
  return SESSION_ID.test(value);
}

// src/record/entry.ts
var sessionId = textThat(isSessionId, "is not a full session id");
var timestamp = textThat(isTimestamp, "must be UTC to the millisecond, like 2026-11-01T10:00:00.000Z");
var sha2562 = textThat((value) => /^[0-9a-f]{64}$/.test(value), "must be a SHA-256 in lower-case hex");
var common = {
  ...{ sessionId, at: timestamp, cwd: text },
  /** So many entries of the session, before this one, could not be written (rule.recordingMayFail). */
  missing: optional(nullable(wholeNumber(1, "must be at least 1")))
};
var startEntry = {
  kind: oneOf(["start"], "must be start"),
  ...common,
  host: text,
  version: text,
  inbound: text,
  /** Why the mod was loaded; `reload` where the session had been running before (ruling 8). */
  cause: optional(nullable(text))
};
var chainEntry = {
  kind: oneOf(["chain"], "must be chain"),
  ...common,
  parent: sessionId,
  part: text,
  brief: optional(nullable(text))
};
var peer = object(
  { as: nullable(text), sessionId: optional(sessionId) },
  "must be an object { as, sessionId? }"
);
var message = {
  kind: oneOf(["message"], "must be message"),
  ...common,
  text: optional(text),
  textLength: optional(wholeNumber(0, "must not be negative")),
  textSha256: optional(sha2562),
  peer
};
var sentOnly = never("stands only on a sent entry");
var receivedOnly = never("stands only on a received entry");
var sentEntry = {
  side: oneOf(["sent"], "must be sent"),
  ...message,
  isQueued: trueOrFalse,
  reason: optional(nullable(text)),
  msgId: optional(nullable(text)),
  envelope: receivedOnly,
  outcome: receivedOnly
};
var receivedEntry = {
  side: oneOf(["received"], "must be received"),
  ...message,
  envelope: object({ before: text, after: text }, "must be an object { before, after }"),
  outcome: oneOf(
    ["queued", "consumed", "rejected", "unknown"],
    "must be queued, consumed, rejected or unknown"
  ),
  isQueued: sentOnly,
  reason: sentOnly
};
function parseEntry(json) {
  let value;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { reason: json === "" ? "empty file" : `not JSON: ${error.message}` };
  }
  return checkEntry(value);
}
function checkEntry(value) {
  if (!isObject(value)) return { reason: "not a JSON object" };
  const form = formOf(value);
  if ("reason" in form) return form;
  const reason = whyNot(form.fields, value);
  if (reason !== null) return { reason };
  const entry = value;
  if (entry.kind === "message" && entry.text === void 0) {
    if (entry.textLength === void 0) return { reason: "text: missing, and so is textLength" };
    if (entry.textSha256 === void 0) return { reason: "text: missing, and so is textSha256" };
  }
  return { entry };
}
function formOf({ kind, side }) {
  switch (kind) {
    case "start":
      return { fields: startEntry };
    case "chain":
      return { fields: chainEntry };
    case "message":
      if (side === "sent") return { fields: sentEntry };
      if (side === "received") return { fields: receivedEntry };
      return { reason: reasonFor("side", side, "must be sent or received") };
    default:
      return { reason: reasonFor("kind", kind, "must be start, chain or message") };
  }
}

// src/plugin/read-record.ts
var parsed = /* @__PURE__ */ new Map();
async function readSessionFolder($, recordDir, sessionId2, known, gone = []) {
  const { entries: entries2, others } = await namesIn($, `${recordDir}/${sessionId2}`);
  const names = /* @__PURE__ */ new Set([...entries2, ...others]);
  const newer = known === null ? entries2 : entries2.filter((name) => name > known.newestName);
  const isComplete = known !== null && entries2.length - newer.length === known.entries && entries2.includes(known.newestName);
  const unknown = others.map((name) => unknownFile(sessionId2, name));
  const evidence = [];
  await eachOf(isComplete ? newer : entries2, async (name) => {
    const read2 = await readEvidence($, `${recordDir}/${sessionId2}/${name}`, name);
    if (read2?.sessionId === sessionId2) return void evidence.push(read2.evidence);
    unknown.push(unknownFile(sessionId2, name));
    if (read2) unknown.push({ ...unknownFile(sessionId2, name), sessionId: read2.sessionId });
  });
  evidence.sort(compareEvidence);
  const facts = isComplete ? evidence.reduce((sum, one) => addEvidence(sessionId2, sum, one), known) : sessionFacts(sessionId2, evidence);
  unknown.push(...gone.filter(({ file }) => !names.has(file.slice(sessionId2.length + 1))));
  if (facts && known && !isComplete && evidence.filter((one) => !isNewer(one, known)).length < known.entries) {
    unknown.push({ sessionId: sessionId2, at: known.lastHeard, file: `${sessionId2}/${known.newestName}`, isGone: true });
  }
  return { facts, unknown };
}
async function sessionFolders($, recordDir) {
  try {
    return (await $.fs.list(recordDir)).filter((one) => one.kind === "dir" && isSessionId(one.name)).map((one) => one.name);
  } catch {
    return [];
  }
}
async function eachOf(all, work) {
  for (const one of all) await work(one);
}
async function namesIn($, folder) {
  try {
    const items = (await $.fs.list(folder)).filter(
      (one) => classifyName(one.name) !== null || placeholderOf(one.name) !== null
    );
    const isEntry = (one) => one.kind === "file" && classifyName(one.name) === "entry";
    return {
      entries: items.filter(isEntry).map((one) => one.name),
      others: items.filter((one) => !isEntry(one)).map((one) => one.name)
    };
  } catch {
    return { entries: [], others: [] };
  }
}
function unknownFile(sessionId2, name) {
  const at = parseEntryFileName(entryNameOf(name))?.at ?? null;
  return { sessionId: sessionId2, at, file: `${sessionId2}/${name}` };
}
async function readEvidence($, path, name) {
  const known = parsed.get(path);
  if (known) return known;
  try {
    const read2 = parseEntry(await $.fs.read(path));
    if ("reason" in read2) return null;
    const found = { sessionId: read2.entry.sessionId, evidence: { ...read2.entry, name } };
    parsed.set(path, found);
    return found;
  } catch {
    return null;
  }
}

// src/plugin/record-files.ts
var PLUGIN = "coordination";
var WINDOW_CALL_MS = 0.25;
var WINDOW_MS = 6e3;
var LINGER_MS = 20;
var QUICK_MS = 100;
var waiting = { forWriting: [], forReading: [] };
var underWay = null;
var isWindowOpen = false;
var isDirect = false;
var isAsking = false;
var ongoing = /* @__PURE__ */ new Set();
var arrived = () => {
};
var hasBegun = () => {
};
function recordFiles($, purpose = "forReading") {
  const line = waiting[purpose];
  return {
    fs: {
      list: (path = "") => ask(line, "list", path, () => $.fs.list(path)),
      read: (path) => ask(line, "read", path, () => $.fs.read(path)),
      stat: (path) => ask(line, "stat", path, () => $.fs.stat(path)),
      write: (path, text2) => ask(line, "write", path, () => $.fs.write(path, text2), text2)
    }
  };
}
function takeNext() {
  return waiting.forWriting.shift() ?? waiting.forReading.shift();
}
function isAnyWaiting() {
  return waiting.forWriting.length + waiting.forReading.length > 0;
}
function keepOpenFor(work) {
  ongoing.add(work);
  const end = () => ongoing.delete(work);
  work.then(end, end);
  return work;
}
function openWindow($) {
  if (isDirect || isWindowOpen || !isAnyWaiting() && ongoing.size === 0) return Promise.resolve();
  isWindowOpen = true;
  const begun = new Promise((resolve) => {
    hasBegun = resolve;
  });
  const close = () => {
    isWindowOpen = false;
    hasBegun();
  };
  $.clock.sleep(WINDOW_CALL_MS).then(close, close);
  return begun;
}
function askAtOnce() {
  isDirect = true;
  void askDirectly();
}
async function askWhileQuick() {
  if (isAsking) return;
  isAsking = true;
  await askUntilSlow();
  isAsking = false;
}
async function askUntilSlow() {
  while (!isDirect && !isWindowOpen && !underWay) {
    const call = takeNext();
    if (call) {
      const begun = Date.now();
      begin(call, call.directly());
      await call.settled;
      if (Date.now() - begun > QUICK_MS) return;
    } else if (ongoing.size > 0) await Promise.race([nextCall(), Promise.allSettled(ongoing)]);
    else return;
  }
}
function hookRecordFiles(on) {
  on("clock.sleep", async ($, e, next) => {
    if (e.ms !== WINDOW_CALL_MS || next.origin.plugin !== PLUGIN) return next(e);
    await workInWindow($);
    return { value: void 0 };
  });
  on("fs.list", async (_$, e, next) => {
    if (!isOurs("list", e.path, next.origin)) return next(e);
    letGo(next(e));
    return { value: [] };
  });
  on("fs.read", async (_$, e, next) => {
    if (!isOurs("read", e.path, next.origin)) return next(e);
    letGo(next(e));
    return { value: "" };
  });
  on("fs.stat", async (_$, e, next) => {
    if (!isOurs("stat", e.path, next.origin)) return next(e);
    letGo(next(e));
    return { value: NO_STAT };
  });
  on("fs.write", async (_$, e, next) => {
    if (!isOurs("write", e.path, next.origin)) return next(e);
    letGo(next(e));
    return { value: void 0 };
  });
}
var NO_STAT = { kind: "other", size: 0, mtimeMs: 0, isLink: false };
function ask(line, name, path, directly, text2 = "") {
  return new Promise((resolve, reject) => {
    let end = () => {
    };
    const settled = new Promise((done) => {
      end = done;
    });
    const settle = (answer) => {
      answer.then((value) => resolve(value), reject).finally(end);
    };
    line.push({ name, path, text: text2, directly, isTaken: false, settle, settled });
    if (isDirect) void askDirectly();
    else arrived();
  });
}
async function askDirectly() {
  while (!underWay && isAnyWaiting()) {
    const call = takeNext();
    begin(call, call.directly());
    await call.settled;
  }
}
async function workInWindow($) {
  hasBegun();
  let isOver = false;
  let close = () => {
  };
  const closing = new Promise((resolve) => {
    close = resolve;
  });
  const timer = $.clock.after(WINDOW_MS, () => {
    isOver = true;
    close();
  });
  while (!isOver && !isDirect) {
    if (underWay) await Promise.race([underWay.settled, closing]);
    else if (isAnyWaiting()) beginBy($, takeNext());
    else if (ongoing.size > 0) await Promise.race([nextCall(), Promise.allSettled(ongoing), closing]);
    else if (!await isMoreComing($)) break;
  }
  timer.cancel();
}
async function isMoreComing($) {
  await new Promise((resolve) => {
    const timer = $.clock.after(LINGER_MS, resolve);
    void nextCall().then(() => {
      timer.cancel();
      resolve();
    });
  });
  return isAnyWaiting() || ongoing.size > 0;
}
function nextCall() {
  return new Promise((resolve) => {
    arrived = resolve;
  });
}
function beginBy($, call) {
  underWay = call;
  begin(call, asked($, call));
}
function begin(call, answer) {
  underWay = call;
  call.settled.then(() => {
    underWay = null;
    if (isDirect) void askDirectly();
  });
  answer.then(
    () => !call.isTaken && call.settle(answer),
    () => !call.isTaken && call.settle(answer)
  );
}
function asked($, { name, path, text: text2 }) {
  switch (name) {
    case "list":
      return $.fs.list(path);
    case "read":
      return $.fs.read(path);
    case "stat":
      return $.fs.stat(path);
    case "write":
      return $.fs.write(path, text2);
  }
}
function isOurs(name, path, { plugin }) {
  return plugin === PLUGIN && underWay?.name === name && underWay.path === path && !underWay.isTaken;
}
function letGo(below) {
  const call = underWay;
  call.isTaken = true;
  const answered = below.catch((error) => {
    if (!/\bdispatch settled\b/.test(error.message)) throw error;
    return call.directly().then((value) => ({ value }));
  });
  call.settle(
    answered.then((answer) => {
      if ("deny" in answer) throw new Error(String(answer.deny));
      return answer.value;
    })
  );
}

// src/hostile-text/escape-markdown-signs.ts
function escapeMarkdownSigns(text2) {
  return escapeText(text2).replace(/[\\`*_[\]<>#|~$&!]/g, "\\$&");
}

// src/plugin/show-text.ts
var showText = escapeMarkdownSigns;
function shortId(sessionId2) {
  return sessionId2.slice(0, 8);
}

// src/plugin/arrival-toast.ts
async function toastArrival($, load2, { as, peerSessionId }) {
  try {
    const name = await keepOpenFor(nameOf($, load2, as, peerSessionId));
    $.ui.toast(`message from ${escapeText(name)}`);
  } catch {
  }
}
async function nameOf($, load2, as, peer2) {
  const peerSessionId = await peer2;
  if (peerSessionId === void 0) return as || "unknown peer";
  const { facts } = await readSessionFolder(recordFiles($), load2.settings.recordDir, peerSessionId, null);
  return facts?.join?.part ?? shortId(peerSessionId);
}

// src/chain/tree-lines.ts
var DEEPEST_INDENT = 30;
function treeLines(root, style) {
  const lines = [];
  const waiting2 = [{ node: root, lead: "", below: "" }];
  for (let next = waiting2.pop(); next; next = waiting2.pop()) {
    const { node, lead, below } = next;
    const stem = below + (node.children.length > 0 ? "\u2502  " : "   ");
    for (const [index, line] of nodeLines(node, node === root, style).entries())
      lines.push((index === 0 ? lead : stem) + line);
    node.children.toReversed().forEach((child, index) => {
      const isLast = index === 0;
      const isDeep = child.depth > DEEPEST_INDENT;
      waiting2.push({
        node: child,
        lead: isDeep ? `${below}\u2514\u2500 (depth ${child.depth}) ` : below + (isLast ? "\u2514\u2500 " : "\u251C\u2500 "),
        below: isDeep ? below : below + (isLast ? "   " : "\u2502  ")
      });
    });
  }
  return lines;
}
function nodeLines(node, isRoot, style) {
  const { show, time } = style;
  const head = `${node.role} ${show(node.sessionId)}${style.mark?.(node.sessionId) ?? ""}`;
  const reach = style.reach?.(node.sessionId) ?? null;
  const reached = reach === null ? [] : [reach];
  if (node.role === "boundary")
    return [head, ["unresolved: no records of it could be read on this machine", ...reached].join("; ")];
  const under = isRoot && node.parent !== null ? [`under ${show(node.parent)}, which is in a cycle`] : [];
  const facts = node.lastHeard === null ? under : [...under, `last heard ${time(node.lastHeard)}`];
  if (node.sentParentSinceJoin !== null)
    facts.push(`sent its parent a message since it joined: ${node.sentParentSinceJoin}`);
  facts.push(...reached);
  return [node.part === null ? head : `${head}  ${show(node.part)}`, facts.join("; ")];
}

// src/plugin/peer-registry.ts
async function resolvePeer($, as) {
  try {
    const folder = `${await configFolder($)}/sessions`;
    const found = as.startsWith("uds:") ? await byAddress($, folder, as.slice(4)) : await byName($, folder, nameOf2(as));
    return found.length === 1 && isSessionId(found[0]) ? found[0] : void 0;
  } catch {
    return void 0;
  }
}
async function livePeers($) {
  const peers = /* @__PURE__ */ new Map();
  try {
    const rows = await readRows($, `${await configFolder($)}/sessions`);
    for (const { sessionId: sessionId2, name, messagingSocketPath } of rows) {
      if (typeof sessionId2 !== "string" || rows.filter((row) => row.sessionId === sessionId2).length > 1)
        continue;
      const address = typeof messagingSocketPath === "string" ? `uds:${messagingSocketPath}` : null;
      peers.set(sessionId2, { name: typeof name === "string" ? name : null, address });
    }
  } catch {
  }
  return peers;
}
function reachWords({ name, address }) {
  const ways = [name, address].filter((way) => way !== null);
  return ways.length === 0 ? null : ways.join(" or ");
}
async function byAddress($, folder, socket) {
  const pid = /(\d+)\.sock$/.exec(socket)?.[1];
  const row = pid === void 0 ? null : await readRow($, `${folder}/${pid}.json`);
  return row?.messagingSocketPath === socket ? [row.sessionId] : [];
}
async function byName($, folder, name) {
  const rows = await readRows($, folder);
  return rows.flatMap((row) => row.name === name ? [row.sessionId] : []);
}
async function readRows($, folder) {
  const files = (await $.fs.list(folder)).filter((one) => /^\d+\.json$/.test(one.name));
  const rows = await Promise.all(files.map((file) => readRow($, `${folder}/${file.name}`)));
  return rows.filter((row) => row !== null);
}
function nameOf2(as) {
  return as.replace(/ \[[0-9a-f]{6}\]$/, "");
}
async function readRow($, path) {
  try {
    return JSON.parse(await $.fs.read(path));
  } catch {
    return null;
  }
}
async function configFolder($) {
  const { transcriptPath } = await $.session.info();
  const at = transcriptPath.lastIndexOf("/projects/");
  if (at > 0) return transcriptPath.slice(0, at);
  return await $.env.get("CLAUDE_CONFIG_DIR") ?? `${await $.env.get("HOME")}/.claude`;
}

// src/plugin/chain-text.ts
function chainText(chain, { sessionId: sessionId2, now, isMarkdown, peers }) {
  const show = isMarkdown ? showText : escapeText;
  const style = {
    show,
    time: (at) => `${at} (${age(now.getTime() - Date.parse(at))})`,
    mark: (id) => id === sessionId2 ? " \u2190 this session" : "",
    reach(id) {
      const words = reachWords(peers.get(id) ?? { name: null, address: null });
      return id === sessionId2 || words === null ? null : `reached now as ${show(words)}`;
    }
  };
  const { chains, cycles, notices } = chain.tree;
  const drawn = (root) => treeLines(root, style).map(isMarkdown ? keepIndent : (line) => line);
  const blocks = chains.map((root) => drawn(root).join("\n"));
  if (chains.length === 0 && cycles.length === 0)
    blocks.push(`session ${sessionId2} has no entries in the record, so its chain is unknown`);
  if (notices.length > 0) blocks.push(notices.map((notice) => `! ${show(notice)}`).join("\n"));
  blocks.push(freshnessOf(chain));
  return blocks.join("\n\n");
}
function findNode(roots, sessionId2) {
  const waiting2 = [...roots];
  for (let node = waiting2.pop(); node; node = waiting2.pop()) {
    if (node.sessionId === sessionId2) return node;
    for (const child of node.children) waiting2.push(child);
  }
  return void 0;
}
function freshnessOf({ publishedAt, foldersRead }) {
  if (publishedAt === null) return `read from the record\u2019s files now (${foldersRead} session folders)`;
  return `read from the index as of ${publishedAt}, and from the files of ${foldersRead} session folders`;
}
function age(ms) {
  for (const [length, unit] of [
    [864e5, "d"],
    [36e5, "h"],
    [6e4, "min"],
    [1e3, "s"]
  ]) {
    if (ms >= length) return `${Math.floor(ms / length)} ${unit} ago`;
  }
  return "just now";
}
function keepIndent(line) {
  return line.replace(/^[ │├└─]+/, (lead) => lead.replaceAll(" ", "\xA0"));
}

// src/chain/cycles.ts
function findCycles(parents) {
  const cycles = [];
  const done = /* @__PURE__ */ new Set();
  for (const start of parents.keys()) {
    const path = /* @__PURE__ */ new Map();
    let at = start;
    while (at !== null && !done.has(at) && !path.has(at)) {
      path.set(at, path.size);
      at = parents.get(at) ?? null;
    }
    if (at !== null && path.has(at)) cycles.push(fromSmallest([...path.keys()].slice(path.get(at))));
    for (const one of path.keys()) done.add(one);
  }
  return cycles.sort((a, b) => a[0] < b[0] ? -1 : 1);
}
function fromSmallest(cycle) {
  const smallest = cycle.reduce((least, id, index) => id < cycle[least] ? index : least, 0);
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
}

// src/chain/chain-tree.ts
function chainTree(sessions, unknown = []) {
  const facts = new Map(sessions.map((one) => [one.sessionId, one]));
  const cycles = findCycles(new Map(sessions.map((one) => [one.sessionId, one.join?.parent ?? null])));
  const inCycle = new Set(cycles.flat());
  const unknownBySession = bySession(unknown);
  const nodes = /* @__PURE__ */ new Map();
  for (const one of sessions) {
    if (!inCycle.has(one.sessionId))
      nodes.set(one.sessionId, sessionNode(one, unknownBySession.get(one.sessionId) ?? []));
  }
  for (const one of sessions) {
    const parent = one.join?.parent;
    if (parent !== void 0 && !facts.has(parent)) nodes.set(parent, boundaryNode(parent));
  }
  const roots = [];
  for (const node of nodes.values()) {
    const parent = node.parent === null ? void 0 : nodes.get(node.parent);
    if (parent) parent.children.push(node);
    else roots.push(node);
  }
  const ordered = orderAndMeasure(roots, facts);
  const isUnderLead = (node) => node.parent !== null && facts.get(node.parent)?.join != null;
  return {
    chains: roots,
    cycles,
    notices: [...ordered.filter(isUnderLead).map(depthNotice), ...cycles.map(cycleNotice)]
  };
}
function depthNotice(lead) {
  return `the chain has grown a level: ${lead.sessionId} (${lead.part}) joined under the lead ${lead.parent}, at depth ${lead.depth}`;
}
function cycleNotice(cycle) {
  return `a cycle, not drawn: ${[...cycle, cycle[0]].join(" is under ")}`;
}
function sessionNode(facts, unknown) {
  const { sessionId: sessionId2, join: join3, lastHeard } = facts;
  return {
    sessionId: sessionId2,
    role: join3 ? "lead" : "top",
    part: join3?.part ?? null,
    brief: join3?.brief ?? null,
    parent: join3?.parent ?? null,
    joinedAt: join3?.at ?? null,
    lastHeard,
    sentParentSinceJoin: join3 && sentSince(join3, facts, unknown),
    depth: 0,
    children: []
  };
}
function boundaryNode(sessionId2) {
  return {
    sessionId: sessionId2,
    role: "boundary",
    part: null,
    brief: null,
    parent: null,
    joinedAt: null,
    lastHeard: null,
    sentParentSinceJoin: null,
    depth: 0,
    children: []
  };
}
function sentSince(join3, { coveredFrom, isGapSinceJoin, loads }, unknown) {
  if (join3.sentToParent) return "yes";
  const isCovered = coveredFrom !== null && coveredFrom <= join3.at;
  const mayHideOne = isGapSinceJoin || isNumberMissingSince(join3, loads) || unknown.some((one) => isSince(join3, one));
  return join3.sentToUnknown || !isCovered || mayHideOne ? "unknown" : "no";
}
function isSince(join3, { at, file }) {
  return at === null || at >= join3.at || isNumberedBefore(join3.name, nameIn(file));
}
function nameIn(file) {
  return entryNameOf(file.slice(file.lastIndexOf("/") + 1));
}
function orderAndMeasure(roots, facts) {
  const firstHeard = (node) => facts.get(node.sessionId)?.firstHeard ?? earliestJoin(node);
  sortBy(roots, firstHeard);
  for (const root of roots) root.depth = root.parent === null ? 0 : 1;
  const ordered = [];
  const waiting2 = [...roots].reverse();
  for (let node = waiting2.pop(); node; node = waiting2.pop()) {
    ordered.push(node);
    sortBy(node.children, (child) => child.joinedAt ?? "");
    for (const child of node.children) child.depth = node.depth + 1;
    for (const child of node.children.toReversed()) waiting2.push(child);
  }
  return ordered;
}
function bySession(unknown) {
  const groups = /* @__PURE__ */ new Map();
  for (const one of unknown) {
    const group = groups.get(one.sessionId);
    if (group) group.push(one);
    else groups.set(one.sessionId, [one]);
  }
  return groups;
}
function earliestJoin(boundary) {
  return boundary.children.reduce((earliest, child) => {
    return child.joinedAt !== null && child.joinedAt < earliest ? child.joinedAt : earliest;
  }, "\uFFFF");
}
function sortBy(nodes, time) {
  const keys = new Map(nodes.map((node) => [node, `${time(node)} ${node.sessionId}`]));
  nodes.sort((a, b) => keys.get(a) < keys.get(b) ? -1 : 1);
}

// src/chain/projection.ts
var PROJECTION_FORMAT = 2;
var LARGEST_PROJECTION = 4 * 1024 * 1024;
function rootsOf(parents, cycles) {
  const roots = /* @__PURE__ */ new Map();
  for (const cycle of cycles) for (const member of cycle) roots.set(member, cycle[0]);
  for (const start of parents.keys()) {
    const path = [];
    let at = start;
    for (let parent = parents.get(at); !roots.has(at) && parent; parent = parents.get(at)) {
      path.push(at);
      at = parent;
    }
    const root = roots.get(at) ?? at;
    for (const one of [...path, at]) roots.set(one, root);
  }
  return roots;
}

// src/plugin/read-projection.ts
async function readPublished($, folder, recordDir) {
  try {
    const manifest = await readJson($, `${folder}/manifest.json`);
    if (manifest.format !== PROJECTION_FORMAT || manifest.recordDir !== recordDir) return null;
    const roots = /* @__PURE__ */ new Map();
    for (let shard = 0; shard < manifest.shards; shard++) {
      const map = await readJson($, `${folder}/sessions-${shard}.json`);
      if (map.format !== PROJECTION_FORMAT) return null;
      for (const [sessionId2, root] of Object.entries(map.roots)) roots.set(sessionId2, root);
    }
    const chains = new Set([...roots.values()].filter((root) => root !== null));
    return { folder, indexedAt: manifest.indexedAt, roots, chains };
  } catch {
    return null;
  }
}
async function readPublishedChain($, published, root) {
  const chain = await readJson($, `${published.folder}/chains/${root}.json`);
  if (chain.format !== PROJECTION_FORMAT || chain.root !== root)
    throw new Error(`not the projection of ${root}`);
  return chain;
}
async function readJson($, path) {
  return JSON.parse(await $.fs.read(path));
}

// src/plugin/read-chain.ts
async function readChain($, settings, sessionId2) {
  const { recordDir, projectionDir: projectionDir2 } = settings;
  const folders = await sessionFolders($, recordDir);
  const published = projectionDir2 === null ? null : await readPublished($, projectionDir2, recordDir);
  if (published) {
    try {
      return await fromProjection($, recordDir, folders, published, sessionId2);
    } catch {
    }
  }
  const gathered = { folders: new Set(folders), facts: /* @__PURE__ */ new Map(), unknown: [] };
  await readFolders($, recordDir, folders, gathered);
  return { tree: treeOf(gathered, sessionId2), publishedAt: null, foldersRead: folders.length };
}
async function fromProjection($, recordDir, folders, published, sessionId2) {
  const gathered = { folders: new Set(folders), facts: /* @__PURE__ */ new Map(), unknown: [] };
  const loaded = /* @__PURE__ */ new Set();
  const changed = await changedFolders($, recordDir, folders, published);
  await loadChains($, published, [sessionId2, ...changed], loaded, gathered);
  await readFolders($, recordDir, changed, gathered);
  const parents = [...gathered.facts.values()].flatMap((one) => one.join?.parent ?? []);
  await loadChains($, published, parents, loaded, gathered);
  const alone = new Set([sessionId2, ...parents].filter((id) => published.roots.get(id) === null));
  const read2 = /* @__PURE__ */ new Set([...changed, ...alone]);
  await readFolders(
    $,
    recordDir,
    [...alone].filter((id) => !changed.includes(id)),
    gathered
  );
  return { tree: treeOf(gathered, sessionId2), publishedAt: published.indexedAt, foldersRead: read2.size };
}
async function loadChains($, published, sessions, loaded, gathered) {
  const rootsOfOne = (id) => published.roots.get(id) ?? (published.chains.has(id) ? id : []);
  const roots = new Set(sessions.flatMap(rootsOfOne));
  for (const root of roots) {
    if (loaded.has(root)) continue;
    loaded.add(root);
    const chain = await readPublishedChain($, published, root);
    for (const one of chain.sessions)
      if (gathered.folders.has(one.sessionId)) gathered.facts.set(one.sessionId, one);
    gathered.unknown.push(...chain.unknown);
  }
}
async function readFolders($, recordDir, folders, gathered) {
  await eachOf(folders, async (folder) => {
    const isOfFolder = ({ file }) => file.startsWith(`${folder}/`);
    const gone = gathered.unknown.filter((one) => one.isGone && isOfFolder(one));
    gathered.unknown = gathered.unknown.filter((one) => !isOfFolder(one));
    const known = gathered.facts.get(folder) ?? null;
    const read2 = await readSessionFolder($, recordDir, folder, known, gone);
    if (read2.facts) gathered.facts.set(folder, read2.facts);
    else gathered.facts.delete(folder);
    gathered.unknown.push(...read2.unknown);
  });
}
function treeOf({ facts, unknown }, sessionId2) {
  const all = [...facts.values()];
  const parents = new Map(all.map((one) => [one.sessionId, one.join?.parent ?? null]));
  const roots = rootsOf(parents, findCycles(parents));
  const root = roots.get(sessionId2);
  const isOfChain = (one) => roots.get(one.sessionId) === root;
  return chainTree(root === void 0 ? [] : all.filter(isOfChain), unknown);
}
var MARGIN_MS = 2e3;
async function changedFolders($, recordDir, folders, published) {
  const since = Date.parse(published.indexedAt) - MARGIN_MS;
  const changed = folders.filter((folder) => !published.roots.has(folder));
  await eachOf(
    folders.filter((folder) => published.roots.has(folder)),
    async (folder) => {
      const { mtimeMs } = await $.fs.stat(`${recordDir}/${folder}`);
      if (mtimeMs >= since) changed.push(folder);
    }
  );
  return changed;
}

// src/plugin/recording-words.ts
function recordingWords({ degraded, waiting: waiting2, lost }) {
  const words = [];
  if (degraded !== null) words.push(`recording is degraded: ${degraded}`);
  if (degraded !== null && waiting2 > 0) words.push(`${entries(waiting2)} not written yet`);
  if (lost > 0) words.push(lossWords(lost));
  return words.length === 0 ? [] : [`! ${words.join("; ")}`];
}
function lossWords(lost) {
  return lost === 0 ? "nothing was lost" : `${entries(lost)} lost, which the record shows as missing`;
}
function entries(count) {
  return `${count} ${count === 1 ? "entry" : "entries"}`;
}

// src/plugin/within.ts
var LATE = /* @__PURE__ */ Symbol("late");
function within($, ms, work) {
  return new Promise((resolve, reject) => {
    const timer = $.clock.after(ms, () => resolve(LATE));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

// src/plugin/chain-reader.ts
var LIMIT_MS = 1700;
function readAgain($, load2) {
  if (load2.reading === null) return begin2($, load2);
  load2.nextReading ??= load2.reading.then(
    () => begin2($, load2),
    () => begin2($, load2)
  );
  return load2.nextReading;
}
function begin2($, load2) {
  load2.nextReading = null;
  load2.reading = keepOpenFor(read($, load2)).finally(() => {
    load2.reading = null;
  });
  return load2.reading;
}
async function read($, load2) {
  const sessionId2 = load2.session?.id ?? "";
  const chain = await readChain(recordFiles($), load2.settings, sessionId2);
  load2.known = { sessionId: sessionId2, chain, readAt: /* @__PURE__ */ new Date() };
  return load2.known;
}
async function treeText($, load2, isMarkdown) {
  const sessionId2 = load2.session?.id;
  const peers = livePeers($);
  const reading = keepOpenFor(load2.queue.drained().then(() => readAgain($, load2)));
  openWindow($);
  const read2 = await within($, LIMIT_MS, reading);
  const state = recordingWords(load2.queue.state());
  const known = read2 === LATE ? load2.known : read2;
  const late = read2 === LATE ? [lateWords(known, sessionId2)] : [];
  const reader = { sessionId: sessionId2, now: /* @__PURE__ */ new Date(), isMarkdown, peers: await peers };
  const tree = known?.sessionId === sessionId2 ? [chainText(known.chain, reader)] : [];
  return [...state, ...late, ...tree].join("\n\n");
}
function lateWords(known, sessionId2) {
  const unknown = `The record has not answered yet: what it holds now is not known.`;
  if (known?.sessionId !== sessionId2)
    return `${unknown} This session is ${sessionId2}; nothing of its chain has been read.`;
  return `${unknown} Below is what was read at ${known.readAt.toISOString()}.`;
}

// src/plugin/inbound.ts
var TIGHTNESS = ["accept", "unset", "hold", "refuse"];
function inboundState(layers) {
  const base = [layers.policy, layers.flag, layers.user].map(asState).find((state) => state !== "unset") ?? "unset";
  return [layers.project, layers.local].map(asState).reduce(tighter, base);
}
async function readInbound($) {
  const [policy, flag, user, project, local] = await Promise.all([
    $.settings.read({ source: "policy" }),
    $.settings.read({ source: "flag" }),
    $.settings.read({ source: "user" }),
    $.settings.read({ source: "project" }),
    $.settings.read({ source: "local" })
  ]);
  return inboundState({
    policy: settingIn(policy),
    flag: settingIn(flag),
    user: settingIn(user),
    project: settingIn(project),
    local: settingIn(local)
  });
}
function inboundNotice(state) {
  switch (state) {
    case "accept":
      return null;
    case "hold":
      return "inbound: hold (as read at start). Messages from other sessions wait until you release them.";
    case "refuse":
      return "inbound: refuse (as read at start). Messages from other sessions are refused.";
    case "unset":
      return "inbound: unset (as read at start). The host\u2019s default applies: delivery depends on the permission modes of the two sessions.";
  }
}
function settingIn(settings) {
  return settings?.crossSessionInbound;
}
function asState(layer) {
  return layer === "accept" || layer === "hold" || layer === "refuse" ? layer : "unset";
}
function tighter(state, layer) {
  return layer !== "unset" && TIGHTNESS.indexOf(layer) > TIGHTNESS.indexOf(state) ? layer : state;
}

// src/writer/storage.ts
var FileExistsError = class extends Error {
  name = "FileExistsError";
  path;
  constructor(path) {
    super(`file exists: ${path}`);
    this.path = path;
  }
};

// src/writer/host-storage.ts
function hostStorage($) {
  return {
    async create(path, content) {
      if (await exists($, path)) throw new FileExistsError(path);
      await $.fs.write(path, content);
    }
  };
}
async function exists($, path) {
  try {
    await $.fs.stat(path);
    return true;
  } catch (error) {
    if (/\bENOENT\b/.test(error.message)) return false;
    throw error;
  }
}

// src/plugin/status-line.ts
function drawStatus($, load2) {
  draw($, load2);
  void drawInbound($, load2);
  if (load2.drawing !== "no") {
    load2.drawing = "again";
    return;
  }
  load2.drawing = "now";
  void drawPlace($, load2);
}
async function drawInbound($, load2) {
  try {
    load2.inbound = await readInbound($);
    draw($, load2);
  } catch {
  }
}
async function drawPlace($, load2) {
  do {
    load2.drawing = "now";
    try {
      if (load2.session) await readAgain($, load2);
      draw($, load2);
    } catch {
    }
  } while (wasAskedAgain(load2));
  load2.drawing = "no";
}
function wasAskedAgain(load2) {
  return load2.drawing === "again";
}
function draw($, load2) {
  const words = statusWords(load2);
  if (words === load2.drawn) return;
  try {
    $.ui.status(words);
    load2.drawn = words;
  } catch {
  }
}
function statusWords({ session, known, inbound, isDegraded }) {
  const words = [
    session && known?.sessionId === session.id ? placeWords(known.chain.tree, session.id) : null,
    inbound === "hold" || inbound === "refuse" ? `inbound: ${inbound}` : null,
    isDegraded ? "recording is degraded" : null
  ].filter((word) => word !== null);
  return words.length === 0 ? void 0 : words.join(", ");
}
var INBOUND_MS = 4e3;
function followInbound($, load2) {
  $.clock.every(INBOUND_MS, () => void redrawIfChanged($, load2));
}
async function redrawIfChanged($, load2) {
  try {
    if (await readInbound($) !== load2.inbound) drawStatus($, load2);
  } catch {
  }
}
function placeWords(tree, sessionId2) {
  const node = findNode(tree.chains, sessionId2);
  if (!node) return tree.cycles.some((cycle) => cycle.includes(sessionId2)) ? "in a cycle of joins" : null;
  if (node.role === "lead") return `lead of ${shortId(node.parent ?? "")}: ${escapeText(node.part ?? "")}`;
  const leads = node.children.length;
  return leads === 0 ? null : `top: ${leads} ${leads === 1 ? "lead" : "leads"}`;
}

// src/plugin/record-entry.ts
function recordEntry($, load2, sessionId2, entry, length = 0) {
  return keepOpenFor(load2.queue.put({ sessionId: sessionId2, entry, length }, queueHost($, load2)));
}
function queueHost($, load2) {
  const files = recordFiles($, "forWriting");
  return {
    storage: hostStorage(files),
    after(ms, act) {
      const timer = $.clock.after(ms, act);
      return () => timer.cancel();
    },
    look: () => files.fs.stat(load2.settings.recordDir),
    changed: (state) => tell($, load2, state)
  };
}
function tell($, load2, { degraded, lost }) {
  if (degraded !== null && !load2.isDegraded)
    $.ui.log(`recording is degraded: ${degraded}. Messages go on, unrecorded.`);
  if (degraded === null && load2.isDegraded) $.ui.log(`recording works again; ${lossWords(lost)}.`);
  load2.isDegraded = degraded !== null;
  drawStatus($, load2);
}

// src/plugin/sent-messages.ts
function noteSending($, e, result) {
  const at = formatTimestamp(/* @__PURE__ */ new Date());
  const peerSessionId = result.isDelivered ? resolvePeer($, e.to) : Promise.resolve(void 0);
  return { to: e.to, text: e.text, at, agentId: e.agentId, result, peerSessionId };
}
function takeSame(list, other) {
  const index = list.findIndex(
    (one) => one.to === other.to && one.text === other.text && one.agentId === other.agentId
  );
  return index < 0 ? void 0 : list.splice(index, 1)[0];
}
function recordToolSending($, load2, sending, toolResult) {
  const result = typeof toolResult === "object" && toolResult !== null ? toolResult : {};
  const msgId = msgIdOf(toolResult);
  if (msgId === void 0 && isToAgent(load2, sending, result)) return Promise.resolve(false);
  return recordSending($, load2, sending, msgId);
}
function msgIdOf(toolResult) {
  const { msg_id } = typeof toolResult === "object" && toolResult !== null ? toolResult : {};
  return typeof msg_id === "string" ? msg_id : void 0;
}
async function isBetweenSessions(load2, sending) {
  if (sending.to.startsWith("uds:") || await sending.peerSessionId !== void 0) return true;
  return !sending.result.isDelivered && !load2.agents.has(sending.to);
}
async function recordUnanswered($, load2, sendings) {
  const recorded = [];
  for (const sending of sendings)
    if (await isBetweenSessions(load2, sending)) recorded.push(recordSending($, load2, sending));
  return (await Promise.all(recorded)).includes(true);
}
function isToAgent(load2, sending, result) {
  if (result.pin !== void 0 || result.resumedAgentId !== void 0) return true;
  if (typeof result.message === "string" && result.message.startsWith("Message queued for the main conversation"))
    return true;
  return load2.agents.has(sending.to);
}
function recordSending($, load2, sending, msgId) {
  if (!load2.session) return Promise.resolve(false);
  const { id, cwd } = load2.session;
  const { to, text: text2, at, result } = sending;
  const entry = sending.peerSessionId.then(
    (peerSessionId) => ({
      kind: "message",
      side: "sent",
      sessionId: id,
      at,
      cwd,
      peer: { as: to, ...peerSessionId === void 0 ? {} : { sessionId: peerSessionId } },
      ...textFields(text2, load2.settings.recordText),
      isQueued: result.isDelivered,
      ...result.isDelivered || result.reason === void 0 ? {} : { reason: result.reason },
      ...msgId === void 0 ? {} : { msgId }
    })
  );
  return recordEntry($, load2, id, entry, text2.length);
}

// src/plugin/join.ts
var FULL_ID = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|session_[A-Za-z0-9]{8,})$/;
var LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;
var LONGEST_PART = 200;
var LIMIT_MS2 = 900;
function whyRefused(input, agentId, sessionId2) {
  const { parent, part, brief } = input;
  if (agentId !== void 0) {
    return "an agent or a Workflow role never joins a chain; only the session itself may call this";
  }
  if (typeof parent !== "string" || !isSessionId(parent) || !FULL_ID.test(parent)) {
    return "parent is not a full session id, such as 7d1f0c1e-5b0a-4c38-9f51-0d5a3b0c1a01; ask whoever started you for it";
  }
  if (parent === sessionId2) return "a session cannot be its own parent";
  if (typeof part !== "string" || part.trim() === "")
    return "part is missing: one line that says what this session is to do";
  if (LINE_BREAK.test(part)) return "part is more than one line; put the rest into the brief";
  if (part.length > LONGEST_PART)
    return `part is longer than ${LONGEST_PART} characters; put the rest into the brief`;
  if (brief !== void 0 && typeof brief !== "string")
    return "brief must say where the brief is, or be left out";
  return null;
}
async function join($, load2, input) {
  const session = load2.session;
  const { parent, part, brief } = input;
  const written = recordEntry($, load2, session.id, {
    kind: "chain",
    sessionId: session.id,
    at: formatTimestamp(/* @__PURE__ */ new Date()),
    cwd: session.cwd,
    parent,
    part,
    ...brief === void 0 ? {} : { brief }
  });
  openWindow($);
  const isWritten = await within($, LIMIT_MS2, written);
  const text2 = joinNotice({ sessionId: session.id, part });
  const at = formatTimestamp(/* @__PURE__ */ new Date());
  load2.ownSending = { text: text2, to: null };
  const known = within(
    $,
    LIMIT_MS2,
    keepOpenFor(readSessionFolder(recordFiles($), load2.settings.recordDir, parent, null))
  );
  openWindow($);
  const result = await sendNotice($, parent, text2);
  const { to, msgId } = load2.ownSending;
  load2.ownSending = null;
  const peerSessionId = Promise.resolve(parent);
  const sending = { to: to ?? parent, text: text2, at, agentId: void 0, result, peerSessionId };
  void recordSending($, load2, sending, msgId);
  const read2 = await known;
  const peer2 = (await livePeers($)).get(parent);
  return [
    joinWords(isWritten, parent, part),
    `This session is ${session.id}.`,
    ...noticeWords(result, read2 === LATE ? null : read2.facts),
    ...growthWords(read2),
    ...reportWords(peer2, /* @__PURE__ */ new Date())
  ].join("\n");
}
function joinWords(isWritten, parent, part) {
  if (isWritten === LATE)
    return `Joined as a lead of ${parent}. Part: ${part}
Recording is degraded: the join waits to be written, so the chain does not show it yet.`;
  return isWritten ? `Joined as a lead of ${parent}. Part: ${part}` : "Recording is degraded: the join could not be written, so the chain does not show it.";
}
async function sendNotice($, parent, text2) {
  try {
    return await $.session.send({ to: { sessionId: parent }, text: text2 });
  } catch (error) {
    return { isDelivered: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
function noticeWords({ isDelivered, reason }, parent) {
  if (!isDelivered) {
    const heard = parent === null ? "" : ` The record knows it: last heard ${parent.lastHeard}.`;
    return [
      `The notice to the parent was NOT delivered: ${reason}${heard}`,
      "Say so in your first words to the person."
    ];
  }
  const start = parent?.latestStart;
  if (start?.inbound !== "hold" && start?.inbound !== "refuse") {
    return [
      "The notice to the parent was delivered to its inbox: not read. Where the parent holds or refuses it, a delivery notice says so later."
    ];
  }
  return [
    `The notice was handed over, and whether the parent takes it is not known: its inbound setting was ${start.inbound} as it started. A delivery notice says later what became of it; tell the person.`
  ];
}
function growthWords(read2) {
  if (read2 === LATE) return ["Whether the parent is itself a lead is not known: the record has not answered."];
  const grown = read2.facts?.join;
  return grown ? [`The chain has grown a level: your parent is itself a lead, of ${grown.parent}.`] : [];
}
function reportWords(peer2, now) {
  const words = peer2 && reachWords(peer2);
  if (!words) {
    return [
      "Report to the parent with ordinary messages, to its name or address: SendMessage takes no session id. The host\u2019s registry of this profile does not list it now."
    ];
  }
  return [
    `Report to the parent with ordinary messages. SendMessage takes its name or address, and no session id: ${escapeText(words)} (as of ${now.toISOString()}; chain_tree gives it anew).`
  ];
}

// src/writer/entry-writer.ts
var MOST_TRIES = 100;
function entryWriter({ recordDir, storage, sequence }) {
  return {
    async write(entry) {
      try {
        const checked = checkEntry(entry);
        if ("reason" in checked)
          return { degraded: `the entry is not one of the record's: ${checked.reason}` };
        const content = JSON.stringify(entry);
        for (let tries = 0; tries < MOST_TRIES; tries++) {
          const name = entryFileName(new Date(entry.at), sequence());
          if (parseEntryFileName(name) === null) return { degraded: `${name} is no entry's file name` };
          const file = `${entry.sessionId}/${name}`;
          if (await created(storage, `${recordDir}/${file}`, content)) return { file };
        }
        return {
          degraded: `every name tried in ${recordDir}/${entry.sessionId} is taken; is the sequence unique to this load?`
        };
      } catch (error) {
        return { degraded: error instanceof Error ? error.message : String(error) };
      }
    }
  };
}
async function created(storage, path, content) {
  try {
    await storage.create(path, content);
    return true;
  } catch (error) {
    if (error instanceof FileExistsError) return false;
    throw error;
  }
}

// src/writer/entry-queue.ts
var LOOK_MS = 2e3;
var QUICK_MS2 = 300;
var MOST_WAITING = 1e3;
var MOST_CHARACTERS = 32 * 1024 * 1024;
var LIMIT_MS3 = 5e3;
function entryQueue(options) {
  const { recordDir, load: load2, limitMs = LIMIT_MS3 } = options;
  const { mostWaiting = MOST_WAITING, mostCharacters = MOST_CHARACTERS } = options;
  const waiting2 = [];
  const numbers = /* @__PURE__ */ new Map();
  const missing = /* @__PURE__ */ new Map();
  let idle = [];
  let isWriting = false;
  let lost = 0;
  let degraded = null;
  let told = "";
  const state = () => ({ waiting: waiting2.length, lost, degraded });
  function tell2(host) {
    const now = `${lost} ${degraded}`;
    if (now === told) return;
    told = now;
    host.changed(state());
  }
  function nextNumber(sessionId2) {
    const next = numbers.get(sessionId2) ?? sequenceOf(load2);
    numbers.set(sessionId2, next);
    return next();
  }
  function lose({ sessionId: sessionId2 }, entries2, next) {
    lost += 1;
    if (next) next.missing += entries2;
    else missing.set(sessionId2, (missing.get(sessionId2) ?? 0) + entries2);
  }
  function hasRoom(item) {
    const characters = waiting2.reduce((sum, one) => sum + one.length, item.length);
    return waiting2.length === 0 || waiting2.length < mostWaiting && characters <= mostCharacters;
  }
  async function writeAll() {
    isWriting = true;
    for (let one = waiting2[0]; one; one = waiting2[0]) one.done(await write(one));
    isWriting = false;
    for (const resolve of idle) resolve();
    idle = [];
  }
  async function write(one) {
    let isSlow = false;
    const callOff = one.host.after(limitMs, () => {
      isSlow = true;
      degraded = `the record has not taken an entry for ${limitMs / 1e3} seconds`;
      tell2(one.host);
    });
    const result = await written(one);
    callOff();
    waiting2.shift();
    if ("degraded" in result) {
      lose(
        one,
        one.missing + 1,
        waiting2.find(({ sessionId: sessionId2 }) => sessionId2 === one.sessionId)
      );
      degraded = result.degraded;
    } else if (!isSlow) degraded = null;
    else if (waiting2.length === 0) lookAgain(one.host);
    tell2(one.host);
    return "file" in result;
  }
  function lookAgain(host) {
    host.after(LOOK_MS, async () => {
      if (isWriting || degraded === null) return;
      let isQuick = true;
      const callOff = host.after(QUICK_MS2, () => {
        isQuick = false;
      });
      await host.look().catch(() => {
        isQuick = false;
      });
      callOff();
      if (isWriting || degraded === null) return;
      if (!isQuick) return lookAgain(host);
      degraded = null;
      tell2(host);
    });
  }
  async function written(one) {
    let entry;
    try {
      entry = await one.entry;
    } catch (error) {
      return { degraded: error instanceof Error ? error.message : String(error) };
    }
    const reserved = [one.number];
    const writer = entryWriter({
      recordDir,
      storage: one.host.storage,
      sequence: () => reserved.pop() ?? nextNumber(one.sessionId)
    });
    return writer.write(one.missing > 0 ? { ...entry, missing: one.missing } : entry);
  }
  return {
    put(item, host) {
      const { sessionId: sessionId2, entry } = item;
      const number = nextNumber(sessionId2);
      if (entry instanceof Promise) entry.catch(() => {
      });
      if (!hasRoom(item)) {
        lose(item, 1, void 0);
        degraded ??= `${waiting2.length} entries wait to be written already`;
        tell2(host);
        return Promise.resolve(false);
      }
      return new Promise((done) => {
        waiting2.push({ ...item, number, host, missing: missing.get(sessionId2) ?? 0, done });
        missing.delete(sessionId2);
        if (!isWriting) void writeAll();
      });
    },
    drained: () => isWriting ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve(),
    state
  };
}

// src/writer/new-load.ts
function newLoad() {
  return globalThis.crypto.randomUUID().slice(0, 8);
}

// src/plugin/load.ts
function newLoadOf(settings) {
  return {
    settings,
    queue: entryQueue({ recordDir: settings.recordDir, load: newLoad() }),
    beside: /* @__PURE__ */ new Set(),
    session: null,
    isAtTerminal: false,
    started: /* @__PURE__ */ new Set(),
    isDegraded: false,
    agents: /* @__PURE__ */ new Set(["main"]),
    ownSending: null,
    pending: [],
    answers: [],
    reading: null,
    nextReading: null,
    known: null,
    drawing: "no",
    inbound: null,
    drawn: void 0
  };
}

// src/record/envelope.ts
var OPENING = /^<cross-session-message [^>]*>\n/;
var CLOSING = "\n</cross-session-message>";
function openEnvelope(delivery) {
  const before = OPENING.exec(delivery)?.[0];
  if (before === void 0 || !delivery.endsWith(CLOSING)) return null;
  const end = delivery.length - CLOSING.length;
  if (end < before.length) return null;
  return { text: delivery.slice(before.length, end), envelope: { before, after: CLOSING } };
}

// src/plugin/received-messages.ts
function readArrival($, e) {
  if (e.origin.kind !== "peer" || e.agentId !== void 0 || "teammate" in e.origin) return null;
  const opened = openEnvelope(e.text);
  if (opened === null) return null;
  const as = /^<cross-session-message [^>]*?\bfrom="([^"]*)"/.exec(opened.envelope.before)?.[1] ?? null;
  return { ...opened, as, peerSessionId: as === null ? Promise.resolve(void 0) : resolvePeer($, as) };
}
function outcomeOf(result) {
  if (typeof result?.consumed === "string") return "consumed";
  return typeof result?.text === "string" ? "queued" : "unknown";
}
function recordArrival($, load2, arrival, outcome) {
  if (!load2.session) return Promise.resolve(false);
  const { id, cwd } = load2.session;
  const { as, envelope, text: text2 } = arrival;
  const at = formatTimestamp(/* @__PURE__ */ new Date());
  const entry = arrival.peerSessionId.then(
    (peerSessionId) => ({
      kind: "message",
      side: "received",
      sessionId: id,
      at,
      cwd,
      peer: { as, ...peerSessionId === void 0 ? {} : { sessionId: peerSessionId } },
      envelope: { ...envelope },
      ...textFields(text2, load2.settings.recordText),
      outcome
    })
  );
  return recordEntry($, load2, id, entry, arrival.text.length);
}

// src/plugin/session-start.ts
function startSession($, load2, session) {
  load2.session = session;
  const { id } = session;
  if (load2.started.has(id)) return;
  load2.started.add(id);
  void recordEntry($, load2, id, startEntry2($, session)).then((isWritten) => {
    if (!isWritten) load2.started.delete(id);
  });
}
function ensureStarted($, load2) {
  if (load2.session && !load2.isDegraded) startSession($, load2, load2.session);
}
async function startEntry2($, { id, cwd, cause }) {
  const at = formatTimestamp(/* @__PURE__ */ new Date());
  const [{ version }, inbound] = await Promise.all([$.session.version(), readInbound($)]);
  return { kind: "start", sessionId: id, at, cwd, host: "claude-code", version, inbound, cause };
}

// src/record/folders.ts
function recordFolder(around, option) {
  if (option) return optionFolder(around, option);
  const data = dataFolder(around);
  return "folder" in data ? { folder: join2(around, data.folder, "record") } : data;
}
function dataFolder(around) {
  if (around.xdgDataHome && isAbsolute(around, around.xdgDataHome)) {
    return { folder: join2(around, around.xdgDataHome, "coordination") };
  }
  return underHome(around, {
    win32: ["coordination"],
    darwin: ["Library", "Application Support", "coordination"],
    other: [".local", "share", "coordination"]
  });
}
function cacheFolder(around) {
  if (around.xdgCacheHome && isAbsolute(around, around.xdgCacheHome)) {
    return { folder: join2(around, around.xdgCacheHome, "coordination") };
  }
  return underHome(around, {
    win32: ["coordination", "cache"],
    darwin: ["Library", "Caches", "coordination"],
    other: [".cache", "coordination"]
  });
}
function recordKey(recordDir) {
  return digestText(recordDir).textSha256.slice(0, 16);
}
function optionFolder(around, option) {
  if (option === "~" || option.startsWith("~/") || around.platform === "win32" && option.startsWith("~\\")) {
    if (!around.home || !isAbsolute(around, around.home)) return NO_HOME;
    return { folder: normal(around, join2(around, around.home, option.slice(2))) };
  }
  if (isAbsolute(around, option)) return { folder: normal(around, option) };
  return {
    problem: `recordDir is not an absolute path: ${option}`,
    hint: "name the folder from the root, or from the home folder with ~/"
  };
}
function underHome(around, parts) {
  if (around.platform === "win32") {
    if (around.localAppData) return { folder: join2(around, around.localAppData, ...parts.win32) };
    return { problem: "LOCALAPPDATA is not set", hint: "set it, or name the folder" };
  }
  if (!around.home || !isAbsolute(around, around.home)) return NO_HOME;
  return { folder: join2(around, around.home, ...around.platform === "darwin" ? parts.darwin : parts.other) };
}
var NO_HOME = { problem: "HOME is not set to an absolute path", hint: "set it, or name the folder" };
function normal(around, path) {
  const separator = around.platform === "win32" ? "\\" : "/";
  const lead = around.platform === "win32" && path.startsWith("\\\\") ? "\\" : "";
  const parts = [];
  for (const part of path.split(around.platform === "win32" ? /[\\/]+/ : /\/+/)) {
    if (part === ".." && parts.length > 1) parts.pop();
    else if (part !== "." && part !== ".." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  return lead + (parts.length === 1 ? `${parts[0]}${separator}` : parts.join(separator));
}
function isAbsolute(around, path) {
  return around.platform === "win32" ? /^([A-Za-z]:[\\/]|\\\\)/.test(path) : path.startsWith("/");
}
function join2(around, first, ...rest) {
  const separator = around.platform === "win32" ? "\\" : "/";
  return [first.replace(/[\\/]+$/, ""), ...rest].join(separator);
}

// src/plugin/settings.ts
async function readSettings($, options) {
  const around = await surroundings($);
  const record = recordFolder(around, String(options.recordDir ?? ""));
  if ("problem" in record) return record;
  const recordText = options.recordText === "metadata" ? "metadata" : "full";
  return {
    settings: {
      recordDir: record.folder,
      recordText,
      projectionDir: projectionDir(record.folder, cacheFolder(around))
    }
  };
}
function projectionDir(recordDir, cache) {
  return "folder" in cache ? `${cache.folder}/${recordKey(recordDir)}` : null;
}
async function surroundings($) {
  const { platform } = await $.session.info();
  return {
    platform: platform === "windows" ? "win32" : platform === "macos" ? "darwin" : "linux",
    home: await $.env.get("HOME") ?? await $.env.get("USERPROFILE"),
    xdgDataHome: await $.env.get("XDG_DATA_HOME"),
    xdgCacheHome: await $.env.get("XDG_CACHE_HOME"),
    localAppData: await $.env.get("LOCALAPPDATA")
  };
}

// src/plugin/tools.ts
async function registerToolsAndCommand($) {
  await $.command.register({ name: "chain", description: "Show this session's chain", immediate: true });
  await $.tool.register({
    name: "chain_join",
    description: "Declares this session a lead of the session that started it. Call it first when your brief names a parent session id. It tells the parent once and says whether that was delivered.",
    inputSchema: {
      type: "object",
      properties: {
        parent: { type: "string", description: "the full session id of the session that started this one" },
        part: { type: "string", description: "one line: what this session is to do" },
        brief: { type: "string", description: "where the brief is, if there is one" }
      },
      required: ["parent", "part"]
    }
  });
  await $.tool.register({
    name: "chain_tree",
    description: "Returns the chain of this session as text: each session with its full id, parent, part and when it was last heard. Last heard says nothing of whether a session is alive.",
    inputSchema: { type: "object", properties: {} }
  });
}

// src/plugin/register.ts
var QUIET_MS = 5e3;
var END_MS = 1e3;
var REGISTRY_MS = 200;
var load = null;
var problem = null;
function register(on, options) {
  hookRecordFiles(on);
  on("classic.SessionStart", async ($, e, next) => {
    const result = await next(e);
    await onSessionId($, options, e);
    return result;
  });
  on("session.start", async ($, e, next) => {
    const result = await next(e);
    await onLoad($, options, e.isInteractive);
    return result;
  });
  on("session.send", async ($, e, next) => {
    const result = await next(e);
    await onSent($, e, result);
    return result;
  });
  on("tool.call", { tool: "SendMessage" }, async ($, e, next) => {
    const result = await next(e);
    await onSendMessageAnswered($, e, result);
    return result;
  });
  on("session.receive", ($, e, next) => onReceived($, e, (one) => next(one)));
  on("agent.spawn", async (_$, e, next) => {
    const result = await next(e);
    noteAgent(e, result);
    return result;
  });
  on("turn.complete", async ($, e, next) => {
    const result = await next(e);
    await onTurnEnd($);
    return result;
  });
  on("session.end", async ($, e, next) => {
    const result = await next(e);
    if (e.reason !== "clear" && e.reason !== "resume") await onEnd($);
    return result;
  });
  on("tool.run", { tool: "mcp__coordination__chain_join" }, async ($, e) => answerJoin($, e));
  on("tool.run", { tool: "mcp__coordination__chain_tree" }, async ($) => ({
    result: await answerTree($, false)
  }));
  on("command.run", { command: "chain" }, async ($) => ({
    text: await answerTree($, load?.isAtTerminal ?? false),
    isTextDisplayOnly: true
  }));
}
async function prepared($, options) {
  if (load || problem) return load;
  const read2 = await readSettings($, options);
  if ("problem" in read2) {
    problem = `${read2.problem} (${read2.hint}). Nothing is recorded.`;
    $.ui.log(problem);
    return null;
  }
  load ??= newLoadOf(read2.settings);
  return load;
}
async function onSessionId($, options, e) {
  try {
    const one = await prepared($, options);
    if (!one || e.source === "compact") return;
    startSession($, one, { id: e.session_id, cwd: e.cwd, cause: e.source });
    drawStatus($, one);
    await openWindow($);
  } catch (error) {
    tellFault($, error);
  }
}
async function onLoad($, options, isInteractive) {
  try {
    if (isInteractive) askAtOnce();
    await registerToolsAndCommand($);
    const notice = inboundNotice(await readInbound($));
    if (notice) $.ui.log(notice);
    const one = await prepared($, options);
    if (!one) return;
    one.isAtTerminal = isInteractive;
    startSession($, one, { id: await $.session.id(), cwd: await $.session.cwd(), cause: "reload" });
    drawStatus($, one);
    followInbound($, one);
    $.clock.every(QUIET_MS, () => void askWhileQuick());
    await openWindow($);
  } catch (error) {
    tellFault($, error);
  }
}
async function onEnd($) {
  try {
    if (!load) return;
    const one = load;
    const written = Promise.all(one.beside).then(() => one.queue.drained());
    await openWindow($);
    await within($, END_MS, written);
  } catch (error) {
    tellFault($, error);
  }
}
async function onSent($, e, result) {
  try {
    if (!load) return;
    if (load.ownSending?.text === e.text) {
      load.ownSending.to = e.to;
      return;
    }
    const sending = noteSending($, e, result);
    if (e.origin.kind === "model") {
      const answer = takeSame(load.answers, sending);
      if (answer) beside($, load, recordToolSending($, load, sending, answer.result));
      else load.pending.push(sending);
    } else beside($, load, recordUnanswered($, load, [sending]));
    drawStatus($, load);
    await openWindow($);
  } catch (error) {
    tellFault($, error);
  }
}
async function onTurnEnd($) {
  try {
    if (!load) return;
    load.answers.length = 0;
    beside($, load, recordUnanswered($, load, load.pending.splice(0)));
    drawStatus($, load);
    await openWindow($);
  } catch (error) {
    tellFault($, error);
  }
}
async function onSendMessageAnswered($, e, answered) {
  try {
    if (!load) return;
    const { to, message: message2, agentId } = e;
    if (typeof to !== "string" || typeof message2 !== "string") return;
    if (load.ownSending?.text === message2) {
      load.ownSending.msgId = msgIdOf(answered.result);
      return;
    }
    const answer = { to, text: message2, agentId, result: answered.result };
    const sending = takeSame(load.pending, answer);
    if (sending) beside($, load, recordToolSending($, load, sending, answer.result));
    else if (answered.deny === void 0 && !answered.isError) load.answers.push(answer);
    await openWindow($);
  } catch (error) {
    tellFault($, error);
  }
}
function beside($, load2, recording) {
  const work = recording.then((isWritten) => {
    if (isWritten) ensureStarted($, load2);
  }).catch((error) => tellFault($, error)).finally(() => load2.beside.delete(work));
  load2.beside.add(keepOpenFor(work));
}
async function onReceived($, e, next) {
  const arrival = load ? readArrival($, e) : null;
  if (arrival) await within($, REGISTRY_MS, arrival.peerSessionId);
  let result;
  try {
    result = await next(e);
  } catch (error) {
    if (arrival) await onArrived($, arrival, "rejected");
    throw error;
  }
  if (arrival) await onArrived($, arrival, outcomeOf(result));
  return result;
}
async function onArrived($, arrival, outcome) {
  try {
    if (!load) return;
    beside($, load, recordArrival($, load, arrival, outcome));
    void toastArrival($, load, arrival);
    drawStatus($, load);
    await openWindow($);
  } catch (error) {
    tellFault($, error);
  }
}
function noteAgent(e, result) {
  const { name } = e;
  const { agentId } = result ?? {};
  for (const one of [name, agentId]) if (typeof one === "string") load?.agents.add(one);
}
async function answerJoin($, e) {
  if (!load?.session) return { deny: problem ?? "this session is not recorded yet; try again" };
  const input = e;
  const refusal = whyRefused(input, input.agentId, load.session.id);
  if (refusal) return { deny: refusal };
  const result = await join($, load, input);
  drawStatus($, load);
  openWindow($);
  return { result };
}
async function answerTree($, isMarkdown) {
  if (!load?.session) return problem ?? "this session is not recorded yet";
  return treeText($, load, isMarkdown);
}
function tellFault($, error) {
  $.ui.log(`fault: ${error instanceof Error ? error.message : String(error)}`, { to: "debug" });
}
export {
  register
};
