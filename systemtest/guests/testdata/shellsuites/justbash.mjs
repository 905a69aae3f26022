// Runs scripts in just-bash. Each line of standard input is {script, files, dir, env} as JSON, and each line of
// standard output {stdout, status, files}. The argument is the file of the package.
import { createInterface } from "node:readline";

const { Bash } = await import(process.argv[2]);
const mtime = new Date("2024-05-06T07:08:09Z");

for await (const line of createInterface({ input: process.stdin })) {
  const { script, files, dir, env } = JSON.parse(line);
  const start = Object.fromEntries(Object.entries(files).map(([path, content]) =>
    [path, { content, mode: content.startsWith("#!") ? 0o755 : 0o644, mtime }]));
  const bash = new Bash({ files: start, cwd: dir, env });
  let result;
  try {
    result = await bash.exec(script);
  } catch (error) {
    result = { stdout: String(error), exitCode: -1 };
  }
  const after = {};
  for (const path of bash.fs.getAllPaths()) {
    if (path.startsWith(dir + "/")) {
      const stat = await bash.fs.lstat(path);
      after[path.slice(dir.length + 1)] = stat.isDirectory ? "a directory" : stat.isSymbolicLink ? "a link" :
        "=" + Buffer.from(await bash.fs.readFileBuffer(path)).toString();
    }
  }
  process.stdout.write(JSON.stringify({ stdout: result.stdout, status: result.exitCode, files: after }) + "\n");
}
