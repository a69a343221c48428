// A server on a pipe: how it ends.
import { isPipePeer } from '../peer/stdio.ts';
import type { Probe } from '../probe.ts';

export const stdioProbes: readonly Probe[] = [
  {
    name: 'end of input',
    judges: ['stdio/exit-on-eof'],
    transports: ['stdio'],
    apart: true,
    async run({ connect, judge }) {
      const peer = await connect('end of input');
      if (peer === undefined || !isPipePeer(peer)) return;
      peer.end();
      const how = await peer.exit(3_000);
      judge.verdict('stdio/exit-on-eof', how !== undefined, 'the server still runs three seconds after the end of its input', []);
    },
  },
];
