// Runs programs, each in a realm of its own, and says which of them had an effect.
//
// Reads a JSON list of programs from standard input and writes, a line for each, what it did as JSON text, or
// nothing: called code made from text, touched a global that has effects, or changed an object of the language.
'use strict';

const fs = require('node:fs');
const vm = require('node:vm');

const LIMIT = 100;
const PRELUDE = `
(function () {
  const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn, is } = Object;
  const { ownKeys } = Reflect;
  const { Proxy, RegExp, String } = globalThis;
  const effects = [];
  const record = (what) => { if (effects.length < 5) effects.push(String(what)); };
  const quiet = () => undefined;
  const trap = (what) => new Proxy(function () {}, {
    get(target, key) { record(what + '.' + String(key)); return undefined; },
    set() { record(what + ' set'); return true; },
    apply() { record(what + ' called'); },
    construct() { record('new ' + what); return {}; },
  });
  const only = (what, own) => new Proxy(own, {
    get(target, key) {
      if (hasOwn(own, key)) return own[key];
      record(what + '.' + String(key));
      return undefined;
    },
    set(target, key) { if (key !== 'exports') record(what + '.' + String(key) + ' set'); return true; },
    defineProperty(target, key) { record(what + '.' + String(key) + ' defined'); return false; },
  });
  const made = [Function, (function* () {}).constructor, (async () => {}).constructor,
    (async function* () {}).constructor];
  for (const one of made) {
    const stand = function () { record(one.name + ' called'); return function () { record('code from text'); }; };
    Object.defineProperty(stand, 'prototype', { value: one.prototype });
    Object.defineProperty(one.prototype, 'constructor', { value: stand, configurable: false, writable: false });
  }
  const printing = {};
  for (const name of ['log', 'error', 'warn', 'info', 'debug', 'table', 'group', 'groupEnd', 'groupCollapsed',
    'count', 'countReset', 'assert', 'time', 'timeEnd', 'timeLog']) printing[name] = (...all) => all.map(String);
  const later = [];
  const timer = (call, ...rest) => {
    if (typeof call !== 'function') throw new TypeError('callback');
    const handle = { _idleNext: trap('timer'), close: quiet, unref: quiet };
    if (later.length < 50) later.push(() => call.call(handle, ...rest.slice(1)));
    return handle;
  };
  const write = { write: (text) => { if (typeof text !== 'string') throw new TypeError('text'); return true; } };
  const named = {
    console: only('console', printing),
    process: only('process', {
      stdout: only('stdout', write), stderr: only('stderr', write), argv: ['node', 'main.js'], uptime: () => 1,
      exit: () => { throw new Error('exit'); }, hrtime: only('hrtime', { bigint: () => 1n }),
    }),
    setTimeout: timer, setInterval: timer, setImmediate: timer, queueMicrotask: timer,
    clearTimeout: quiet, clearInterval: quiet, clearImmediate: quiet, Function: Function.prototype.constructor,
  };
  for (const name of ['eval', 'fetch', 'WebAssembly', 'Buffer', 'navigator', 'performance', 'crypto', 'global',
    'SharedArrayBuffer', 'Atomics', 'Proxy', 'Reflect', 'structuredClone', 'AbortController', 'URL', 'Blob',
    'WebSocket', 'BroadcastChannel', 'MessageChannel', 'EventTarget', 'escape', 'unescape', 'WeakRef',
    'FinalizationRegistry', 'Intl', 'atob', 'btoa', 'TextDecoder', 'TextEncoder']) named[name] = trap(name);
  for (const name of Object.keys(named)) {
    Object.defineProperty(globalThis, name, { value: named[name], enumerable: false, configurable: true });
  }
  const known = new Map();
  const values = [globalThis, function* () {}, async () => {}, async function* () {}, (function* () {})(),
    [].values(), new Map().values(), new Set().values(), 'a'.matchAll(/a/g), ''[Symbol.iterator]()];
  const skipped = new Set(Object.values(named));
  while (values.length) {
    const one = values.pop();
    if (one === null || !['object', 'function'].includes(typeof one) || known.has(one) || skipped.has(one)) continue;
    const all = Object.getOwnPropertyDescriptors(one);
    const own = ownKeys(all).map((key) => [key, all[key]]);
    const above = Object.getPrototypeOf(one);
    known.set(one, [own, above]);
    values.push(above);
    for (const [, { value, get, set }] of own) values.push(value, get, set);
  }
  const same = (now, then) => now && ['value', 'get', 'set'].every((part) => is(now[part], then[part]));
  const changes = () => {
    for (const [one, [own, above]] of known) {
      const name = one === globalThis ? 'the global object' : String(one.name ?? 'an object of the language');
      if (getPrototypeOf(one) !== above) record('the prototype of ' + name);
      if (one !== globalThis && ownKeys(one).length > own.length) record('more in ' + name);
      for (const [key, then] of own) {
        const now = getOwnPropertyDescriptor(one, key);
        if (!same(now, then) && !(one === RegExp)) record(String(key) + ' of ' + name);
      }
    }
  };
  const exported = {};
  return {
    effects, changes, exported,
    module: only('module', { exports: exported }), require: trap('require'),
    run: () => { for (const call of later.splice(0)) try { call(); } catch { /* its own affair */ } },
  };
})()`;

const prelude = new vm.Script(PRELUDE, { filename: 'prelude.js' });

function effect(program) {
  const context = vm.createContext({}, { microtaskMode: 'afterEvaluate' });
  const realm = prelude.runInContext(context);
  context.__realm = realm;
  const options = { timeout: LIMIT, filename: 'main.js' };
  const start = 'delete globalThis.__realm; (function (exports, require, module, __filename, __dirname) {';
  const end = '\n}).call(realm.exported, realm.exported, realm.require, realm.module, "/w/main.js", "/w");';
  try {
    vm.runInContext(`{ const realm = globalThis.__realm; ${start}${program}${end} }`, context, options);
  } catch { /* a program may fail */ }
  context.__realm = realm;
  try {
    vm.runInContext('{ const realm = globalThis.__realm; delete globalThis.__realm; realm.run(); }', context, options);
  } catch { /* and its timers, too */ }
  realm.changes();
  return realm.effects.join('; ');
}

const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk));
process.stdin.on('end', () => {
  for (const program of JSON.parse(Buffer.concat(chunks).toString('utf8'))) {
    fs.writeSync(1, `${JSON.stringify(effect(program))}\n`);
  }
});
process.on('unhandledRejection', () => {});
