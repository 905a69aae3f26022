const jwt = require('jsonwebtoken');
const token = jwt.sign({ sub: '7', admin: true, iat: 1700000000 }, 'secret', { algorithm: 'HS256' });
const failed = (f) => { try { return f(); } catch (error) { return [error.name, error.message]; } };
return JSON.stringify([
  token, jwt.verify(token, 'secret'), jwt.decode(token, { complete: true }).header,
  failed(() => jwt.verify(token, 'wrong')),
  failed(() => jwt.verify(jwt.sign({ exp: 1 }, 'k'), 'k')),
  jwt.verify(jwt.sign({ a: 1 }, 'k', { expiresIn: '1h', algorithm: 'HS512' }), 'k').a,
]);
