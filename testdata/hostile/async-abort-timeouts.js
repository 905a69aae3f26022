// Signals that abort far in the future are made without end.
// ends: time limit or memory limit
for (;;) AbortSignal.timeout(1e6);
