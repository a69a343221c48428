// Prompts and completion: what is listed is got, what is not there or incomplete is refused.

import { since } from '../../model/requirement.ts';
import { traitsOf } from '../../model/revision.ts';
import { asList, asRecord, type Json } from '../../model/value.ts';
import { inWords, type Probe, type ProbeContext, shown } from '../probe.ts';

const maxPrompts = 8;

export const promptProbes: readonly Probe[] = [
  {
    name: 'getting prompts',
    judges: ['prompts/get/shape'],
    capability: 'prompts',
    async run({ peer, surface, judge, timeoutMs }) {
      if (surface.prompts.length === 0) return judge.unsure('prompts/get/shape', 'the server lists no prompt');
      for (const prompt of surface.prompts.slice(0, maxPrompts)) {
        await peer.request(
          'prompts/get',
          { name: prompt['name'], arguments: argumentsOf(prompt) },
          { timeoutMs: Math.min(timeoutMs, 3_000) },
        );
      }
    },
  },
  {
    name: 'prompts that must be refused',
    judges: ['prompts/get/unknown-name', 'prompts/get/missing-arguments', 'prompts/get/arguments-validated'],
    capability: 'prompts',
    run: refusals,
  },
  {
    name: 'completion',
    judges: ['completion/shape', 'completion/errors/unknown-prompt', 'completion/errors/missing-arguments', 'completion/validated'],
    run: completion,
  },
  {
    name: 'completion that is not declared',
    judges: ['completion/capability', 'completion/errors/unsupported'],
    revisions: since('2025-03-26'),
    async run({ peer, judge, capabilities, surface }) {
      if (capabilities['completions'] !== undefined) {
        judge.kept('completion/capability');
        return judge.inapplicable('completion/errors/unsupported', 'the server completes');
      }
      const answer = await peer.request(
        'completion/complete',
        reference(surface) ?? { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'none', value: '' } },
      );
      const isRefused = answer.error?.code === -32601;
      judge.verdict('completion/errors/unsupported', isRefused, `completion/complete gets ${inWords(answer)}`, shown(answer));
      judge.verdict('completion/capability', answer.result === undefined, 'the server completes, and does not declare it', shown(answer));
    },
  },
];

function argumentsOf(prompt: Json): Json {
  const listed = asList(prompt['arguments']).map(asRecord);
  return Object.fromEntries(
    listed
      .filter(({ required }) => required === true)
      .map(({ name }) => [String(name), /ur[il]$/i.test(String(name)) ? 'https://example.com/' : 'x']),
  );
}

async function refusals({ peer, judge, surface }: ProbeContext): Promise<void> {
  const unknown = await peer.request('prompts/get', { name: 'vivarium-no-such-prompt' });
  judge.verdict('prompts/get/unknown-name', unknown.error?.code === -32602, `an unknown prompt gets ${inWords(unknown)}`, shown(unknown));
  const needy = surface.prompts.find((prompt) => Object.keys(argumentsOf(prompt)).length > 0);
  if (needy === undefined) {
    judge.unsure('prompts/get/missing-arguments', 'no prompt has a required argument');
    return judge.unsure('prompts/get/arguments-validated', 'no prompt has a required argument');
  }
  const missing = await peer.request('prompts/get', { name: needy['name'], arguments: {} }, { wild: true });
  judge.verdict(
    'prompts/get/missing-arguments',
    missing.error?.code === -32602,
    `${String(needy['name'])} without its argument gets ${inWords(missing)}`,
    shown(missing),
  );
  const [name = ''] = Object.keys(argumentsOf(needy));
  const wrong = await peer.request(
    'prompts/get',
    { name: needy['name'], arguments: { ...argumentsOf(needy), [name]: { no: 'string' } } },
    { wild: true },
  );
  judge.verdict(
    'prompts/get/arguments-validated',
    wrong.error !== undefined,
    `an argument that is no string gets ${inWords(wrong)}`,
    shown(wrong),
  );
}

function reference({ prompts, templates }: ProbeContext['surface']): Json | undefined {
  for (const prompt of prompts) {
    const [argument] = asList(prompt['arguments']).map(asRecord);
    if (argument !== undefined)
      return { ref: { type: 'ref/prompt', name: prompt['name'] }, argument: { name: argument['name'], value: '' } };
  }
  for (const { uriTemplate } of templates) {
    const [, variable] = /\{[+#./;?&]?(\w+)/.exec(String(uriTemplate)) ?? [];
    if (variable !== undefined) return { ref: { type: 'ref/resource', uri: uriTemplate }, argument: { name: variable, value: '' } };
  }
  return undefined;
}

async function completion({ peer, judge, capabilities, surface, revision }: ProbeContext): Promise<void> {
  const ids = [
    'completion/shape',
    'completion/errors/unknown-prompt',
    'completion/errors/missing-arguments',
    'completion/validated',
  ] as const;
  const params = reference(surface);
  // In the first revision there was no capability to declare.
  if (capabilities['completions'] === undefined && (traitsOf(revision).completionsCapability || params === undefined)) {
    for (const id of ids) judge.inapplicable(id, 'the server does not offer completions');
    return;
  }
  if (params === undefined) judge.unsure('completion/shape', 'there is no argument of a prompt or template to complete');
  else {
    const answer = await peer.request('completion/complete', params);
    if (answer.error?.code === -32601 && !traitsOf(revision).completionsCapability) {
      for (const id of ids) judge.inapplicable(id, 'the server does not complete');
      return;
    }
  }
  const unknown = { ref: { type: 'ref/prompt', name: 'vivarium-no-such-prompt' }, argument: { name: 'none', value: '' } };
  const none = await peer.request('completion/complete', unknown);
  judge.verdict('completion/errors/unknown-prompt', none.error?.code === -32602, `an unknown prompt gets ${inWords(none)}`, shown(none));
  const { argument: _, ...rest } = params ?? unknown;
  const missing = await peer.request('completion/complete', rest, { wild: true });
  judge.verdict(
    'completion/errors/missing-arguments',
    missing.error?.code === -32602,
    `without an argument: ${inWords(missing)}`,
    shown(missing),
  );
  const wrong = await peer.request('completion/complete', { ref: 7, argument: 'x' }, { wild: true });
  judge.verdict('completion/validated', wrong.error !== undefined, `params of the wrong kind get ${inWords(wrong)}`, shown(wrong));
}
