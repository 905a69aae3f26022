// V8 as it is.
export default {
  version: `V8 ${process.versions.v8}, Node ${process.version}`,
  program: (sources, expression) => new Function(`${sources.join('\n')}\nreturn () => ${expression}`)(),
};
