const iconv = require('iconv-lite');
return JSON.stringify([
  iconv.encode('Grüße €', 'win1252').toString('hex'), iconv.decode(Buffer.from('93fa967b8cea', 'hex'), 'Shift_JIS'),
  iconv.encode('中文', 'gb18030').toString('hex'),
  iconv.decode(Buffer.from([0xc7, 0xd1]), 'euc-kr'), iconv.encodingExists('latin2'), iconv.encode('a\u{1F600}',
    'utf-16').toString('hex'),
  iconv.decode(Buffer.from('+AGEA5A-', 'latin1'), 'utf-7'), iconv.getDecoder('big5').write(Buffer.from([0xa4, 0xa4])),
]);
