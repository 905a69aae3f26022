// Runs the programs whose files are named by a list in standard input, each in its own worker, and prints a line of
// JSON for each: what it prints and how it ends.
import { Worker } from 'node:worker_threads';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

const limit = 20_000; // milliseconds

async function run(file) {
  const out = { Stdout: '', Stderr: '', Error: '' };
  const worker = new Worker(file, { stdout: true, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 256 } });
  worker.stdout.setEncoding('utf8').on('data', (chunk) => { if (out.Stdout.length < 4 << 20) out.Stdout += chunk; });
  worker.stderr.setEncoding('utf8').on('data', (chunk) => { if (out.Stderr.length < 4 << 20) out.Stderr += chunk; });
  const timer = setTimeout(() => { out.Error = 'timeout'; worker.terminate(); }, limit);
  worker.on('error', (error) => { out.Error ||= String(error?.stack ?? error) || 'error'; });
  const code = await new Promise((resolve) => worker.on('exit', resolve));
  clearTimeout(timer);
  if (code !== 0) out.Error ||= `exit status ${code}`;
  return out;
}

const files = JSON.parse(await text(process.stdin));
let next = 0;
await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  while (next < files.length) {
    const File = files[next++];
    process.stdout.write(`${JSON.stringify({ File, ...await run(File) })}\n`);
  }
}));
