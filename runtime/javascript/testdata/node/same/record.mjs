// Writes what Node answers beside each script of this folder: node record.mjs. With -check it only compares. Each script has
// a process of its own, as some change what others would answer.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

process.env.TZ = 'UTC';
process.env.TMPDIR = '/tmp'; // answers have it, and lines of another length
const self = fileURLToPath(import.meta.url);
const check = process.argv.includes('-check');
if (process.argv[2] === '-one') {
  const [, script] = process.argv.splice(2);
  fs.writeFileSync(1, `${JSON.stringify(await createRequire(self)(script), null, 1)}\n`);
  process.exit();
}
for (const file of fs.readdirSync(path.dirname(self))) {
  if (!file.endsWith('.js')) continue;
  const script = path.join(path.dirname(self), file);
  const golden = script.replace(/\.js$/, '.json');
  const text = execFileSync(process.execPath, [self, '-one', script],
    { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
  if (!check) {
    fs.writeFileSync(golden, text);
  } else if (fs.readFileSync(golden, 'utf8') !== text) {
    console.error(`${golden} is not what Node ${process.version} answers`);
    process.exitCode = 1;
  }
}
