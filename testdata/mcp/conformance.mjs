// The protocol's conformance suite, against the product and against a server with the tools that the suite wants.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { clientCommand, dir, fixtureURL, openProduct } from './servers.mjs'
import { client, fixtures, outOfScope, sessions } from './scenarios.mjs'

const script = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url))

const suite = (...args) => new Promise(resolve => execFile(process.execPath, [script, ...args],
  { timeout: 300_000, maxBuffer: 64 << 20 },
  (error, stdout, stderr) => resolve({ status: error ? error.code ?? 'a signal' : 0, output: stdout + stderr })))

/** list returns the names of all scenarios for servers or clients. */
async function list(side) {
  const { output } = await suite('list', side)
  return [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(match => match[1])
}

/** check runs all scenarios of a side. */
async function check(all, expected, ...args) {
  const file = join(dir, 'expected.json') // YAML has JSON in it
  writeFileSync(file, JSON.stringify({ [args[0]]: expected }))
  const { status, output } = await suite(...args, '--suite', 'all', '--expected-failures', file)
  assert.equal(status, 0, output)
  assert.equal(output.match(/^[✓✗] /gm)?.length, all.length, output)
}

/** conformance runs all scenarios. One that fails must be expected to, and one that is expected to must fail. */
export async function conformance(step) {
  const all = await list('--server')
  await step('conformance: the expected failures are scenarios', () => {
    assert.ok(all.length >= 32, `there are only ${all}`)
    for (const name of Object.keys({ ...outOfScope, ...fixtures, ...sessions })) assert.ok(all.includes(name),
      `there is no scenario ${name}`)
  })
  for (const [what, serve, expected] of [
    ['toolrun mcp', () => openProduct(), { ...outOfScope, ...fixtures }],
    ['toolrun mcp --stateless', () => openProduct('--stateless'), { ...outOfScope, ...fixtures, ...sessions }],
    ['with the suite\'s tools', () => fixtureURL(), outOfScope],
    ['with the suite\'s tools, without sessions', () => fixtureURL('--stateless'), { ...outOfScope, ...sessions }],
  ]) {
    await step(`conformance: ${what}, ${all.length - Object.keys(expected).length} of ${all.length} scenarios`,
      async () => {
      await check(all, Object.keys(expected), 'server', '--url', await serve())
    })
  }
  const forClients = await list('--client')
  const expected = forClients.filter(client)
  await step(`conformance: the client, ${forClients.length - expected.length} of ${forClients.length} scenarios`,
    async () => {
    for (let attempt = 1; ; attempt++) { // one of them measures time, which a busy machine does not have
      try {
        return await check(forClients, expected, 'client', '--command', clientCommand)
      } catch (error) {
        if (attempt === 3) throw error
      }
    }
  })
}
