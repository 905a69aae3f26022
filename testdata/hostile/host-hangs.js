// A thousand calls do not return before the run ends.
// ends: time limit
await Promise.all(Array.from({ length: 1000 }, () => hangs()));
