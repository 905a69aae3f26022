// Runs scripts in Node as toolrun runs them, the body of an async function each, with the packages of a folder:
// node answers.mjs FOLDER SCRIPT... It prints, as JSON, what each returns by the script's name, and how many
// milliseconds that took. Each script has a process of its own.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, ...scripts] = process.argv.slice(2);
if (process.env.TOOLRUN_ANSWER) {
  const AsyncFunction = (async () => {}).constructor;
  const run = new AsyncFunction('require', 'base', fs.readFileSync(scripts[0], 'utf8'));
  const began = performance.now();
  const text = await run(createRequire(path.join(folder, 'script.js')), process.env.TOOLRUN_BASE);
  fs.writeSync(3, JSON.stringify({ text, ms: Math.round(performance.now() - began) }));
  process.exit(0);
}
const answers = {};
const env = { ...process.env, TZ: 'UTC', TOOLRUN_ANSWER: '1' };
const temporary = fs.mkdtempSync('/tmp/answers-');
for (const script of scripts) {
  const name = path.basename(script, '.js');
  const file = path.join(temporary, name);
  const fd = fs.openSync(file, 'w');
  execFileSync(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url), folder, script],
    { env, stdio: ['ignore', 'ignore', 'inherit', fd] });
  fs.closeSync(fd);
  answers[name] = JSON.parse(fs.readFileSync(file, 'utf8'));
}
fs.rmSync(temporary, { recursive: true });
console.log(JSON.stringify(answers, null, 1));
