// A group that matches the empty text must be entered a billion times, as the standard wants it.
// ends: time limit or memory limit or exception
return /(?:(?=(a)?)){1000000000}z/.test('aaaa');
