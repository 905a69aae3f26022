// util.parseArgs, as in Node.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const { ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE } = errors;
  const { validateArray, validateBoolean, validateObject, validateString } = require('internal/validators');
  errors.define('ERR_PARSE_ARGS_UNKNOWN_OPTION', TypeError,
    (option, positionals) => `Unknown option '${option}'` + (positionals ?
    `. To specify a positional argument starting with a '-', place it at the end of the command after '--', ` +
      `as in '-- ${JSON.stringify(option)}` : ''));
  errors.define('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', TypeError,
    (value) => `Unexpected argument '${value}'. This command does not take positional arguments`);
  errors.define('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', TypeError, (text) => text);

  const {
    ERR_PARSE_ARGS_INVALID_OPTION_VALUE: invalidValue, ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: unexpectedPositional,
    ERR_PARSE_ARGS_UNKNOWN_OPTION: unknownOption,
  } = errors;

  const evaluates = ['-e', '--eval', '-p', '--print']; // then there is no file in process.argv
  const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
  const typeOf = (options, name) => (own(options, name) === undefined ? undefined : own(options[name], 'type'));
  const named = (options, short) => {
    for (const name of Object.keys(options)) if (own(options[name], 'short') === short) return name;
    return short;
  };

  module.exports = (config = {}) => {
    const args = own(config, 'args') ??
      process.argv.slice(process.execArgv.some((arg) => evaluates.includes(arg)) ? 1 : 2);
    const strict = own(config, 'strict') ?? true;
    const positionals = own(config, 'allowPositionals') ?? !strict;
    const wantsTokens = own(config, 'tokens') ?? false;
    const negative = own(config, 'allowNegative') ?? false;
    const options = own(config, 'options') ?? { __proto__: null };
    validateArray(args, 'args');
    validateBoolean(strict, 'strict');
    validateBoolean(positionals, 'allowPositionals');
    validateBoolean(wantsTokens, 'tokens');
    validateBoolean(negative, 'allowNegative');
    validateObject(options, 'options');
    for (const name of Object.keys(options)) checkOption(`options.${name}`, options[name]);

    const tokens = tokensOf(args, options);
    const result = { values: { __proto__: null }, positionals: [] };
    if (wantsTokens) result.tokens = tokens;
    for (const token of tokens) {
      if (token.kind === 'option') {
        if (strict) {
          checkUse(token, options, positionals, negative);
          checkDash(token);
        }
        store(token, options, result.values, negative);
      } else if (token.kind === 'positional') {
        if (!positionals) throw unexpectedPositional(token.value);
        result.positionals.push(token.value);
      }
    }
    for (const name of Object.keys(options)) {
      const value = own(options[name], 'default');
      if (value !== undefined && result.values[name] === undefined && name !== '__proto__') result.values[name] = value;
    }
    return result;
  };

  const checkOption = (name, option) => {
    validateObject(option, name);
    const type = own(option, 'type');
    if (type !== 'string' && type !== 'boolean') throw ERR_INVALID_ARG_TYPE(`${name}.type`, "('string|boolean')", type);
    if (Object.hasOwn(option, 'short')) {
      validateString(option.short, `${name}.short`);
      if (option.short.length !== 1)
        throw ERR_INVALID_ARG_VALUE(`${name}.short`, option.short, 'must be a single character');
    }
    const multiple = own(option, 'multiple');
    if (Object.hasOwn(option, 'multiple')) validateBoolean(multiple, `${name}.multiple`);
    const value = own(option, 'default');
    if (value === undefined) return;
    const check = type === 'string' ? validateString : validateBoolean;
    if (!multiple) {
      check(value, `${name}.default`);
      return;
    }
    validateArray(value, `${name}.default`);
    value.forEach((v, i) => { check(v, `${name}.default[${i}]`); });
  };

  // tokensOf tells options, their values and other arguments apart.
  const tokensOf = (args, options) => {
    const tokens = [], left = [...args];
    let index = -1, grouped = 0; // grouped is how many of those that are left are from one argument, such as -abc
    const option = (name, rawName, value, inlineValue) => {
      tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
    };
    const lone = (name, rawName) => {
      if (typeOf(options, name) === 'string' && left.length > 0 && left[0] !== undefined && left[0] !== null) {
        option(name, rawName, left.shift(), false);
        index++;
      } else {
        option(name, rawName, undefined, undefined);
      }
    };
    while (left.length > 0) {
      const arg = left.shift();
      if (grouped > 0) grouped--;
      else index++;
      if (arg === '--') {
        tokens.push({ kind: 'option-terminator', index });
        for (const value of left) tokens.push({ kind: 'positional', index: ++index, value });
        break;
      }
      const long = arg.length > 2 && arg.startsWith('--');
      const short = arg.length > 1 && arg[0] === '-' && arg[1] !== '-' ? named(options, arg[1]) : undefined;
      if (short !== undefined && arg.length === 2) {
        lone(short, arg);
      } else if (short !== undefined && typeOf(options, short) !== 'string') {
        const each = [];
        for (let i = 1; i < arg.length; i++) {
          if (typeOf(options, named(options, arg[i])) === 'string' && i < arg.length - 1) {
            each.push(`-${arg.slice(i)}`); // with its value
            break;
          }
          each.push(`-${arg[i]}`);
        }
        left.unshift(...each);
        grouped = each.length;
      } else if (short !== undefined) {
        option(short, `-${arg[1]}`, arg.slice(2), true);
      } else if (long && !arg.includes('=', 3)) {
        lone(arg.slice(2), arg);
      } else if (long) {
        const end = arg.indexOf('=');
        option(arg.slice(2, end), arg.slice(0, end), arg.slice(end + 1), true);
      } else {
        tokens.push({ kind: 'positional', index, value: arg });
      }
    }
    return tokens;
  };

  const checkUse = (token, options, positionals, negative) => {
    let { name } = token;
    if (!Object.hasOwn(options, name)) {
      const positive = negative && name.startsWith('no-') ? name.slice(3) : undefined;
      if (positive === undefined || typeOf(options, positive) !== 'boolean')
        throw unknownOption(token.rawName, positionals);
      name = positive;
    }
    const short = own(options[name], 'short');
    const shown = `${short ? `-${short}, ` : ''}--${name}`;
    const type = typeOf(options, name);
    if (type === 'string' && typeof token.value !== 'string')
      throw invalidValue(`Option '${shown} <value>' argument missing`);
    if (type === 'boolean' && token.value !== undefined && token.value !== null)
      throw invalidValue(`Option '${shown}' does not take an argument`);
  };

  const checkDash = ({ inlineValue, name, rawName, value }) => {
    if (inlineValue || value === undefined || value === null || value.length < 2 || value[0] !== '-') return;
    const example = rawName.startsWith('--') ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw invalidValue(`Option '${rawName}' argument is ambiguous.\n` +
      `Did you forget to specify the option argument for '${rawName}'?\n` +
      `To specify an option argument starting with a dash use ${example}.`);
  };

  const store = (token, options, values, negative) => {
    if (token.name === '__proto__') return;
    let value = token.value ?? true;
    if (negative && token.name.startsWith('no-') && token.value === undefined) {
      token.name = token.name.slice(3);
      value = false;
    }
    const { name } = token;
    if (own(options, name) === undefined || !own(options[name], 'multiple')) values[name] = value;
    else if (values[name]) values[name].push(value);
    else values[name] = [value];
  };
})
