// Prints the names of an image's Node: see collect_python.py.
"use strict";
const { builtinModules } = require("node:module");
const MOST_MEMBERS = 400;
const MOST_SIGNATURE = 200;
const NAME = /^[A-Za-z$][\w$]*$/;
const lines = [];
process.removeAllListeners("warning");
process.on("unhandledRejection", () => undefined);

function signature(found) {
    const text = Function.prototype.toString.call(found);
    const known = /^(?:async\s+)?(?:function\s*\*?\s*)?[\w$]*\s*(\([^)]*\))/.exec(text);
    return known && !text.includes("[native code]") ? known[1].replace(/\s+/g, " ").slice(0, MOST_SIGNATURE) : "";
}

function isClass(found) {
    return /^class\b/.test(Function.prototype.toString.call(found))
        || Object.getOwnPropertyNames(found.prototype ?? {}).length > 1;
}

function kind(found) {
    if (typeof found !== "function") return "value";
    return isClass(found) ? "class" : "function";
}

function say(name, found) {
    const parameters = typeof found === "function" ? signature(found) : "";
    lines.push([name, kind(found), parameters, typeof found === "function" ? "" : typeof found].join("\t"));
}

function members(name, found) {
    if (found === null || (typeof found !== "object" && typeof found !== "function")) return;
    for (const member of Object.getOwnPropertyNames(found).slice(0, MOST_MEMBERS)) {
        if (!NAME.test(member) || ["arguments", "caller", "prototype"].includes(member)) continue;
        say(`${name}.${member}`, Object.getOwnPropertyDescriptor(found, member).value);
    }
}

function tell(name, found) {
    members(name, found);
    if (typeof found === "function" && found.prototype) members(`${name}.prototype`, found.prototype);
}

for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!NAME.test(name) || name === "globalThis" || name === "global") continue;
    try {
        say(name, globalThis[name]);
        tell(name, globalThis[name]);
    } catch { continue }
}
for (const name of builtinModules) {
    if (name.startsWith("_") || name.includes(":")) continue;
    try {
        const module = require(name);
        lines.push([name, "module", "", ""].join("\t"));
        members(name, module);
        for (const [member, found] of Object.entries(module)) {
            if (typeof found === "function" && NAME.test(member) && isClass(found)) tell(`${name}.${member}`, found);
        }
    } catch { continue }
}
process.stdout.write(lines.join("\n") + "\n");
