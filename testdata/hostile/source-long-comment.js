// Twenty million characters of comment are skipped.
// ends: time limit or memory limit
const text = '/*' + '*'.repeat(2e7) + '*/';
for (;;) (0, eval)(text);
