// Normal forms of a long text are made again and again.
// ends: time limit
for (;;) 'é'.repeat(1e5).normalize('NFD');
