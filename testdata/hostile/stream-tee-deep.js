// The branches of a stream are branched again, and only one of them is read.
// ends: memory limit or time limit
let stream = new ReadableStream({ pull(controller) { controller.enqueue('x'.repeat(100)); } });
const kept = [];
for (let i = 0; i < 100; i++) {
  const [one, other] = stream.tee();
  kept.push(other);
  stream = one;
}
for await (const chunk of stream) if (chunk === '') break;
