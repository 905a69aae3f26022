// just-bash: another shell for each call. A library is its file /log.
import { Bash } from 'just-bash';

import { packageVersion } from './common.mjs';

export const version = `${packageVersion('just-bash')}, Node ${process.version}`;

export default {
  version,
  async call(script, log) {
    const { stdout, stderr, exitCode } = await new Bash({ files: { '/log': log ?? '' }, cwd: '/' }).exec(script);
    if (exitCode !== 0) throw new Error(stderr);
    return stdout.replace(/^ +(\d+) /gm, (_, n) => `${n.padStart(7)} `); // its uniq -c pads to another width
  },
};
