// Each step of the search leaves a state to come back to, so that the list of states needs more memory than there is.
// ends: exception InternalError
return /(?:(a)|\w|c)*d/.test('a'.repeat(5e6));
