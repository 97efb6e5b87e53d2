// Shortens the sleeps of a rehearsal, and lets the clocks that its code reads agree with that. It is the body of a
// function of `require` and `MOST`: how many milliseconds may be left out. Time is skipped where the program does
// nothing but wait for its timers; what hosts, children and files may yet do is waited for.
const SHORT = 100;
const PATIENCE = 2000;
const EVERY = 20;
const SILENT = new Set(['Timeout', 'Immediate', 'TCPServerWrap', 'UDPWRAP', 'TTYWrap']);
const QUIET = new Set(['TCPSocketWrap', 'TLSWrap', 'PipeWrap']);
const timers = require('node:timers');
const promises = require('node:timers/promises');
const { setTimeout: later, setInterval: every, clearTimeout: forget, setImmediate: soon } = globalThis;
const { resourcesOf, clock, uptime, precise } = {
  resourcesOf: process.getActiveResourcesInfo.bind(process),
  clock: process.hrtime.bind(process),
  uptime: process.uptime.bind(process),
  precise: process.hrtime.bigint.bind(process.hrtime),
};
const waiting = new Map();
let skipped = 0;
let ticker = null;
let [idleSince, quietSince] = [null, null];

const real = () => Number(precise()) / 1e6;
const now = () => real() + skipped;

// Gives a function the name and the properties of another.
function like(known, changed) {
  for (const name of ['name', 'length']) Object.defineProperty(changed, name, { value: known[name], configurable: true });
  for (const name of Object.getOwnPropertySymbols(known)) {
    Object.defineProperty(changed, name, Object.getOwnPropertyDescriptor(known, name));
  }
  return changed;
}

// Returns since when something has been so.
const since = (before, so) => (so ? before ?? real() : null);

// Returns what the program waits for beside its timers: its own streams are not meant.
function othersOf() {
  let own = [process.stdout, process.stderr].filter((one) => one._handle?.constructor.name === 'Pipe').length;
  return resourcesOf().filter((name) => !SILENT.has(name) && !(name === 'PipeWrap' && own-- > 0));
}

// Returns whether the program only waits for its timers.
function isIdle() {
  const others = othersOf();
  idleSince = since(idleSince, others.length === 0);
  quietSince = since(quietSince, others.every((name) => QUIET.has(name)));
  const lasts = (start, least) => start !== null && real() - start >= least;
  return lasts(idleSince, SHORT / 2) || lasts(quietSince, PATIENCE);
}

function refreshWaiting() {
  for (const [timer, one] of waiting) {
    if (timer._destroyed || timer._idleTimeout < 0) waiting.delete(timer);
    else if (timer._idleStart !== one.start) [one.start, one.due] = [timer._idleStart, now() + timer._idleTimeout];
  }
}

function first(timersOf) {
  return timersOf.reduce((best, one) => (best === null || one[1].due < best[1].due ? one : best), null);
}

function fire(timer) {
  const { _onTimeout: call, _timerArgs: given, _repeat: again } = timer;
  if (again) timer.refresh();
  else { waiting.delete(timer); forget(timer); }
  [idleSince, quietSince] = [null, null];
  soon(tick);
  Reflect.apply(call, timer, given ?? []);
}

function tick() {
  refreshWaiting();
  if (!waiting.size) { forget(ticker); ticker = null; return; }
  const next = first([...waiting].filter(([timer]) => timer.hasRef()));
  if (next && isIdle()) skipped += Math.max(0, Math.min(next[1].due - now(), MOST - skipped));
  const due = first([...waiting]);
  if (due[1].due <= now()) fire(due[0]);
}

// Has a timer fire earlier where the program waits for it alone.
function follow(timer, after) {
  if (!(after > SHORT) || after > 0x7fffffff) return timer;
  waiting.set(timer, { start: timer._idleStart, due: now() + after });
  ticker ??= every(tick, EVERY).unref();
  return timer;
}

globalThis.setTimeout = timers.setTimeout = like(later, (...given) => follow(later(...given), +given[1]));
globalThis.setInterval = timers.setInterval = like(every, (...given) => follow(every(...given), +given[1]));
const promised = promises.setTimeout;
promises.setTimeout = like(promised, (after, value, options) => {
  if (options) return promised(after, value, options);
  return new Promise((resolve) => { globalThis.setTimeout(resolve, after, value); });
});

// --- clocks

process.hrtime = like(clock, (before) => {
  const all = precise() + BigInt(Math.round(skipped * 1e6));
  const pair = [Number(all / 1000000000n), Number(all % 1000000000n)];
  if (before === undefined) return pair;
  clock(before);
  const [seconds, rest] = [pair[0] - before[0], pair[1] - before[1]];
  return rest < 0 ? [seconds - 1, rest + 1e9] : [seconds, rest];
});
process.hrtime.bigint = like(precise, () => precise() + BigInt(Math.round(skipped * 1e6)));
process.uptime = like(uptime, () => uptime() + skipped / 1000);
const performed = Object.getPrototypeOf(performance).now;
Object.getPrototypeOf(performance).now = like(performed, function () { return Reflect.apply(performed, this, []) + skipped; });

const RealDate = Date;
const dateNow = RealDate.now;
const isNow = (given) => given.length === 0;
const Shifted = new Proxy(RealDate, {
  construct: (target, given, made) =>
    Reflect.construct(target, isNow(given) ? [dateNow() + Math.round(skipped)] : given, made === Shifted ? target : made),
  apply: () => new Shifted().toString(),
});
RealDate.now = like(dateNow, () => dateNow() + Math.round(skipped));
RealDate.prototype.constructor = Shifted;
globalThis.Date = Shifted;

// --- sleeps that block

const wait = Atomics.wait;
Atomics.wait = like(wait, (array, index, value, timeout) => {
  const longer = +timeout;
  if (!(longer > SHORT) || longer === Infinity) return wait(array, index, value, timeout);
  const least = Math.max(othersOf().length ? PATIENCE : SHORT / 2, longer - (MOST - skipped));
  const ended = wait(array, index, value, Math.min(longer, least));
  if (ended === 'timed-out') skipped += Math.max(0, longer - least);
  return ended;
});
require('node:module').syncBuiltinESMExports();
