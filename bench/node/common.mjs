import { readFileSync } from 'node:fs';

// packageVersion is the version of a package that is installed beside this file.
export function packageVersion(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
}

// asFunction makes an expression of the body of a function that has no arguments, and calls it.
export const asFunction = (body) => `(function () {\n${body}\n})()`;

// holder makes a script of the body of an async function, and defines the function wait for it. The promise could be
// settled, so that nothing that comes after it is garbage.
export const holder = (body) =>
  `function wait() { return new Promise(function (resolve) { globalThis.settle = resolve }) }\n` +
    `(async function () {\n${body}\n})();\n1`;

// The limits of the sandboxes that have any. The time is never reached.
export const memoryLimit = 512 << 20;
export const timeLimit = 600_000;
