// The clients, each as an object with the same methods. What a client does not have, its object does not have either.
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp'
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'
import * as v2 from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HTTPV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema,
    ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'

const info = { name: 'check', version: '1.0.0' }
/** capabilities are those of a client that asks its user, if there is a function that answers for the user. */
const capabilities = answer => (answer ? { elicitation: {} } : {})
const headers = at => (at.token ? { Authorization: `Bearer ${at.token}` } : {})

/** transport makes a transport of the official clients. */
const transport = (at, Stdio, HTTP) => at.command
  ? new Stdio({ command: at.command, args: at.args, stderr: 'ignore' })
  : new HTTP(new URL(at.url), { requestInit: { headers: headers(at) } })

/** official has what both versions of the official client have. */
function official(client, on) {
  const heard = { updated: [], toolsChanged: 0, logged: [] }
  on('updated', params => heard.updated.push(params.uri))
  on('toolsChanged', () => heard.toolsChanged++)
  on('logged', params => heard.logged.push(params))
  return {
    heard,
    instructions: () => client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    listResources: async () => (await client.listResources()).resources,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async uri => (await client.readResource({ uri })).contents[0],
    complete: async (uri, value) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'path',
        value } })).completion.values,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async name => (await client.getPrompt({ name })).messages[0].content.text,
    subscribe: uri => client.subscribeResource({ uri }),
    unsubscribe: uri => client.unsubscribeResource({ uri }),
    setLevel: level => client.setLoggingLevel(level),
    ping: () => client.ping(),
    close: () => client.close(),
  }
}

async function sdk1(at, answer) {
  const client = new ClientV1(info, { capabilities: capabilities(answer) })
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params))
  const schemas = {
    updated: ResourceUpdatedNotificationSchema, toolsChanged: ToolListChangedNotificationSchema,
    logged: LoggingMessageNotificationSchema,
  }
  const own = official(client, (what, then) => client.setNotificationHandler(schemas[what],
    ({ params }) => then(params)))
  await client.connect(transport(at, StdioV1, HTTPV1))
  return { ...own, call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options) }
}

const sdk2 = mode => async (at, answer) => {
  const client = new v2.Client(info, { versionNegotiation: { mode }, capabilities: capabilities(answer) })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params))
  const names = { updated: 'notifications/resources/updated', toolsChanged: 'notifications/tools/list_changed',
    logged: 'notifications/message' }
  const own = official(client, (what, then) => client.setNotificationHandler(names[what], ({ params }) => then(params)))
  await client.connect(transport(at, StdioV2, v2.StreamableHTTPClientTransport))
  const more = { call: (name, args, options) => client.callTool({ name, arguments: args }, options) }
  if (mode.pin) {
    const version = client.getNegotiatedProtocolVersion()
    if (version !== mode.pin) throw new Error(`the version is ${version} and not ${mode.pin}`)
    let listening
    more.subscribe = async uri => {
      listening = await client.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
    }
    more.unsubscribe = () => listening.close()
    delete own.setLevel // the version has a level in each request instead
    delete own.ping
    more.logged = (name, args) => client.callTool({ name, arguments: args, _meta: { [v2.LOG_LEVEL_META_KEY]: 'info' } })
  }
  return { ...own, ...more }
}

const aiSDK = newest => async (at, answer) => {
  const client = await createMCPClient({
    protocolVersionDiscovery: newest,
    capabilities: capabilities(answer),
    transport: at.command ? new StdioMCPTransport({ ...at, stderr: 'ignore' }) : { type: 'http', url: at.url,
      headers: headers(at) },
  })
  if (answer) client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => answer(params))
  const tools = await client.tools()
  return {
    instructions: () => client.instructions,
    listTools: async () => (await client.listTools()).tools,
    // What a model calls goes through the tools that the client makes, which can be canceled where that ends the
    // request.
    call: (name, args, options) => tools[name]
      ? tools[name].execute(args, { toolCallId: 'call', messages: [], abortSignal: options?.signal })
      : client.callTool({ name, arguments: args }),
    cancels: newest && at.url !== undefined,
    listResources: async () => (await client.listResources()).resources,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: async uri => (await client.readResource({ uri })).contents[0],
    complete: async (uri, value) =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name: 'path',
        value } })).completion.values,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: async name => (await client.getPrompt({ name })).messages[0].content.text,
    close: () => client.close(),
  }
}

/** clients are functions that connect, by the client's name. With an answer, the client can ask its user, for whom that answers. */
export const clients = {
  'official 1': sdk1,
  'official 2': sdk2('legacy'),
  'official 2, newest protocol': sdk2({ pin: '2026-07-28' }),
  'AI SDK': aiSDK(false),
  'AI SDK, newest protocol': aiSDK(true),
}
