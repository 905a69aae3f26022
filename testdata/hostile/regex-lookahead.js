// A lookahead fails slowly at each place.
// ends: time limit
return /(?=(.*)*c)ab/s.test('ab'.repeat(30000));
