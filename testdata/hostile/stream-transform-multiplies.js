// Each chunk becomes two in each of many TransformStreams.
// ends: time limit or memory limit
const double = () => new TransformStream({ transform(chunk, controller) {
  controller.enqueue(chunk);
  controller.enqueue(chunk);
} });
let stream = new ReadableStream({ start(controller) { controller.enqueue('x'); controller.close(); } });
for (let i = 0; i < 60; i++) stream = stream.pipeThrough(double());
for await (const chunk of stream) if (chunk === '') break;
