// One character that becomes eighteen is repeated, so that its normal form is eighteen times as long.
// ends: memory limit
return '\ufdfa'.repeat(3e6).normalize('NFKD').length;
