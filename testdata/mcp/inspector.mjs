// MCP Inspector, by its command line.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dir } from './servers.mjs'

const script = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'))
export const isError = 5 // its exit status for a result that says that the tool has failed

/** inspector does what can be done by one command each time. */
export async function inspector(step, transport, at, project) {
  const direct = at.command
    ? ['--', at.command, ...at.args]
    : ['--server-url', at.url, '--transport', 'http', '--header', `Authorization: Bearer ${at.token}`]
  const run = (status, ...args) => runAt(direct, status, ...args)
  const runAt = (target, status, ...args) => {
    const ran = spawnSync(process.execPath, [script, '--cli', '--format', 'json', '--quiet', ...args, ...target], {
      encoding: 'utf8', timeout: 60_000, env: { ...process.env, HOME: dir, MCP_STORAGE_DIR: dir },
    })
    assert.equal(ran.status, status,
      `${args.join(' ')} ended with ${ran.status} and not ${status}:\n${ran.stdout}${ran.stderr}`)
    return ran.stdout && JSON.parse(ran.stdout).result
  }
  const call = (status, name, args) => run(status, '--method', 'tools/call', '--tool-name', name, '--tool-args-json',
    JSON.stringify(args))
  const check = (what, then) => step(`Inspector over ${transport}: ${what}`, then)
  const uri = `toolrun://${project}/notes.md`

  await check('tools are portable', () => {
    assert.deepEqual(run(0, '--method', 'tools/list', '--strict').tools.map(tool => tool.name).sort(),
      ['filesystem', 'javascript', 'memory'])
  })
  await check('calls', () => {
    call(0, 'filesystem', { command: 'create', path: '/notes.md', file_text: '# Notes\n' })
    assert.equal(call(0, 'javascript',
      { code: `return (await fs.readFile('/notes.md', 'utf8')).length` }).structuredContent.value, 8)
  })
  await check('a call that fails', () => {
    const result = call(isError, 'javascript', { code: 'return nothing' })
    assert.match(result.content[0].text, /ReferenceError/)
  })
  await check('resources', () => {
    assert.deepEqual(run(0, '--method', 'resources/list').resources.map(resource => resource.uri), [uri])
    assert.equal(run(0, '--method', 'resources/read', '--uri', uri).contents[0].text, '# Notes\n')
    assert.equal(run(0, '--method', 'resources/templates/list').resourceTemplates.length, 1)
  })
  await check('prompts', () => {
    const [prompt] = run(0, '--method', 'prompts/list').prompts
    assert.match(run(0, '--method', 'prompts/get', '--prompt-name', prompt.name).messages[0].content.text, /memor/i)
  })
  await check('a file of servers, as most clients have', () => {
    const toolrun = at.command ? at : { type: 'http', url: at.url, headers: { Authorization: `Bearer ${at.token}` } }
    const file = join(dir, 'servers.json')
    writeFileSync(file, JSON.stringify({ mcpServers: { toolrun } }))
    assert.equal(runAt(['--config', file, '--server', 'toolrun'], 0, '--method', 'tools/list').tools.length, 3)
  })
  await check('the newest protocol', () => {
    assert.equal(run(0, '--method', 'tools/list', '--protocol-era', 'modern').tools.length, 3)
  })
}
