// Whatever arrives: a request is answered once, nothing else is answered with a result, and the connection lives on.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { methods } from 'vivarium/protocol';
import { createEverything } from '../../fixtures/everything.mjs';
import { legacy } from '../../matrix/matrix.ts';
import { ask, handshake, modern, openWire, type Reply } from '../fixture.ts';

const quick = ['echo', 'add', 'any', 'sum', 'names', 'picture', 'sound', 'link', 'fail', 'refuse', 'nobody', '__proto__'];

const arguments_ = fc.oneof(
  fc.record(
    { text: fc.jsonValue(), a: fc.jsonValue(), b: fc.jsonValue(), of: fc.jsonValue(), payload: fc.jsonValue() },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const meta = fc.oneof(
  fc.constant(modern()),
  fc.constant({ progressToken: 1 }),
  fc.record({ a: fc.jsonValue() }).map(({ a }) => modern(a)),
  fc.record({ a: fc.jsonValue() }).map(({ a }) => modern({}, a)),
  fc.jsonValue(),
);
const params = fc.oneof(
  fc.record({ name: fc.constantFrom(...quick), arguments: arguments_, _meta: meta }, { requiredKeys: ['name'] }),
  fc.record({ cursor: fc.jsonValue(), requestId: fc.jsonValue(), _meta: meta }, { requiredKeys: [] }),
  fc.constant(handshake()),
  fc.jsonValue(),
);
const message = fc.oneof(
  fc.record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: fc.jsonValue() }),
      id: fc.oneof({ weight: 9, arbitrary: fc.string() }, { weight: 3, arbitrary: fc.jsonValue() }),
      method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...methods.keys()) }, { weight: 1, arbitrary: fc.jsonValue() }),
      params,
    },
    { requiredKeys: ['jsonrpc', 'method'] },
  ),
  fc.jsonValue(),
);

it.each(legacy)('keeps its promises after a handshake of %s', async (revision) => {
  await fc.assert(
    fc.asyncProperty(message, async (sent) => {
      const wire = await openWire(createEverything(), revision);
      await wire.quiet();
      wire.send(`${JSON.stringify(sent)}\n`);
      const answers = ((await wire.quiet()) as Reply[]).flat().filter(({ method }) => method === undefined);
      const { id, method } = (sent ?? {}) as { id?: unknown; method?: unknown };
      if (typeof id === 'string' && typeof method === 'string' && !Array.isArray(sent))
        expect(answers.map((answer) => answer.id)).toEqual([id]);
      else if (!Array.isArray(sent)) expect(answers.length).toBeLessThanOrEqual(1);
      for (const answer of answers) expect(Object.keys(answer).filter((key) => key === 'result' || key === 'error')).toHaveLength(1);
      for (const { error } of answers)
        if (error !== undefined) expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
      // An internal error would be a fault of ours: no tool of this server throws one.
      for (const { error } of answers) expect(error?.code).not.toBe(-32603);
      expect((await ask(wire, 'ping')).result).toEqual({});
    }),
    { numRuns: 300 },
  );
});
