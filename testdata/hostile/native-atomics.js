// Atomics.wait without a time would put the thread to sleep for ever, where no code can run that looks at the time.
// ends: exception Error
Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0);
