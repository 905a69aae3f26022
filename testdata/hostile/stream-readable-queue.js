// What a ReadableStream enqueues is never read.
// ends: memory limit or time limit
new ReadableStream({ start(controller) { for (;;) controller.enqueue(new Uint8Array(1000)); } });
