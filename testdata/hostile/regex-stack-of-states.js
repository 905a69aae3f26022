// Each step of the search leaves a state to come back to, so that the list of states needs more memory than there is.
// ends: memory limit or time limit or exception
return /(?:(a)|b|c)*d/.test('a'.repeat(5e6));
