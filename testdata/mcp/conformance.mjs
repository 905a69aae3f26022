// The protocol's conformance suite, against the product and against a server with the tools that the suite wants.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir, fixtureURL, openProduct } from './servers.mjs'
import { fixtures, outOfScope, sessions } from './scenarios.mjs'

const script = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url))

const suite = (...args) => new Promise(resolve => execFile(process.execPath, [script, ...args], { timeout: 300_000, maxBuffer: 64 << 20 },
  (error, stdout, stderr) => resolve({ status: error ? error.code ?? 'a signal' : 0, output: stdout + stderr })))

/** conformance runs all scenarios. One that fails must be expected to, and one that is expected to must fail. */
export async function conformance(step) {
  const { output } = await suite('list', '--server')
  const all = [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(match => match[1])
  await step('conformance: the expected failures are scenarios', () => {
    assert.ok(all.length >= 32, output)
    for (const name of Object.keys({ ...outOfScope, ...fixtures, ...sessions })) assert.ok(all.includes(name), `there is no scenario ${name}`)
  })
  for (const [what, serve, expected] of [
    ['toolrun mcp', () => openProduct(), { ...outOfScope, ...fixtures }],
    ['toolrun mcp --stateless', () => openProduct('--stateless'), { ...outOfScope, ...fixtures, ...sessions }],
    ['with the suite\'s tools', () => fixtureURL(), outOfScope],
    ['with the suite\'s tools, without sessions', () => fixtureURL('--stateless'), { ...outOfScope, ...sessions }],
  ]) {
    await step(`conformance: ${what}, ${all.length - Object.keys(expected).length} of ${all.length} scenarios`, async () => {
      const file = join(dir, 'expected.json') // YAML has JSON in it
      writeFileSync(file, JSON.stringify({ server: Object.keys(expected) }))
      const { status, output } = await suite('server', '--url', await serve(), '--suite', 'all', '--expected-failures', file)
      const ran = output.match(/^[✓✗] /gm)?.length
      assert.equal(status, 0, output)
      assert.equal(ran, all.length, output)
    })
  }
}
