// Calls that need the approval of a person: the user of a client that can ask, or else an operator.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isError } from './inspector.mjs'
import { cli, dir, exists, product, withoutSessions } from './servers.mjs'
import { text } from './task.mjs'

/** server returns how to reach a server that asks. */
export async function server(transport, project) {
  cli('project', 'set', '--project', project, '--option', 'javascript.toolCalls=true')
  const [at] = await product(transport, project, '--ask', 'filesystem')
  return at
}

const mcpdo = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js'))

const create = path => ({ command: 'create', path, file_text: 'approved' })
const approve = { action: 'accept', content: { decision: 'approve' } }
const refuse = { action: 'accept', content: { decision: 'refuse', reason: 'not on a Monday' } }

/** approved has the user of a client approve and refuse calls. A client connects with a function that answers for its user. */
export async function approved(connect, project) {
  const asked = []
  let answer
  const client = await connect(params => {
    assert.deepEqual(params.requestedSchema.required, ['decision'])
    asked.push(params.message)
    return answer
  })
  const call = async (user, name, args) => {
    answer = user
    asked.length = 0
    return client.call(name, args)
  }

  let result = await call(approve, 'filesystem', create('/approved.txt'))
  assert.ok(!result.isError, text(result))
  assert.equal(asked.length, 1)
  assert.match(asked[0], /call of the tool filesystem needs your approval.*\n> .*"\/approved\.txt"/)
  assert.ok(exists(project, '/approved.txt'))

  result = await call(refuse, 'filesystem', create('/refused.txt'))
  assert.equal(result.isError, true)
  assert.match(text(result), /A person has refused the call of filesystem: not on a Monday/)
  result = await call({ action: 'decline' }, 'filesystem', create('/declined.txt'))
  assert.match(text(result), /A person has refused the call of filesystem/)
  assert.ok(!exists(project, '/refused.txt') && !exists(project, '/declined.txt'))

  // Code is asked about call by call, and waits.
  const code = `const done = []
    for (const path of ['/one.txt', '/two.txt']) done.push(await tools.filesystem({command: 'create', path, file_text: path}))
    return done.length`
  result = await call(approve, 'javascript', { code })
  assert.ok(!result.isError, text(result))
  assert.equal(result.structuredContent.value, 2)
  assert.equal(asked.length, 2)
  assert.match(asked[1], /"\/two\.txt"[^]*It is called by javascript:\n> const done/)
  assert.ok(exists(project, '/one.txt') && exists(project, '/two.txt'))

  // Who puts off the question leaves it to an operator.
  await later(args => call({ action: 'cancel' }, 'filesystem', args), project, '/later.txt')
  await client.close()
}

/** pending has an operator decide for a client that cannot ask, or that no question reaches. */
export async function pending(connect, project, reached) {
  const client = await connect(reached ? undefined : () => assert.fail('no question can come'))
  await later(args => client.call('filesystem', args), project, '/operated.txt')

  const code = `const before = Math.random()
    await tools.filesystem({command: 'create', path: '/by-code.txt', file_text: String(before)})
    return await fs.readFile('/by-code.txt', 'utf8') === String(before)`
  const first = await client.call('javascript', { code })
  decide('approve', tokenOf(first))
  const then = await client.call('javascript', { code })
  assert.ok(!then.isError, text(then))
  assert.equal(then.structuredContent.value, true)

  const refused = await client.call('filesystem', create('/never.txt'))
  decide('refuse', tokenOf(refused), '--reason', 'ask Ada first')
  const told = await client.call('filesystem', create('/never.txt'))
  assert.equal(told.isError, true)
  assert.match(text(told), /A person has refused the call of filesystem: ask Ada first/)
  assert.ok(!exists(project, '/never.txt'))
  await client.close()
}

/** later makes a call that waits until an operator has approved it, and makes it again, as its result says. */
async function later(call, project, path) {
  const result = await call(create(path))
  const token = tokenOf(result)
  assert.match(text(result), /make exactly the same call again/)
  assert.equal(tokenOf(await call(create(path))), token)
  assert.ok(!exists(project, path))
  decide('approve', token)
  const then = await call(create(path))
  assert.ok(!then.isError, text(then))
  assert.ok(exists(project, path))
}

/** inspector has the user of MCP Inspector decide, by its command mcpdo, whose --cli cannot ask. */
export async function inspector(step, transport, at, project) {
  const storage = mkdtempSync(join(tmpdir(), 'mcpdo-')) // short enough for the name of a socket
  const env = {
    ...process.env, HOME: dir, MCP_STORAGE_DIR: dir, MCP_INSPECTOR_DAEMON_DIR: storage,
    MCP_INSPECTOR_DAEMON_TOKEN: randomBytes(32).toString('hex'),
  }
  const run = (...args) => {
    const ran = spawnSync(process.execPath, [mcpdo, '--format', 'json', ...args],
      { encoding: 'utf8', timeout: 60_000, env })
    const said = `mcpdo ${args.join(' ')} ended with ${ran.status}:\n${ran.stdout}${ran.stderr}`
    assert.ok([0, isError].includes(ran.status), said)
    try {
      return JSON.parse(ran.stdout)
    } catch {
      assert.fail(said)
    }
  }
  const target = at.command ? ['--', at.command, ...at.args]
    : ['--server-url', at.url, '--transport', 'http', '--header', `Authorization: Bearer ${at.token}`]
  try {
    for (const era of ['legacy', 'modern']) {
      if (era === 'legacy' && transport === withoutSessions) continue // no question reaches it
      await step(`Inspector over ${transport}: its user approves, ${era}`, () => {
        const tool = (name, args) => run('--connection', era, 'tools/call', name, JSON.stringify(args))
        const answer = (asked, ...args) => {
          const { elicitationId } = asked.elicitationPending ?? assert.fail(JSON.stringify(asked))
          return run('--connection', era, 'elicitation/respond', elicitationId, ...args)
        }
        run('--connection', era, 'connect', '--era', era, ...target)
        const path = `/inspector-${era}.txt`
        const asked = tool('filesystem', create(path))
        assert.match(JSON.stringify(asked), /call of the tool filesystem needs your approval/)
        assert.ok(!exists(project, path))
        let result = answer(asked, JSON.stringify(approve.content))
        assert.ok(!result.isError, JSON.stringify(result))
        assert.ok(exists(project, path))

        result = answer(tool('filesystem', create(`/no-${era}.txt`)), JSON.stringify(refuse.content))
        assert.match(JSON.stringify(result), /A person has refused the call of filesystem: not on a Monday/)
        assert.ok(!exists(project, `/no-${era}.txt`))
      })
    }
    await step(`Inspector over ${transport}: an operator approves`, async () => {
      run('--connection', 'off', 'connect', '--elicit', 'off', ...target)
      await later(args => run('--connection', 'off', 'tools/call', 'filesystem', JSON.stringify(args)), project,
        '/inspector-later.txt')
    })
  } finally {
    spawnSync(process.execPath, [mcpdo, 'daemon', 'stop'], { timeout: 60_000, env })
    rmSync(storage, { recursive: true, force: true })
  }
}

/** decide leaves what is to be done to whoever has made the call. */
const decide = (decision, token, ...more) => cli('approvals', decision, token, '--decide-only', ...more)

function tokenOf(result) {
  assert.equal(result.isError, true, text(result))
  const token = /\brun-[a-z0-9]+/.exec(text(result))?.[0]
  assert.ok(token, text(result))
  assert.match(cli('approvals', 'list'), new RegExp(`^${token} .*waits for filesystem`, 'm'))
  return token
}
