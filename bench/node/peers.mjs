// Measures the processor time in milliseconds that others take for 6 * 7, for the table in README.md: the best of some
// times. In a copy of this folder:
//
//	npm ci && npm install --no-save deno@2.9.6
//	node peers.mjs PATH-OF-TOOLRUN
import { spawnSync } from 'node:child_process'

async function best(rounds, f) {
  let least = Infinity
  for (let i = 0; i < rounds; i++) least = Math.min(least, await f())
  return Number(least.toPrecision(2))
}

// program returns the time of a process.
function program(name, ...args) {
  const { stdout, stderr } = spawnSync('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', name, ...args],
    { encoding: 'utf8' })
  if (!/^42\s*$/.test(stdout)) throw new Error(`${name}: ${stdout}${stderr}`)
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number)
  return 1000 * (user + system)
}

// inside are libraries: each returns a function that makes a sandbox and runs code there.
const inside = {
  async pyodide() {
    const { loadPyodide } = await import('pyodide')
    return async () => (await loadPyodide()).runPython('6*7')
  },
  async 'just-bash'() {
    const { Bash } = await import('just-bash')
    return async () => (await new Bash().exec('echo $((6*7))')).stdout.trim()
  },
}

async function another(run) {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

if (inside[process.argv[2]]) {
  console.log(String(await (await inside[process.argv[2]]())()))
} else {
  const times = {
    'a process of node': await best(10, () => program('node', '-e', 'console.log(6*7)')),
    'a process of toolrun js': await best(10, () => program(process.argv[2] ?? 'toolrun', 'js', '-e', 'return 6*7')),
    'a process of deno': await best(10, () => program('node_modules/.bin/deno', 'eval', 'console.log(6*7)')),
  }
  for (const [name, make] of Object.entries(inside)) {
    times['a process with ' + name] = await best(3, () => program('node', process.argv[1], name))
    const run = await make()
    await run()
    times['another sandbox of ' + name] = await best(name === 'pyodide' ? 3 : 100, () => another(run))
  }
  console.table(times)
}
