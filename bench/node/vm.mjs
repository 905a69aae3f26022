// V8 with a fresh context of node:vm, which is no sandbox.
import { createContext, runInContext } from 'node:vm';

export default {
  version: `V8 ${process.versions.v8}, Node ${process.version}`,
  program(sources, expression) {
    const context = createContext({});
    for (const source of sources) runInContext(source, context);
    return () => runInContext(expression, context);
  },
};
