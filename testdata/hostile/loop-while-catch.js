// Every turn of the loop throws and swallows an error, as if the stop could be swallowed too.
// ends: time limit
while (true) {
  try {
    throw new Error('again');
  } catch {}
}
