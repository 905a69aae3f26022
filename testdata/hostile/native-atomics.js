// Atomics.wait would put the thread to sleep for ever, where no code can run that looks at the time, so it is not there.
// ends: returns undefined
return typeof Atomics;
