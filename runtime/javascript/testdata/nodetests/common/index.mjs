// What Node's tests that are ES modules import as '../common/index.mjs'.
import { createRequire } from 'node:module';

export { createRequire };
const common = createRequire(import.meta.url)('./index.js');
export default common;
export const {
  allowGlobals, expectsError, expectWarning, getArrayBufferViews, getBufferSources,
  getCallSite, hasCrypto, hasIntl, hasIPv6,
  invalidArgTypeHelper, isAIX, isIBMi, isLinux, isMacOS, isMainThread, isOpenBSD, isPi, isSunOS, isWindows, mustCall,
  mustCallAtLeast, mustNotCall, mustNotMutateObjectDeep, mustSucceed, platformTimeout,
  printSkipMessage, runWithInvalidFD,
  skip, skipIf32Bits, skipIfDumbTerminal, skipIfInspectorDisabled,
} = common;
