// There is only one way to go on at each character, but the search goes to the end of the text from each place.
// ends: time limit
return /(?:(a)|b|c)*d/.test('a'.repeat(5e6));
