// Answers questions: each line of the input is JSON of {file, probe, input}, each line of the output JSON of the answer.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { runInThisContext } from 'node:vm';

const probes = runInThisContext(`${readFileSync(process.argv[2], 'utf8')};probes`);
for await (const line of createInterface({ input: process.stdin })) {
  const { probe, input } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ answer: JSON.stringify(probes[probe](input)) })}\n`);
}
