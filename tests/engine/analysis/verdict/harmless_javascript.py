# ruff: noqa: E501 - programs, one in a line where it fits
"""JavaScript that only computes and prints, each with something that the proof could stumble over."""

from __future__ import annotations

HARMLESS = (
    "{ function f() { return f; } f(); } var g = 1; if (g) { function g() {} g(); } g = 2; function h(x) { { function x() {} } x(); } h(1);",
    "console.log('hello')",
    "'use strict'\nconst x = [3, 1, 2]\nx.sort((a, b) => a - b)\nconsole.log(x, `${x.length} items`)",
    "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\nconsole.log(fib(10))",
    "const own = (o, k) => Object.prototype.hasOwnProperty.call(o, k)\nconsole.log(own({ a: 1 }, 'a'), Math.max.apply(null, [1, 2]), Object.prototype.toString.call([]))",
    "const count = {}\nfor (const c of 'banana') count[c] = (count[c] || 0) + 1\nconsole.log(count)",
    "const groups = {}\nfor (const w of ['a', 'bb']) { if (!groups[w.length]) groups[w.length] = []; groups[w.length].push(w) }",
    "const m = new Map([['a', 1]])\nm.set('b', (m.get('b') || 0) + 1)\nfor (const [k, v] of m) console.log(k, v)\nm.forEach((v, k) => console.log(k + v))",
    "const grid = Array.from({ length: 3 }, (_, i) => Array(3).fill(i))\nfor (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) grid[i][j] += i * j\nconsole.table(grid)",
    "const swap = (a, i, j) => { const t = a[i]; a[i] = a[j]; a[j] = t }\nconst a = [1, 2]\nswap(a, 0, 1)\nconsole.log(a)",
    "const compose = (...fs) => fs.reduce((f, g) => (...xs) => f(g(...xs)))\nconsole.log(compose(x => x + 1, x => x * 2)(3))",
    "const apply = (f, ...xs) => f(...xs)\nconsole.log(apply(Math.max, 1, 2), ['1', '2'].map(Number), [0, 1].filter(Boolean))",
    "const text = 'a-b_c'.replace(/[-_](\\w)/g, (_, c) => c.toUpperCase())\nconsole.log(text, /(\\d+)/.exec('a1')?.[1] ?? 'none')",
    "const { a, b: { c = 1 } = {}, ...rest } = JSON.parse('{\"a\": 1}')\nconsole.log(a, c, rest, { a, ...rest, [`k${a}`]: 2 })",
    "const memo = new Map()\nconst fact = n => { if (memo.has(n)) return memo.get(n); const r = n <= 1n ? 1n : n * fact(n - 1n); memo.set(n, r); return r }\nconsole.log(fact(20n))",
    "const has = Object.prototype.hasOwnProperty.call({ a: 1 }, 'a')\nconsole.log(has, Object.entries({ a: 1 }).map(([k, v]) => `${k}=${v}`).join('&'))",
    "process.stdout.write('x\\n')\nif (process.argv.length > 5) process.exit(1)\nconsole.log(new Date(0).toISOString(), Number.MAX_SAFE_INTEGER, Math.PI)",
    "module.exports = { add: (a, b) => a + b }",
    "const search = (xs, x) => { let lo = 0, hi = xs.length - 1; while (lo <= hi) { const mid = (lo + hi) >>> 1; if (xs[mid] === x) return mid; xs[mid] < x ? (lo = mid + 1) : (hi = mid - 1) } return -1 }\nconsole.log(search([1, 2, 3], 2))",
    "var result = total = 0\nfor (n of [1, 2]) result += n\nconsole.log(typeof window === 'undefined', result, void 0, delete {}.x)",
    "const set = new Set([1, 2, 2])\nconsole.log([...set].includes(1), set.size, Object.freeze({ a: 1 }), Object.fromEntries([['a', 1]]))",
    "const text = 'naïve – ünïcode 🚀'\nconsole.log([...text].reverse().join(''), text.normalize('NFD').length)",
    "function outer() { if (true) { function inner() { return 1 } } return inner() }\nconsole.log(outer())",
    "const text = ` /* a */ ${ /* b */ 1 } // c` + ' /* d */ ' + \" // e\"\nconsole.log(text, / +a/g.test(text), / b/ /* d */ .exec(text))",
    "let process2 = { exit: () => 1 }\nconsole.log(process2.exit())",
)
