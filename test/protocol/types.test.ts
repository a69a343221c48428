import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { compile, wireTypes } from './compile.ts';
import { type Definitions, definitionsOf, type Member, membersOf, reference, toTypeScript } from './official.ts';

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** Names of ours that no schema has. */
const inventions = ['ErrorObject', 'OpenObject', 'ResultFields'];

/** Definitions whose values are not all values of our type, with the reason. */
const narrower: { readonly [definition: string]: string } = {
  '2025-03-26 JSONRPCMessage': 'a batch is a frame around messages, not a message; it has types of its own',
};

/** Members that every revision with that definition fixes or requires and ours does not, with the reason. */
const looser: { readonly [member: string]: string } = {
  'ClientNotification.method': 'a union of all revisions; 2026-07-28 has but one of them left',
  'JSONRPCError.id': 'the same type as JSONRPCErrorResponse, where the id may be missing',
  'CacheableResult.cacheScope': 'the lists of older revisions share the type',
  'CacheableResult.resultType': 'the lists of older revisions share the type',
  'CacheableResult.ttlMs': 'the lists of older revisions share the type',
  'InputResponseRequestParams._meta': 'the parameters of older revisions share the type',
  'RequestMetaObject.io.modelcontextprotocol/clientCapabilities': 'the requests of older revisions share the type',
  'RequestMetaObject.io.modelcontextprotocol/protocolVersion': 'the requests of older revisions share the type',
};

/** The types of single methods serve with and without an envelope, as the older schemas and `inputRequests` have them. */
function isEnvelope(definition: string, name: string): boolean {
  return (name === 'id' || name === 'jsonrpc') && /^(?!JSONRPC).*(Request|Notification)$/.test(definition);
}

const folder = new URL('../../src/protocol/', import.meta.url);
const barrel = readFileSync(new URL('types.ts', folder), 'utf8');
const exported = new Set([
  ...[...barrel.matchAll(/export type \* from '\.\/([\w-]+\.ts)'/g)].flatMap(([, file = '']) => typesIn(file)),
  ...[...barrel.matchAll(/ as (\w+)/g)].map(([, name = '']) => name),
]);

function typesIn(file: string): string[] {
  const text = readFileSync(new URL(file, folder), 'utf8');
  return [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name);
}

const prelude = `
import type * as Ours from '${wireTypes}';
type At<T, K> = T extends unknown ? (K extends keyof T ? Exclude<T[K], undefined> : never) : never;
type Known<T> = T extends unknown ? keyof { [K in keyof T as string extends K ? never : number extends K ? never : [Exclude<T[K], undefined>] extends [never] ? never : K]: 0 } : never;
`;

function memberChecks(definitions: Definitions): string {
  const lines = Object.entries(definitions).flatMap(([definition, schema]) =>
    membersOf(schema).map(({ path, name }) => `((_: Known<${at(definition, path)}>) => {})(${JSON.stringify(name)});`),
  );
  return `${prelude}${lines.join('\n')}\n`;
}

function narrowChecks(all: readonly Definitions[]): string {
  const definitions = new Set(all.flatMap((definitions) => Object.keys(definitions)));
  const lines = [...definitions].flatMap((definition) => {
    const having = all.flatMap((definitions) => definitions[definition] ?? []).map((schema) => membersOf(schema));
    const [newest = []] = having.slice(-1);
    return newest.flatMap((member) => {
      const { path, name, fixed } = member;
      if (`${definition}.${name}` in looser || isEnvelope(definition, name)) return [];
      const place = at(definition, path);
      const key = JSON.stringify(name);
      const checks: string[] = [];
      if (fixed !== undefined) checks.push(`((_: (value: At<${place}, ${key}>) => ${fixed}) => {})((value) => value);`);
      const isRequired = having.every((members) => members.some((other) => other.required && isSame(other, member)));
      if (isRequired) checks.push(`((_: (value: ${place}) => { readonly ${key}: unknown }) => {})((value) => value);`);
      return checks;
    });
  });
  return `${prelude}${lines.join('\n')}\n`;
}

function at(definition: string, path: readonly string[]): string {
  return path.reduce((type, key) => `At<${type}, ${key}>`, `Ours.${definition}`);
}

function isSame(one: Member, other: Member): boolean {
  return one.name === other.name && one.path.join() === other.path.join();
}

function valueChecks(revision: string, definitions: Definitions): string {
  const lines = Object.keys(definitions)
    .filter((name) => !(`${revision} ${name}` in narrower))
    .map((name) => `((_: (value: Theirs.${name}) => Ours.${name}) => {})((value) => value);`);
  return `${prelude}import type * as Theirs from './${revision}.official.ts';\n${lines.join('\n')}\n`;
}

describe.skipIf(!reference)('the wire types', () => {
  let errors: string[] = [];

  beforeAll(async () => {
    const files = new Map<string, string>();
    for (const revision of revisions) {
      const definitions = definitionsOf(revision);
      files.set(`${revision}.official.ts`, toTypeScript(definitions));
      files.set(`${revision}.members.ts`, memberChecks(definitions));
      files.set(`${revision}.values.ts`, valueChecks(revision, definitions));
    }
    files.set('narrow.ts', narrowChecks(revisions.map(definitionsOf)));
    errors = await compile(files);
  }, 60_000);

  describe.each(revisions)('of %s', (revision) => {
    it('are all exported under the names of the schema', () => {
      expect(Object.keys(definitionsOf(revision)).filter((name) => !exported.has(name))).toEqual([]);
    });

    it('know every member of every definition, also of nested objects', () => {
      expect(errors.filter((error) => error.startsWith(`${revision}.members.ts`))).toEqual([]);
    });

    it('accept every value of the definition of the same name', () => {
      expect(errors.filter((error) => error.startsWith(`${revision}.values.ts`))).toEqual([]);
    });
  });

  it('are as narrow as the schemas where these fix a value, and require what all of them require', () => {
    expect(errors.filter((error) => error.startsWith('narrow.ts'))).toEqual([]);
  });

  it('compile without any other error', () => {
    expect(errors.filter((error) => !/^([\d-]+\.(members|values)|narrow)\.ts/.test(error))).toEqual([]);
  });

  it('add no names but the few listed', () => {
    const official = new Set(revisions.flatMap((revision) => Object.keys(definitionsOf(revision))));
    expect([...exported].filter((name) => !official.has(name)).sort()).toEqual(inventions);
  });

  it('are refused when a member or a value is missing, so that the checks above can fail', async () => {
    const definitions = { Root: { type: 'object', properties: { colour: { type: 'string' }, uri: { type: 'number' } } } };
    const files = new Map([
      ['x.official.ts', toTypeScript(definitions)],
      ['x.members.ts', memberChecks(definitions)],
      ['x.values.ts', valueChecks('x', definitions)],
    ]);
    const found = await compile(files);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('"colour"');
    expect(found[1]).toContain('Theirs.Root');
  }, 60_000);
});
