# ruff: noqa: E501 - programs, one in a line
"""JavaScript in which the language itself calls, or takes values from, what the program has put there."""

from __future__ import annotations

ATTACKS = (
    "class X extends Array { constructor(n) { super(n); if (n > 0) return () => 1 } }\nconst x = new X();\nx.push(1);\nconst r = x.map(q => q);\nconst g = r['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const r = /a/;\nr.exec = s => () => 1;\nconst m = 'a'.match(r);\nconst g = m['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const f = () => 1;\nconst d = new Date();\nd.toISOString = () => f;\nconst x = d.toJSON();\nconst g = x['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const f = () => 1;\nconst x = ({ toString: () => f }).toLocaleString();\nconst g = x['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const f = () => 1;\nconst a = [];\na.join = () => f;\nconst x = a.toString();\nconst g = x['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const f = () => 1;\nconst p = Promise.resolve(1);\np.then = () => f;\nconst x = p.catch();\nconst g = x['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const it = { [Symbol.iterator]() { return { next() { return { done: true, value: () => 1 } } } } };\nfunction* h() { const r = yield* it; const g = r['constr' + 'uctor']; Promise.resolve('x').then(g).then(f => f()) }\nh().next()",
    "let i = 0;\nconst it = { [Symbol.iterator]() { return { next() { return { done: i++ > 0, value: () => 1 } } } } };\nconst g = Array.from(it)[0]['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "let i = 0;\nconst it = { [Symbol.iterator]() { return { next() { return { done: i++ > 0, value: () => 1 } } } } };\nPromise.all(it).then(a => { const g = a[0]['constr' + 'uctor']; Promise.resolve('x').then(g).then(f => f()) })",
    "let i = 0;\nconst it = { [Symbol.iterator]() { return { next() { return { done: i++ > 0, value: () => 1 } } } } };\nconst s = new Set(it);\nconst g = Array.from(s)[0]['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "let i = 0;\nconst it = { [Symbol.iterator]() { return { next() { return { done: i++ > 0, value: () => 1 } } } } };\nconst g = new Set(it).entries().next().value[0]['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "const ex = r => { const c = r['constr' + 'uctor']; Promise.resolve('x').then(c).then(f => f()) };\nnew Promise(ex)",
    "class S extends Set { add(v) { const g = v['constr' + 'uctor']; Promise.resolve('x').then(g).then(f => f()) } }\nlet i = 0;\nnew S({ [Symbol.iterator]() { return { next() { return { done: i++ > 0, value: () => 1 } } } } })",
    "valueOf = valueOf || 1;\nconst g = valueOf['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f())",
    "let done = false;\nclass R extends RegExp { exec(s) { if (done) return null; done = true; return { index: 0, length: 1, 0: 'a', groups: () => 1 } } }\n'abc'.replace(new R('a'), (m, i, s, g) => g['constr' + 'uctor']('return process')())",
    "const r = /a/;\nr.exec = s => ({ index: 'constructor' });\n(() => 1)['a'.search(r)]('return process')()",
    "class R extends RegExp {}\nconst m = new R('(?<length>.*)').exec('constructor');\n(() => 1)[m['grou' + 'ps'].length]('return process')()",
    "function g() { const f = constructor['constr' + 'uctor']; return f('return process')() }\ng();\nif (false) constructor = 1;",
    "const o = {};\nclass A { x = o\n ['__pro' + 'to__'] = () => 1 }\nnew A();\nconst c = o['constr' + 'uctor'];\nc('return process')()",
    "__proto__ = { x: 1 };",
    "const a = [1];\nfunction F() { return ({})['__pro' + 'to__'] }\nclass H extends Array {}\nF['__pro' + 'to__'] = H;\na['constr' + 'uctor'] = F;\na.map(x => x)",
    "class P extends Map { set(k, v) { const g = v['constr' + 'uctor']; g('return process')() } }\nlet i = 0;\nnew P({ [Symbol.iterator]() { return { next() { return { done: i++ > 0, value: { 0: 1, 1: () => 1 } } } } } })",
    "const O = ({})['constr' + 'uctor'];\nconst o = O.fromEntries([['length', 'constructor']]);\nconst g = [].map[o.length];\nPromise.resolve('x').then(g).then(f => f());",
    "const O = ({})['constr' + 'uctor'];\nconst o = O.fromEntries([['length', 'constructor']]);\nconst g = (() => 1)[o.length];\nPromise.resolve('x').then(g).then(f => f());",
    "function F() { return ({})['__pro' + 'to__'] }\nclass X extends F { y = 1 }\nnew X();",
    "const r = /a/;\nr.exec = s => ({ index: () => 1 });\nconst g = String.prototype.search.call('a', r)['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f());",
    "class R extends RegExp { exec(s) { return { index: () => 1 } } }\nconst g = 'a'.search(new R('a'))['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f());",
    "const d = { toISOString: () => () => 1 };\nconst t = new Date().toJSON;\nd.toJSON = t;\nconst g = d.toJSON()['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f());",
    "const p = Promise.resolve(1);\np.then = () => () => 1;\nconst g = p.finally(() => 1)['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f());",
    "class X extends Uint8Array { constructor(n) { super(2); return n === 2 ? () => 1 : this } }\nconst g = new X(1).map(q => q)['constr' + 'uctor'];\nPromise.resolve('x').then(g).then(f => f());",
)
