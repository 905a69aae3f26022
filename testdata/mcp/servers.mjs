// Servers that are started for the checks, and how clients reach them.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const [toolrun, fixture, clientCommand] = process.argv.slice(2)
if (!clientCommand) throw new Error('usage: node run.mjs TOOLRUN FIXTURE CLIENT')

export const dir = mkdtempSync(join(tmpdir(), 'toolrun-mcp-'))
const data = join(dir, 'data')
const running = new Set()
process.on('exit', () => {
  for (const server of running) server.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

/** cli runs the command to its end, and returns what it has printed. */
export const cli = (...args) => execFileSync(toolrun, [...args, '--data', data], { encoding: 'utf8', timeout: 60_000 })

/** exists reports whether a project has a file. */
export const exists = (project, path) => cli('files', '--project', project, 'ls').split('\n').includes(path.slice(1))

/** serve starts a server on a free port, and returns its URL when it listens. */
async function serve(command, ...args) {
  const server = spawn(command, [...args, '--http', 'localhost:0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  running.add(server)
  const ended = once(server, 'exit').then(([status]) => {
    throw new Error(`${command} ${args.join(' ')} has ended with ${status}:\n${log.join('\n')}`)
  })
  ended.catch(() => {}) // it is of interest only until the server listens
  const log = []
  const listens = new Promise(resolve => createInterface(server.stderr).on('line', line => {
    log.push(line)
    const url = /url=(\S+)/.exec(line)
    if (url) resolve(url[1])
  }))
  return Promise.race([listens, ended])
}

export const withoutSessions = 'HTTP without sessions'

/** limit is how long a call takes at most of the servers that are limited. */
const limit = '1s'

/**
 * product returns how to reach toolrun mcp for a project, by a name: a command, or a URL with a token. The second one
 * is limited.
 * Other flags are those of the command.
 */
export async function product(transport, project, ...flags) {
  if (transport === 'stdio') {
    const command = (...more) => ({ command: toolrun, args: ['mcp', '--project', project, '--data', data, ...flags,
      ...more] })
    return [command(), command('--timeout', limit)]
  }
  const entries = []
  const tokens = [{}, { limits: { timeout: limit } }].map(more => {
    const [, token, entry] = /^token: (\S+)\n([^]*)$/.exec(cli('mcp', 'token', '--name', `client ${entries.length + 1}`,
      '--project', project))
    entries.push({ ...JSON.parse(entry), ...more })
    return token
  })
  const file = join(dir, `${project}.json`)
  writeFileSync(file, JSON.stringify({ tokens: entries }))
  const url = await serve(toolrun, 'mcp', '--tokens', file, '--data', data, ...flags,
    ...(transport === withoutSessions ? ['--stateless'] : []))
  return tokens.map(token => ({ url, token }))
}

/** openProduct returns the URL of toolrun mcp without tokens. */
export const openProduct = (...args) => serve(toolrun, 'mcp', '--data', data, '--project', 'open', ...args)

/** fixtures returns how to reach the server with the suite's tools. */
export const fixtures = async transport => (transport === 'stdio' ? { command: fixture, args: [] } : {
  url: await fixtureURL() })

/** fixtureURL returns the URL of the server with the suite's tools. */
export const fixtureURL = (...args) => serve(fixture, ...args)
