// Each unit of a long text is looked at for a missing half.
// ends: time limit
const text = '\ud83d\ude00'.repeat(2e6) + '\ud83d';
for (;;) text.isWellFormed() || text.toWellFormed();
