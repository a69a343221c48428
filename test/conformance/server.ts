// The fixture over HTTP, as a program: it says where it listens and ends on SIGTERM.
import { parseArgs } from 'node:util';
import { serveHttp } from 'vivarium/serve/node';
import { createFixture } from './fixture.ts';

const { values } = parseArgs({
  options: {
    /** 0 takes any that is free. */
    port: { type: 'string', default: '0' },
    /** Answers every call with an event stream. */
    streams: { type: 'boolean', default: false },
  },
});
const serving = await serveHttp(createFixture(), {
  host: 'localhost',
  port: Number(values.port),
  stream: values.streams ? 'always' : 'when-needed',
});
console.log(`listening on ${serving.url}`);
