#!/usr/bin/env node
// Starts the binary of this platform, which npm has installed as an optional package.
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

const name = `@toolrun/${process.platform}-${process.arch}`;
let program;
try {
  const root = path.dirname(require.resolve(`${name}/package.json`));
  program = path.join(root, "bin", process.platform === "win32" ? "toolrun.exe" : "toolrun");
} catch {
  console.error(
    `toolrun: the package ${name} is not installed. If toolrun runs on ${process.platform} and ${process.arch},\n` +
      "install it again without --omit=optional, and without a lock file of another platform.",
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both processes: then it must not come twice.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`toolrun: ${err.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
