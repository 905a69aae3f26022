// A ReadableStream is pulled for ever, and gives nothing.
// ends: time limit
const stream = new ReadableStream({ async pull(controller) { await 0; controller.enqueue(undefined); } },
  { highWaterMark: 100 });
for await (const chunk of stream) if (chunk !== undefined) break;
