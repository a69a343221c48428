// Values made from a JSON Schema: whole and bare examples, and every way to spoil one of them in one place.

type Json = Record<string, unknown>;
export type Definitions = Readonly<Record<string, Json>>;

const texts: Readonly<Record<string, string>> = { uri: 'https://example.com/a', 'uri-template': 'https://example.com/{id}', byte: 'aGk=' };

/** One example with everything optional for each of the first branches, and one with nothing optional. */
export function instancesOf(schema: Json, definitions: Definitions, branches = 9): readonly unknown[] {
  const whole = Array.from({ length: branches }, (_, branch) => instance(schema, { definitions, branch, optional: true, depth: 0 }));
  return distinct([...whole, instance(schema, { definitions, branch: 0, optional: false, depth: 0 })]);
}

interface Making {
  readonly definitions: Definitions;
  /** Which branch is taken wherever there are several. */
  readonly branch: number;
  readonly optional: boolean;
  readonly depth: number;
}

function instance(schema: Json, making: Making): unknown {
  const { definitions, branch, optional, depth } = making;
  const inner = { ...making, depth: depth + 1 };
  if (typeof schema['$ref'] === 'string') return instance(definitions[schema['$ref'].split('/').pop() as string] as Json, making);
  if (Array.isArray(schema['allOf'])) return Object.assign({}, ...schema['allOf'].map((one) => instance(one, making)));
  if (Array.isArray(schema['anyOf'])) return instance(schema['anyOf'][branch % schema['anyOf'].length], making);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][branch % schema['enum'].length];
  const type = Array.isArray(schema['type']) ? schema['type'][branch % schema['type'].length] : schema['type'];
  if (type === 'string') return texts[String(schema['format'])] ?? 'text';
  if (type === 'integer') return 1;
  if (type === 'number') return 0.5;
  if (type === 'boolean') return branch % 2 === 0;
  if (type === 'null') return null;
  if (type === 'array') return depth > 12 ? [] : [instance(schema['items'] as Json, inner)];
  if (type === undefined && schema['properties'] === undefined) return { any: ['thing', 1.5, null] };
  const made: Json = {};
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  for (const [name, member] of Object.entries((schema['properties'] as Json | undefined) ?? {})) {
    if (required.has(name) || (optional && depth <= 12)) made[name] = instance(member as Json, inner);
  }
  const rest = schema['additionalProperties'] as Json | undefined;
  if (optional && depth <= 12 && typeof rest === 'object') made['more'] = Object.keys(rest).length > 0 ? instance(rest, inner) : 'more';
  return made;
}

const replacements: readonly unknown[] = [null, 'other', '', -1, 1.5, true, [], { x: 1 }];

export interface Spoiled {
  /** Made when it is wanted: most cases are cases of another example too. */
  readonly make: () => unknown;
  /** What was done, for the report of a difference. */
  readonly change: string;
  /** What was done, and what stands beside it: the same in two examples is one case. */
  readonly key: string;
}

/** Each member left out, and each value replaced by values of every kind, one at a time. */
export function spoiledOf(value: unknown, path = ''): readonly Spoiled[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const without = (name: string): unknown =>
    Array.isArray(value) ? value.filter((_, index) => String(index) !== name) : Object.fromEntries(entries.filter(([key]) => key !== name));
  const replaced = (name: string, by: unknown): unknown =>
    Array.isArray(value)
      ? value.map((one, index) => (String(index) === name ? by : one))
      : Object.fromEntries(entries.map(([key, one]) => [key, key === name ? by : one]));
  const spoiled = (value: unknown, change: string): Spoiled => ({ make: () => value, change, key: `${change} ${JSON.stringify(value)}` });
  return entries.flatMap(([name, member]) => [
    spoiled(without(name), `${path}/${name} left out`),
    ...replacements.map((by) => spoiled(replaced(name, by), `${path}/${name} replaced by ${JSON.stringify(by)}`)),
    ...spoiledOf(member, `${path}/${name}`).map((inner) => ({ ...inner, make: () => replaced(name, inner.make()) })),
  ]);
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
