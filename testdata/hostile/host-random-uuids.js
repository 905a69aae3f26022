// Identifiers are made without an end.
// ends: time limit
for (;;) crypto.randomUUID();
