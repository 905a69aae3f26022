const CryptoJS = require('crypto-js');
const key = CryptoJS.enc.Hex.parse('000102030405060708090a0b0c0d0e0f');
const sealed = CryptoJS.AES.encrypt('secret message', key, { iv: key });
const own = CryptoJS.AES.encrypt('x', 'pass').toString();
return JSON.stringify([
  CryptoJS.MD5('a').toString(), CryptoJS.SHA256('a').toString(CryptoJS.enc.Base64),
  CryptoJS.HmacSHA1('m', 'k').toString(), sealed.toString(),
  CryptoJS.AES.decrypt(sealed, key, { iv: key }).toString(CryptoJS.enc.Utf8), CryptoJS.AES.decrypt(own,
    'pass').toString(CryptoJS.enc.Utf8),
  CryptoJS.PBKDF2('p', 's', { keySize: 4, iterations: 50 }).toString(), CryptoJS.TripleDES.encrypt('a', key,
    { mode: CryptoJS.mode.ECB }).toString(),
]);
