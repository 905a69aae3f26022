const { default: Anthropic } = require('@anthropic-ai/sdk');
const client = new Anthropic({ apiKey: 'k', baseURL: base, maxRetries: 0 });
const ask = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
const out = [(await client.messages.create(ask)).content[0].text];
const stream = client.messages.stream(ask);
let text = '';
stream.on('text', (part) => { text += part; });
out.push((await stream.finalMessage()).content[0].text, text);
out.push(await client.messages.create({ ...ask, model: 'missing' }).catch((e) => [e.constructor.name, e.status,
  e.message]));
return JSON.stringify(out);
