// What each client does with a server: first the product's tools, on one project, and then those of the conformance
// suite.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { cli } from './servers.mjs'

export const text = result => result.content.map(part => part.text ?? '').join('\n')

/** eventually waits until something is true that another process does. */
export async function eventually(what, check) {
  for (let i = 0; i < 300; i++) {
    if (await check()) return
    await sleep(50)
  }
  assert.fail(`within 15 s it was expected that ${what}`)
}

/** work does a piece of work with files, scripts and resources. */
export async function work(client, project) {
  const uri = path => `toolrun://${project}${path}`
  const tools = new Map((await client.listTools()).map(tool => [tool.name, tool]))
  assert.deepEqual([...tools.keys()].sort(), ['filesystem', 'javascript', 'memory'])
  assert.equal(tools.get('javascript').title, 'JavaScript Execution')
  assert.equal(tools.get('javascript').annotations.openWorldHint, false)
  assert.match(client.instructions() ?? '', /memor/i)

  let result = await client.call('filesystem', { command: 'create', path: '/sales/prices.csv',
    file_text: 'a,1\nb,2.5\nc,9007199254740993\n' })
  assert.ok(!result.isError, text(result))
  result = await client.call('javascript', {
    code: `const lines = (await fs.readFile('/sales/prices.csv', 'utf8')).trim().split('\\n')
      await fs.writeFile('/sales/count.json', JSON.stringify({lines: lines.length}))
      await fs.writeFile('/sales/bytes.bin', new Uint8Array([0, 255]))
      console.log('counted'); return {lines: lines.length}`,
  })
  assert.ok(!result.isError, text(result))
  assert.match(text(result), /counted/)
  assert.deepEqual(result.structuredContent.value, { lines: 3 })
  result = await client.call('filesystem', { command: 'view', path: '/sales/count.json' })
  assert.match(text(result), /\{"lines":3\}/)

  const listed = (await client.listResources()).map(resource => resource.uri)
  assert.deepEqual(listed, ['/sales/bytes.bin', '/sales/count.json', '/sales/prices.csv'].map(uri))
  assert.equal((await client.readResource(uri('/sales/prices.csv'))).text, 'a,1\nb,2.5\nc,9007199254740993\n')
  assert.equal((await client.readResource(uri('/sales/bytes.bin'))).blob, 'AP8=')
  await assert.rejects(client.readResource(uri('/nothing')), /not found/)
  const [template] = await client.listTemplates()
  assert.equal(template.uriTemplate, uri('/{+path}'))
  assert.deepEqual(await client.complete(template.uriTemplate, 'sales/c'), ['sales/count.json'])

  const prompts = (await client.listPrompts()).map(prompt => prompt.name)
  assert.ok(prompts.includes('system-prompt-memory'), `prompts are ${prompts}`)
  assert.match(await client.getPrompt('system-prompt-memory'), /memor/i)

  // A long result is kept in a file, which it links to.
  result = await client.call('javascript', { code: `return 'x'.repeat(100_000) + 'end'` })
  const link = result.content.find(part => part.type === 'resource_link')
  assert.ok(link, `there is no link in ${JSON.stringify(result.content.map(part => part.type))}`)
  assert.match((await client.readResource(link.uri)).text, /xend/)
}

/** failures has results of which a model should learn, and errors. */
export async function failures(client, limited) {
  let result = await client.call('javascript', { code: `throw new TypeError('no such luck')` })
  assert.equal(result.isError, true)
  assert.match(text(result), /TypeError: no such luck/)
  result = await client.call('filesystem', { command: 'view', path: '/nothing' })
  assert.equal(result.isError, true)
  result = await client.call('filesystem', { command: 'explode' })
  assert.equal(result.isError, true)
  await assert.rejects(client.call('no_such_tool', {}), /unknown tool/i)

  result = await limited.call('javascript', { code: 'for (;;);' })
  assert.equal(result.isError, true)
  assert.match(text(result), /1 second|1s|time/i)
}

/**
 * cancellation starts a script, cancels its call, and sees that it has stopped long before its time is up. Calls of one
 * session wait for
 * each other, so another client looks.
 */
export async function cancellation(client, other) {
  if (client.cancels === false) return
  const beat = async () => {
    const result = await other.call('javascript',
      { code: `return fs.existsSync('/beat') ? Number(fs.readFileSync('/beat', 'utf8')) : 0` })
    return result.structuredContent.value
  }
  const cancel = new AbortController()
  const call = client.call('javascript', {
    code: `for (let n = 1; ; n++) { fs.writeFileSync('/beat', String(n)); await new Promise(done => setTimeout(done, 20)) }`,
  }, { signal: cancel.signal })
  const canceled = assert.rejects(call)
  await eventually('the script begins', async () => await beat() > 2)
  cancel.abort()
  await canceled
  let last = -1
  await eventually('the script stops', async () => {
    const now = await beat()
    const same = now === last
    last = now
    await sleep(200)
    return same
  })
  assert.ok(last < 1000, `the script went on for ${last} beats, and so until its time was up`)
  await client.call('filesystem', { command: 'delete', path: '/beat' })
}

/** changes are those of which a client is told. */
export async function changes(client, project) {
  if (!client.heard) return
  const uri = `toolrun://${project}/sales/count.json`
  await client.subscribe(uri)
  await client.call('filesystem', { command: 'create', path: '/sales/count.json', file_text: '{}', overwrite: true })
  await eventually(`there is an update of ${uri}`, () => client.heard.updated.includes(uri))

  cli('project', 'set', '--project', project, '--disable', 'memory')
  // The server looks at the project's settings with each request.
  await eventually('the tools are said to have changed', async () => (await client.listResources()) &&
    client.heard.toolsChanged > 0)
  assert.deepEqual((await client.listTools()).map(tool => tool.name).sort(), ['filesystem', 'javascript'])
  cli('project', 'set', '--project', project, '--enable', 'memory')
  await client.unsubscribe(uri)
}

/** others are what the tools of the product do not have: progress, logs, schemas of output, and other content than text. */
export async function others(client) {
  const types = async name => (await client.call(name, {})).content.map(part => part.type)
  assert.deepEqual(await types('test_image_content'), ['image'])
  assert.deepEqual(await types('test_audio_content'), ['audio'])
  assert.deepEqual(await types('test_multiple_content_types'), ['text', 'image', 'resource'])
  const [embedded] = (await client.call('test_embedded_resource', {})).content
  assert.equal(embedded.resource.text, 'This is an embedded resource content.')

  await client.listTools() // so that the client knows the schema of the output
  const result = await client.call('divide', { dividend: 1, divisor: 4 })
  assert.deepEqual(result.structuredContent, { quotient: 0.25 })
  const failed = await client.call('divide', { dividend: 1, divisor: 0 })
  assert.equal(failed.isError, true)
  assert.equal(text(failed), 'Nothing can be divided by 0.')

  if (!client.heard) return
  const progress = []
  await client.call('test_tool_with_progress', {}, { onprogress: p => progress.push([p.progress, p.total]) })
  assert.deepEqual(progress, [[0, 100], [50, 100], [100, 100]])
  if (client.setLevel) {
    await client.setLevel('info')
    await client.ping()
  }
  await (client.logged ?? client.call)('test_tool_with_logging', {})
  const expected = ['Tool execution started', 'Tool processing data', 'Tool execution completed', 'call ended']
  await eventually('four records come', () => client.heard.logged.length >= 4)
  assert.deepEqual(client.heard.logged.map(record => record.data.msg), expected)
}
