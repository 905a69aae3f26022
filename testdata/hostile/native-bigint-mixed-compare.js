// A long number is compared with numbers and texts, which have to be converted each time.
// ends: time limit
const long = 10n ** 30000n;
const text = '1' + '0'.repeat(30000);
for (;;) long == text && long < Infinity && long > 1e308;
