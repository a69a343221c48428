// Configuration files made up in every way that people and programs write them: comments anywhere, odd layouts, mixed line ends.
import fc from 'fast-check';
import { stringify as toYaml } from 'yaml';
import type { Place } from '../../src/install/edit/edit.ts';

export interface WrittenFile {
  readonly place: Place;
  readonly text: string;
}

const word = fc.constantFrom(
  'a',
  'theme',
  'b-c',
  'x.y',
  'ünï',
  'with "quote"',
  "it's",
  '#no',
  '//no',
  '/*no*/',
  '{',
  ']',
  ',',
  '',
  '__proto__',
);
const scalar = fc.oneof(word, fc.constantFrom<unknown>(null, true, 0, -1.5, 1e21));
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(word, tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).any;
const entry = fc.record({ command: word, args: fc.array(word, { maxLength: 3 }) }, { requiredKeys: ['command'], noNullPrototype: true });
const servers = fc.oneof(
  { arbitrary: fc.dictionary(fc.constantFrom('one', 'two', 'old server'), entry, { maxKeys: 3, noNullPrototype: true }), weight: 6 },
  { arbitrary: fc.constantFrom<unknown>(null, undefined, {}), weight: 2 },
);
const eol = fc.constantFrom('\n', '\n', '\r\n');

/** JSON with something between every two tokens. */
const jsonText = fc
  .record({
    before: fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true }),
    servers,
    after: fc.dictionary(fc.constantFrom('z', 'last'), value, { maxKeys: 2, noNullPrototype: true }),
    ends: eol,
    gaps: fc.infiniteStream(fc.nat(99)),
    manner: fc.constantFrom('minified', 'spread', 'wild'),
    mark: fc.boolean(),
    comma: fc.boolean(),
    end: fc.constantFrom('', '\n', '\r\n', '\n\n'),
  })
  .map(({ before, servers: list, after, ends, gaps, manner, mark, comma, end }) => {
    const whole = [...Object.entries(before), ...(list === undefined ? [] : [['mcpServers', list] as const]), ...Object.entries(after)];
    const gap = (depth: number): string => {
      const [roll = 0] = [...gaps.take(1)];
      const line = `${ends}${'  '.repeat(depth)}`;
      if (manner === 'minified') return '';
      if (manner === 'spread') return roll < 92 ? line : `${line}// "quoted" {remark}${line}`;
      if (roll < 40) return '';
      if (roll < 60) return ' ';
      if (roll < 80) return line;
      if (roll < 88) return `/* ${roll}, */`;
      return ` // ${roll} }${ends}\t`;
    };
    const space = (): string => (manner === 'minified' ? '' : manner === 'spread' ? ' ' : gap(1));
    const write = (one: unknown, depth: number): string => {
      if (typeof one !== 'object' || one === null) return JSON.stringify(one);
      const pairs = Array.isArray(one) ? one.map((item) => write(item, depth + 1)) : members(Object.entries(one), depth);
      return joined(pairs, Array.isArray(one) ? '[]' : '{}', depth);
    };
    const members = (pairs: readonly (readonly [string, unknown])[], depth: number): string[] =>
      pairs.map(([key, one]) => `${JSON.stringify(key)}${manner === 'wild' ? gap(depth) : ''}:${space()}${write(one, depth + 1)}`);
    const joined = (parts: readonly string[], [open = '', close = '']: string, depth: number): string => {
      if (parts.length === 0) return `${open}${manner === 'wild' ? gap(depth) : ''}${close}`;
      const inner = parts.map(
        (part, at) => `${gap(depth + 1)}${part}${at < parts.length - 1 ? `${manner === 'wild' ? gap(depth) : ''},` : ''}`,
      );
      return `${open}${inner.join('')}${comma && manner !== 'minified' ? ',' : ''}${gap(depth)}${close}`;
    };
    return `${mark ? '\uFEFF' : ''}${joined(members(unique(whole), 0), '{}', 0)}${end}`;
  });

const tomlLine = fc.constantFrom(
  '# a remark = "x"',
  '',
  '  ',
  'model = "x" # why',
  "path = 'C:\\dir\\' # literal",
  'list = [ "a", # in a list ]\n  "b",\n]',
  'text = """\n[mcp_servers.not]\n# no comment\n"""',
  "raw = '''\n'quoted' [x]\n'''",
  'date = 2026-11-18T09:00:00Z',
  'inline = { a = 1, "b c" = [1, 2] }',
  'a.b.c = 1',
);
const tomlTable = fc.constantFrom(
  '[ui]',
  '[[rules]]\nname = "a"\n[[rules]]\nname = "b"',
  '[projects."/home/me/x"]\ntrust = "yes"',
  '[mcp_servers.one]\ncommand = "a" # first\nargs = [\n  "-y",\n]',
  '[mcp_servers."two words"]\ncommand = "b"\n  [mcp_servers."two words".env]\n  A = "1"',
  "[ mcp_servers . three ]\nurl = 'https://a.example'",
);
const tomlText = fc
  .record({
    form: fc.constantFrom(
      '',
      '',
      'mcp_servers = { one = { command = "a" } } # in a line',
      'mcp_servers = {}',
      'mcp_servers.dotted.command = "x"',
    ),
    lines: fc.uniqueArray(tomlLine, { maxLength: 8, selector: (line) => (/^\s*(?:#|$)/.test(line) ? Symbol(line) : line) }),
    tables: fc.uniqueArray(tomlTable, { maxLength: 4 }),
    between: fc.array(fc.constantFrom('', '# between', '  # indented'), { minLength: 4, maxLength: 4 }),
    ends: eol,
    end: fc.constantFrom('', '\n', '\n\n', '\n# last', '\n# last\n'),
  })
  .map(({ form, lines, tables, between, ends, end }) => {
    const own = form === '' ? tables : tables.filter((table) => !table.includes('mcp_servers'));
    const text = [...(form === '' ? [] : [form]), ...lines, ...own.flatMap((table, at) => [table, between[at] ?? ''])].join('\n') + end;
    return text.replaceAll('\n', ends);
  });

const yamlText = fc
  .record({
    before: fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true }),
    servers,
    after: fc.dictionary(fc.constantFrom('z', 'last'), value, { maxKeys: 2, noNullPrototype: true }),
    indent: fc.constantFrom(2, 4, 3),
    flow: fc.constantFrom('block', 'block', 'flow'),
    remarks: fc.array(fc.nat(40), { maxLength: 5 }),
    ends: eol,
    end: fc.constantFrom('', '\n', '\n\n', '\n# last\n', '\n...\n'),
  })
  .map(({ before, servers: list, after, indent, flow, remarks, ends, end }) => {
    const part = (one: object, form: string): string =>
      Object.keys(one).length === 0
        ? ''
        : toYaml(one, { indent, lineWidth: 0, collectionStyle: form as 'block', ...(form === 'flow' && { flowCollectionPadding: true }) });
    const own =
      list === undefined
        ? ''
        : flow === 'flow' && list !== null
          ? `extensions: ${part(list as object, 'flow') || '{}\n'}`
          : part({ extensions: list }, 'block');
    const lines = [part(before, 'block'), own, part(after, 'block')].join('').trimEnd().split('\n');
    for (const at of remarks) lines.splice(at % (lines.length + 1), 0, at % 2 === 0 ? '# a remark: x' : '');
    const text = lines.join('\n') + end;
    return text.replaceAll('\n', ends);
  });

function unique(pairs: readonly (readonly [string, unknown])[]): readonly (readonly [string, unknown])[] {
  return [...new Map(pairs)];
}

export const writtenFile: fc.Arbitrary<WrittenFile> = fc.oneof(
  jsonText.map((text): WrittenFile => ({ text, place: { format: 'jsonc', path: ['mcpServers'] } })),
  tomlText.map((text): WrittenFile => ({ text, place: { format: 'toml', path: ['mcp_servers'] } })),
  yamlText.map((text): WrittenFile => ({ text, place: { format: 'yaml', path: ['extensions'] } })),
);
