// Loops without doing anything.
// ends: time limit
for (;;) {}
