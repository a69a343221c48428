// Tools as they were listed and as they answered.
import type { Rule, Seen } from '../../model/rule.ts';
import { type Message, parseJson } from '../../model/trace.ts';
import { asList, asRecord, at, brief, isRecord, type Json } from '../../model/value.ts';
import type { Judge } from '../../model/verdict.ts';
import { fitOf } from '../fit.ts';

export const tools: Rule = {
  judges: [
    'tools/names/length',
    'tools/names/characters',
    'tools/names/no-specials',
    'tools/names/unique',
    'tools/input-schema',
    'tools/call/failure-in-result',
    'tools/call/output-schema',
    'tools/call/structured-as-text',
    'tools/call/embedded-capability',
  ],
  apply(seen, judge) {
    const { ledger } = seen;
    const listed = new Map<string, Json>();
    for (const [message, { method, params }] of ledger.answered) {
      if (method !== 'tools/list' || message.direction !== 'received') continue;
      const names: string[] = [];
      for (const tool of asList(at(message.value, 'result', 'tools'))) {
        const { name, inputSchema } = asRecord(tool);
        judge.verdict('tools/input-schema', isRecord(inputSchema), `the inputSchema of ${brief(name)} is ${brief(inputSchema)}`, [message]);
        if (typeof name !== 'string') continue;
        names.push(name);
        listed.set(name, asRecord(tool));
        const isLong = name.length >= 1 && name.length <= 128;
        judge.verdict('tools/names/length', isLong, `the name ${brief(name, 60)} has ${name.length} characters`, [message]);
        // Letters of other alphabets are no special characters, and special characters are not in the list either.
        judge.verdict('tools/names/no-specials', !/[\s,;:!?@#$%^&*()+=[\]{}|\\"'<>~`/]/.test(name), `the name ${brief(name)}`, [message]);
        judge.verdict(
          'tools/names/characters',
          /^[A-Za-z0-9_.-]*$/.test(name) || /[\s,;:!?@#$%^&*()+=[\]{}|\\"'<>~`/]/.test(name),
          `the name ${brief(name)}`,
          [message],
        );
      }
      const once = new Set<string>();
      const twice = names.find((name) => once.has(name) || !once.add(name));
      if (names.length > 0 && params['cursor'] === undefined)
        judge.verdict('tools/names/unique', twice === undefined, `there are two tools named ${brief(twice)}`, [message]);
    }
    for (const [message, asked] of ledger.answered) {
      if (asked.method !== 'tools/call' || message.direction !== 'received') continue;
      const tool = listed.get(String(asked.params['name']));
      if (tool !== undefined) called(tool, message, asked.message, seen, judge);
    }
  },
};

function called(tool: Json, message: Message, request: Message, { greeting }: Seen, judge: Judge): void {
  const result = at(message.value, 'result');
  const evidence = [request, message];
  if (!isRecord(result)) {
    const code = at(message.value, 'error', 'code');
    // What is wrong with the request itself, such as a task where there are none, may be said by an error; what goes wrong in the tool may not.
    const isPlain = at(request.value, 'params', 'task') === undefined;
    if (code === -32603 && isPlain) judge.broken('tools/call/failure-in-result', 'a tool that failed gives a JSON-RPC error', evidence);
    return;
  }
  if (result['isError'] === true) judge.kept('tools/call/failure-in-result');
  const content = asList(result['content']).map(asRecord);
  if (content.some(({ type }) => type === 'resource')) {
    const isOffered = greeting?.capabilities['resources'] !== undefined;
    judge.verdict(
      'tools/call/embedded-capability',
      isOffered,
      'an embedded resource of a server without the capability resources',
      evidence,
    );
  }
  if (result['resultType'] === 'input_required' || isRecord(result['task'])) return;
  const structured = result['structuredContent'];
  const schema = tool['outputSchema'];
  if (isRecord(schema) && result['isError'] !== true) conforms(schema, structured, evidence, judge);
  if (structured === undefined || result['isError'] === true) return;
  const same = content.some(({ type, text }) => type === 'text' && typeof text === 'string' && isSame(parseJson(text), structured));
  judge.verdict('tools/call/structured-as-text', same, 'no block of text has the JSON of structuredContent', evidence);
}

function conforms(schema: Json, structured: unknown, evidence: readonly Message[], judge: Judge): void {
  const id = 'tools/call/output-schema';
  if (structured === undefined) return judge.broken(id, 'there is an outputSchema and no structuredContent', evidence);
  const fit = fitOf(schema, structured);
  if (fit === undefined) return;
  if ('untold' in fit) return judge.unsure(id, fit.untold);
  judge.verdict(id, fit.problem === undefined, `structuredContent: ${fit.problem ?? ''}`, evidence);
}

/** Whatever the order of members. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]));
}
