// Scenarios of the conformance suite that are expected to fail, each with the reason.

/** outOfScope fail everywhere. */
export const outOfScope = {
  'tools-call-sampling':
    'a tool here cannot ask the model of the client: what runs is the tool\'s own code, or a sandboxed script',
  'tools-call-elicitation': 'a tool here cannot ask the user of the client: a call has all that it needs in its input',
  'elicitation-sep1034-defaults': 'as above',
  'elicitation-sep1330-enums': 'as above',
  'server-sse-polling':
    'streams cannot be resumed, so that nothing of a call is kept for clients that do not come back',
  'resources-read-text':
    'it reads test://static-text: resources here are the files of a project, as toolrun://PROJECT/PATH',
  'resources-read-binary': 'it reads test://static-binary',
  'resources-templates-read': 'it reads test://template/123/data',
  'resources-subscribe': 'it subscribes to test://watched-resource, which is no file of the project',
  'resources-unsubscribe': 'as above',
  'prompts-get-simple': 'it gets test_simple_prompt: prompts here are what the tools add to the system prompt',
  'prompts-get-with-args': 'it gets test_prompt_with_arguments',
  'prompts-get-embedded-resource': 'it gets test_prompt_with_embedded_resource',
  'prompts-get-with-image': 'it gets test_prompt_with_image',
}

/** client says why a scenario for clients is expected to fail, or nothing if it is not. */
// in which it must not go on
export const client = name => name.startsWith('auth/') && name !== 'auth/resource-mismatch'
  ? 'there is no OAuth: a configuration has the headers with the tokens'
  : { 'elicitation-sep1034-client-defaults': 'servers cannot ask the user' }[name]

/** fixtures fail where the suite's own tools are not there, as in the product. */
export const fixtures = Object.fromEntries([
  'tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-with-logging', 'tools-call-error', 'tools-call-with-progress', 'json-schema-2020-12',
].map(name => [name, 'it calls a tool of the suite']))

/** sessions fail where there are none. */
export const sessions = {
  'server-sse-multiple-streams': 'it warns that there is no session',
  'tools-call-with-logging': 'a client without a session cannot set a level, and gets no records',
}
