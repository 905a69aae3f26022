const Joi = require('joi');
const schema = Joi.object({
  user: Joi.string().alphanum().min(3).required(), born: Joi.number().integer().min(1900), mail: Joi.string().email(),
  list: Joi.array().items(Joi.number()).unique(), password: Joi.string().pattern(/^[a-z0-9]{3,30}$/),
  repeat: Joi.ref('password'),
}).with('password', 'repeat');
const { error } = schema.validate({ user: 'a!', born: 1800, mail: 'x', list: [1, 1], password: 'abc' },
  { abortEarly: false });
return JSON.stringify([error.details.map((d) => d.message), schema.validate({ user: 'ann', born: '1990' }).value]);
