// Runs all checks. The arguments are the command toolrun, the server with the suite's tools, and the client for it.
import assert from 'node:assert/strict'
import * as approvals from './approvals.mjs'
import { clients } from './clients.mjs'
import { conformance } from './conformance.mjs'
import { inspector } from './inspector.mjs'
import { fixtures, product, withoutSessions } from './servers.mjs'
import { cancellation, changes, failures, others, work } from './task.mjs'

async function step(name, check) {
  try {
    await check()
    console.log(`ok    ${name}`)
  } catch (error) {
    console.log(`FAIL  ${name}\n${error.stack}`)
    process.exitCode = 1
  }
}

let projects = 0
for (const transport of ['stdio', 'HTTP', withoutSessions]) {
  const suite = await fixtures(transport)
  for (const [name, connect] of Object.entries(clients)) {
    const project = `check-${++projects}`
    const [at, atLimited] = await product(transport, project)
    const label = what => `${name} over ${transport}: ${what}`
    let client, limited
    await step(label('connects'), async () => {
      client = await connect(at)
      limited = await connect(atLimited)
    })
    if (!client || !limited) continue
    await step(label('work'), () => work(client, project))
    await step(label('failures'), () => failures(client, limited))
    if (transport !== withoutSessions) {
      await step(label('cancellation'), () => cancellation(client, limited))
      await step(label('changes'), () => changes(client, project))
      await step(label('other content'), async () => {
        const other = await connect(suite)
        await others(other)
        await other.close()
      })
    }
    await client.close()
    await limited.close()
    const asking = `asking-${projects}`
    const atAsking = await approvals.server(transport, asking)
    const reached = transport !== withoutSessions || name.includes('newest protocol') // in which results ask
    if (reached) await step(label('its user approves'), () => approvals.approved(answer => connect(atAsking, answer),
      asking))
    await step(label('an operator approves'), () => approvals.pending(answer => connect(atAsking, answer), asking,
      reached))
    if (at.url) {
      await step(label('needs its token'), () => assert.rejects(connect({ url: at.url }), /401|unauthorized|bearer/i))
    }
  }
  const project = `check-${++projects}`
  const [at] = await product(transport, project)
  await inspector(step, transport, at, project)
  const asking = `asking-${projects}`
  await approvals.inspector(step, transport, await approvals.server(transport, asking), asking)
}
await conformance(step)
process.exit()
