import { describe, expect, it } from 'vitest';
import { revisions } from 'vivarium';
import { methods } from 'vivarium/protocol';
import { createTour } from '../fixtures/tour.mjs';
import { open, openProcess, type Transport } from './link.ts';
import { legacy } from './matrix.ts';
import { remembered, tour, tourCapabilities } from './tour.ts';

/** Not the server's to serve or send: tasks are an extension to come, these notifications are the client's. */
const elsewhere = /^tasks\/|^notifications\/(tasks|roots)\//;

const transports: readonly (Transport | 'stdio')[] = ['memory', 'wire', 'stdio', 'http', 'stateless', 'fetch', 'sse'];

describe('a tour of every method', () => {
  for (const transport of transports) {
    // 2026-07-28 has nothing to do with the transport of 2024-11-05.
    it.each(transport === 'sse' ? legacy : revisions)(`leaves none out: ${transport} %s`, async (revision) => {
      const options = { revision, capabilities: tourCapabilities };
      const link = transport === 'stdio' ? await openProcess('tour.mjs', options) : await open(createTour(), transport, options);
      const alone = transport === 'stateless';
      const seen = await tour(link, alone);
      await link.close();
      const known = [...methods.values()]
        .filter((row) => row.revisions.has(revision) && !elsewhere.test(row.method))
        .map((row) => row.method)
        .filter((method) => !(alone && revision !== '2026-07-28' && remembered.test(method)));
      // In 2026-07-28 questions to the client travel inside results, so they are seen though they are no methods there.
      const asked = revision === '2026-07-28' ? ['roots/list', 'sampling/createMessage', 'elicitation/create'] : [];
      expect([...seen].sort()).toEqual([...known, ...asked].sort());
    });
  }
});
