// Parses an address whose characters are nine times as long when they are escaped.
// ends: memory limit or exception or returns true
// grows: 128 MiB
return new URL('http://a/' + '\u{800}'.repeat(3e6)).href.length > 1e6;
