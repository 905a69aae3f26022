// What util.inspect shows of URL, URLSearchParams and the iterators of these.
(function (kernel, require, module) {
  'use strict';
  module.exports = (inspect, custom) => {
    const method = (prototype, show) => {
      const inspector = { [custom](depth, options) { return show(this, depth, options); } }[custom];
      Object.defineProperty(prototype, custom, {
        value: inspector, writable: true, enumerable: false, configurable: true,
      });
    };
    const names = ['href', 'origin', 'protocol', 'username', 'password', 'host',
      'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash'];
    method(URL.prototype, (url, depth, options) => {
      if (typeof depth === 'number' && depth < 0) return url;
      const type = url.constructor?.name ? url.constructor : URL;
      const shown = Object.create({ constructor: type });
      for (const name of names) shown[name] = url[name];
      return `${type.name} ${inspect(shown, options)}`.replace(`${type.name} ${type.name}`, type.name);
    });

    const list = (name, options, parts, empty) => {
      if (parts.length === 0) return empty;
      const length = parts.reduce((sum, part) => sum + part.replace(/\x1b\[\d+m/g, '').length + 2, -2);
      return length > options.breakLength ? `${name} {\n  ${parts.join(',\n  ')} }` : `${name} { ${parts.join(', ')} }`;
    };
    method(URLSearchParams.prototype, (params, depth, options) => {
      const pairs = [...URLSearchParams.prototype.entries.call(params)];
      if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
      return list('URLSearchParams', options,
        pairs.map(([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`), 'URLSearchParams {}');
    });
    method(Object.getPrototypeOf(new URLSearchParams().entries()), (iterator, depth, options) => {
      const left = kernel.leftParams(iterator);
      if (typeof depth === 'number' && depth < 0) return options.stylize('[Object]', 'special');
      return list('URLSearchParams Iterator', options, left.map((value) => inspect(value, options)),
        'URLSearchParams Iterator {  }');
    });
  };
})
