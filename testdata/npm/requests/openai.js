const { default: OpenAI } = require('openai');
const client = new OpenAI({ apiKey: 'k', baseURL: `${base}/v1`, maxRetries: 0 });
const messages = [{ role: 'user', content: 'hi' }];
const out = [(await client.chat.completions.create({ model: 'm', messages })).choices[0].message.content];
let text = '';
for await (const part of await client.chat.completions.create({ model: 'm', messages,
  stream: true })) text += part.choices[0].delta.content;
out.push(text);
out.push(await client.chat.completions.create({ model: 'missing', messages }).catch((e) => [e.constructor.name,
  e.status, e.message]));
out.push(await client.models.retrieve('never', { timeout: 50 }).catch((e) => [e.constructor.name, e.message]));
return JSON.stringify(out);
