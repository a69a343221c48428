// The JSON Schemas of tools: their dialect, whether they are valid, and whether the server itself holds to them.

import { dialectOf } from '../../../schema/json-schema.ts';
import { compileUntrusted } from '../../../schema/untrusted.ts';
import type { Message } from '../../model/trace.ts';
import { asList, asRecord, at, isRecord, type Json } from '../../model/value.ts';
import { noCallableTool, uncallable } from '../../model/verdict.ts';
import { inWords, isSlow, type Probe, type ProbeContext, shown, slow } from '../probe.ts';

export const schemaProbes: readonly Probe[] = [
  {
    name: 'schemas of tools',
    judges: ['json-schema/valid', 'json-schema/dialect/declared', 'json-schema/dialect/recommended'],
    capability: 'tools',
    async run({ surface, judge, peer }) {
      const list = peer.conversation.messages.find(
        ({ value, direction }) => direction === 'received' && at(value, 'result', 'tools') !== undefined,
      );
      for (const tool of surface.tools) {
        for (const key of ['inputSchema', 'outputSchema'] as const) {
          const schema = tool[key];
          if (isRecord(schema)) await judgeSchema(schema, `${String(tool['name'])}.${key}`, judge, list);
        }
      }
    },
  },
  {
    name: 'arguments that the schema forbids',
    judges: ['json-schema/validated', 'json-schema/dialect/2020-12'],
    capability: 'tools',
    run: forbidden,
  },
];

async function judgeSchema(schema: Json, name: string, judge: ProbeContext['judge'], list: Message | undefined): Promise<void> {
  const evidence = list === undefined ? [] : [list];
  if (schema['$schema'] !== undefined) judge.kept('json-schema/dialect/declared');
  const dialect = dialectOf(schema);
  judge.verdict('json-schema/dialect/recommended', dialect === '2020-12', `${name} is written in ${String(schema['$schema'])}`, evidence);
  // A dialect that we do not know cannot be judged.
  if (dialect === undefined) return;
  const { fault, isInvalid, reason } = await compileUntrusted(schema);
  // Legal, and only of no use here. Of another document nothing is known; the rest fits its meta-schema.
  if (reason === 'remote-reference') return;
  if (fault !== undefined && !isInvalid && reason !== 'uncompilable') judge.unsure('json-schema/valid', `${name}: ${fault}`);
  else judge.verdict('json-schema/valid', !isInvalid, `${name}: ${fault ?? ''}`, evidence);
}

async function forbidden({ peer, calls, judge, surface }: ProbeContext): Promise<void> {
  const ids = ['json-schema/validated', 'json-schema/dialect/2020-12'] as const;
  for (const { tool, name, arguments: given } of calls) {
    const schema = asRecord(tool['inputSchema']);
    const [required] = asList(schema['required']).filter((one) => typeof one === 'string');
    if (required === undefined) continue;
    const { [required]: _, ...rest } = given;
    const answer = await peer.request('tools/call', { name, arguments: rest });
    if (isSlow(answer, peer)) {
      for (const id of ids) judge.unsure(id, slow);
      return;
    }
    const isRefused =
      answer.error !== undefined || answer.result?.['isError'] === true || answer.result?.['resultType'] === 'input_required';
    const what = `${name} without its required argument ${required} gets ${inWords(answer)}`;
    for (const id of ids) judge.verdict(id, isRefused, what, shown(answer));
    return;
  }
  const why =
    calls.length > 0 || surface.tools.length === 0 ? uncallable('no tool that may be called has a required argument') : noCallableTool;
  for (const id of ids) judge.unsure(id, why);
}
