// An import declaration names one of the engine's own modules, which is resolved before any code runs.
// ends: exception
import * as os from 'qjs:os';
return os.exec(['id']);
