// Tools: the list, the calls that may be made, and calls that must be refused.

import { traitsOf } from '../../model/revision.ts';
import { asList, asRecord, brief, type Json } from '../../model/value.ts';
import { uncallable } from '../../model/verdict.ts';
import { inWords, isSlow, type Probe, type ProbeContext, shown, slow } from '../probe.ts';
import { whyUncallable } from '../surface.ts';
import { callTool } from '../tool-call.ts';

const capability = 'tools';
const maxCalls = 24;
const atOnce = 6;

export const toolProbes: readonly Probe[] = [
  {
    name: 'calls',
    judges: ['tools/call/shape', 'tools/call/output-schema', 'tools/call/structured-as-text', 'tools/call/failure-in-result'],
    capability,
    async run({ peer, calls, surface, judge, timeoutMs }) {
      if (calls.length === 0) {
        for (const id of this.judges) judge.unsure(id, whyUncallable(surface));
        return;
      }
      const wanted = calls.slice(0, maxCalls);
      for (let from = 0; from < wanted.length; from += atOnce) {
        const group = wanted.slice(from, from + atOnce);
        await Promise.all(
          group.map((call, index) => callTool(peer, call, { token: `call-${from + index}`, timeoutMs: Math.min(timeoutMs, 3_000) })),
        );
      }
    },
  },
  {
    name: 'unknown tool',
    judges: ['tools/call/unknown-name', 'tools/names/case'],
    capability,
    async run({ peer, judge, surface, calls }) {
      const answer = await peer.request('tools/call', { name: 'vivarium-no-such-tool', arguments: {} });
      const isRefused = answer.error?.code === -32602;
      judge.verdict('tools/call/unknown-name', isRefused, `an unknown tool gets ${inWords(answer)}`, shown(answer));
      const names = new Set(surface.tools.map(({ name }) => String(name)));
      // A server that takes the name for the tool's own calls it, so it has to be one that may be called.
      const name = calls.map((call) => call.name).find((one) => other(one) !== one && !names.has(other(one)));
      if (calls.length === 0) return judge.unsure('tools/names/case', whyUncallable(surface));
      if (name === undefined) return judge.unsure('tools/names/case', uncallable('no name of a tool that may be called has a letter'));
      const cased = await peer.request('tools/call', { name: other(name), arguments: { 'vivarium-none': 1 } }, { wild: true });
      const isOther = cased.error !== undefined || cased.result?.['isError'] === true;
      judge.verdict('tools/names/case', isOther, `${other(name)} is taken for ${name}`, shown(cased));
    },
  },
  {
    name: 'arguments that do not fit',
    judges: ['tools/call/inputs-validated', 'tools/call/invalid-in-result'],
    capability,
    run: misfits,
  },
  {
    name: 'the same list for everybody',
    judges: ['tools/list/independent', 'resources/list/independent', 'prompts/list/independent', 'tools/list/order'],
    revisions: ['2026-07-28'],
    apart: true,
    run: independent,
  },
  {
    name: 'lists',
    judges: ['tools/list/answered', 'resources/list/answered', 'prompts/list/answered'],
    revisions: ['2026-07-28'],
    async run({ peer, judge, capabilities, surface }) {
      for (const kind of ['tools', 'resources', 'prompts'] as const) {
        if (capabilities[kind] === undefined) continue;
        const answer = await peer.request(`${kind}/list`, {});
        const isList = Array.isArray(answer.result?.[kind]);
        // It never gave one: as of a server that has its list from another one, which cannot be reached.
        const isHelpless = answer.error?.code === -32603 && surface[kind].length === 0;
        if (isHelpless) judge.unsure(`${kind}/list/answered`, `${kind}/list gets ${inWords(answer)}`);
        else judge.verdict(`${kind}/list/answered`, isList, `${kind}/list gets ${inWords(answer)}`, shown(answer));
      }
    },
  },
  {
    name: 'undeclared lists',
    judges: ['tools/capability', 'resources/capability', 'prompts/capability'],
    async run({ peer, judge, capabilities }) {
      for (const kind of ['tools', 'resources', 'prompts'] as const) {
        if (capabilities[kind] !== undefined) {
          judge.kept(`${kind}/capability`);
          continue;
        }
        const answer = await peer.request(`${kind}/list`, {});
        const has = asList(answer.result?.[kind]).length > 0;
        if (has)
          judge.broken(
            `${kind}/capability`,
            `${kind}/list gives ${asList(answer.result?.[kind]).length}, though ${kind} is not declared`,
            shown(answer),
          );
        else judge.inapplicable(`${kind}/capability`, `the server has no ${kind}`);
      }
    },
  },
];

function other(name: string): string {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
}

/** One argument of the wrong type, in a call that would be right without it. */
function misfit({ tool, arguments: given }: ProbeContext['calls'][number]): Json | undefined {
  const schema = asRecord(tool['inputSchema']);
  const typed = Object.entries(asRecord(schema['properties'])).find(([, inner]) => typeof asRecord(inner)['type'] === 'string');
  if (typed === undefined) return undefined;
  const [name, inner] = typed;
  const { type } = asRecord(inner);
  return { ...given, [name]: type === 'object' || type === 'array' ? 7 : { 'vivarium-none': true } };
}

async function misfits({ peer, calls, judge, surface, revision }: ProbeContext): Promise<void> {
  const ids = ['tools/call/inputs-validated', 'tools/call/invalid-in-result'] as const;
  for (const call of calls) {
    const wrong = misfit(call);
    if (wrong === undefined) continue;
    const answer = await peer.request('tools/call', { name: call.name, arguments: wrong }, { wild: true });
    // Over HTTP a header that does not fit may be the first thing that is seen.
    if (answer.error?.code === -32020) continue;
    if (isSlow(answer, peer)) {
      for (const id of ids) judge.unsure(id, slow);
      return;
    }
    const isInResult = answer.result?.['isError'] === true;
    const isRefused = answer.error !== undefined || isInResult;
    const what = `${call.name} with ${brief(wrong)} gets ${inWords(answer)}`;
    judge.verdict('tools/call/inputs-validated', isRefused, what, shown(answer));
    if (isRefused && traitsOf(revision).invalidInResult) judge.verdict('tools/call/invalid-in-result', isInResult, what, shown(answer));
    return;
  }
  for (const id of ids)
    judge.unsure(id, calls.length === 0 ? whyUncallable(surface) : uncallable('no tool that may be called has an argument with a type'));
}

async function independent({ connect, judge, capabilities, peer, surface }: ProbeContext): Promise<void> {
  const stranger = await connect('another connection');
  if (stranger === undefined) return;
  for (const kind of ['tools', 'resources', 'prompts'] as const) {
    if (capabilities[kind] === undefined) continue;
    const [own, others] = [await peer.request(`${kind}/list`, {}), await stranger.request(`${kind}/list`, {})];
    const key = kind === 'resources' ? 'uri' : 'name';
    const names = (result: Json | undefined) => asList(result?.[kind]).map((one) => String(asRecord(one)[key]));
    const [here, there] = [names(own.result), names(others.result)];
    // On a pipe it is a new process without any earlier calls.
    const begun = surface[kind].map((one) => String(one[key]));
    const isSame = [here, begun].some((list) => JSON.stringify([...list].sort()) === JSON.stringify([...there].sort()));
    judge.verdict(`${kind}/list/independent`, isSame, `one connection lists ${brief(here)}, another ${brief(there)}`, shown(own, others));
    if (kind !== 'tools' || !isSame) continue;
    const isOrdered = [here, begun].some((list) => list.join() === there.join());
    judge.verdict('tools/list/order', isOrdered, 'the same tools in another order', shown(own, others));
  }
}
