// Who may import whom inside src/live, and that the host and what runs in an image share nothing but what is meant for both.
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.ts';
import { sources } from './tree.ts';

interface Layer {
  /** Folders and files of src/live; a layer may always import itself. */
  readonly imports: readonly string[];
  /** Those of which it may import types only. */
  readonly types?: readonly string[];
}

const host = ['package-files.ts', 'image/'];
const facts = ['languages/language-facts.ts'];

/** The longest name that a path begins with is its layer; lower layers first. */
const layers: Readonly<Record<string, Layer>> = {
  'package-files.ts': { imports: [] },
  'sandbox/': { imports: ['package-files.ts'], types: ['image/engine.ts'] },
  'image/': { imports: [] },
  'access/': { imports: ['image/', 'sandbox/paths.ts'] },
  'session/': { imports: ['image/', 'access/', 'sandbox/'] },

  // In an image: nothing of the host but types of what goes over the wire.
  'js-runtime/': { imports: [], types: ['image/'] },
  'languages/javascript/loader/': { imports: ['js-runtime/positions.ts', 'languages/javascript/cells/', 'languages/javascript/reload/'] },
  'languages/javascript/inspect/': {
    imports: ['js-runtime/', 'languages/javascript/cells/', 'languages/javascript/loader/resolve.ts', 'languages/javascript/reload/'],
    types: ['image/'],
  },
  'languages/javascript/reload/': { imports: ['js-runtime/', 'languages/javascript/cells/', 'languages/javascript/loader/'] },
  'languages/javascript/boot.ts': { imports: ['js-runtime/', 'languages/javascript/loader/'] },
  'languages/javascript/here.ts': { imports: ['js-runtime/', 'languages/javascript/loader/'] },
  'languages/javascript/hooks.ts': { imports: ['languages/javascript/loader/'] },
  'languages/javascript/project-loader.ts': { imports: ['languages/javascript/loader/'] },
  'languages/javascript/monitor.ts': {
    imports: ['js-runtime/', 'languages/javascript/inspect/', 'languages/javascript/reload/'],
    types: ['image/', 'languages/javascript/cells/'],
  },
  'languages/smalltalk/amber/': { imports: ['js-runtime/', 'languages/javascript/loader/imports.ts'], types: ['image/'] },

  // On both sides.
  'languages/javascript/cells/': { imports: [], types: ['js-runtime/positions.ts'] },

  // On the host: a language knows nothing of sessions and tools.
  'languages/language-facts.ts': { imports: [] },
  'languages/languages.ts': {
    imports: [...facts, 'languages/javascript/facts.ts', 'languages/lisp/facts.ts', 'languages/smalltalk/facts.ts'],
  },
  'languages/javascript/': {
    imports: [
      ...host,
      ...facts,
      'languages/languages.ts',
      'languages/javascript/affected-tests.ts',
      'languages/javascript/project-files.ts',
      'languages/javascript/cells/',
      'languages/javascript/loader/strip-types.ts',
    ],
  },
  'languages/javascript/project-files.ts': { imports: ['languages/javascript/loader/resolve.ts'] },
  'languages/javascript/affected-tests.ts': { imports: ['languages/javascript/loader/resolve.ts'] },
  'languages/javascript/attached/': {
    imports: ['image/', 'languages/javascript/engine.ts', 'languages/javascript/cells/', 'languages/javascript/loader/strip-types.ts'],
  },
  'languages/lisp/': { imports: [...host, ...facts] },
  'languages/smalltalk/': { imports: [...host, ...facts, 'languages/javascript/choose-node.ts'] },
  'languages/attachable-programs.ts': {
    imports: ['languages/javascript/engine.ts', 'languages/javascript/attached/', 'languages/lisp/engine.ts'],
    types: ['session/'],
  },
  'offer/': {
    imports: [...host, 'access/', 'sandbox/', 'session/', 'languages/languages.ts', 'languages/attachable-programs.ts'],
  },
  'offer/create-live.ts': {
    imports: [...host, 'access/', 'sandbox/', 'session/', 'offer/', 'languages/attachable-programs.ts', 'languages/javascript/engine.ts'],
  },
  'index.ts': { imports: [''] },
};

/** What is started in an image, on its main thread or beside it. */
const imageEntries = ['javascript/boot', 'javascript/here', 'javascript/hooks', 'javascript/monitor', 'javascript/project-loader'].concat(
  'smalltalk/amber/boot',
  'smalltalk/amber/monitor',
);

const names = Object.keys(layers).sort((a, b) => b.length - a.length);
const layerOf = (path: string): string => names.find((name) => path.startsWith(name)) ?? '';
const live = sources('src/live').map((source) => ({ ...source, path: source.path.slice('src/live/'.length) }));
const imports = live.flatMap(({ path, text }) =>
  importsOf({ path: `src/live/${path}`, text }).flatMap(({ to, kind, typeOnly }) =>
    kind === 'file' && to.startsWith('src/live/') ? [{ from: path, to: to.slice('src/live/'.length), typeOnly }] : [],
  ),
);

function isAllowed({ from, to, typeOnly }: (typeof imports)[number]): boolean {
  const own = layerOf(from);
  const { imports: values, types = [] } = layers[own] ?? { imports: [] };
  return layerOf(to) === own || [...values, ...(typeOnly ? types : [])].some((name) => to.startsWith(name));
}

describe('src/live', () => {
  it('imports only what the table allows', () => {
    const wrong = imports.filter((one) => !isAllowed(one));
    expect(isAllowed({ from: 'image/image.ts', to: 'session/session.ts', typeOnly: true })).toBe(false);
    expect(isAllowed({ from: 'js-runtime/wire.ts', to: 'image/wire.ts', typeOnly: false })).toBe(false);
    expect(wrong.map(({ from, to, typeOnly }) => `${from} -> ${to}${typeOnly ? ' (type)' : ''}`)).toEqual([]);
  });

  it('has every file in the table, and every row a file', () => {
    expect(live.map(({ path }) => path).filter((path) => layerOf(path) === '')).toEqual([]);
    expect(names.filter((name) => !live.some(({ path }) => layerOf(path) === name))).toEqual([]);
  });

  it('has no files that import each other, not even types', () => {
    let left = live.map(({ path }) => path);
    for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
      before = left.length;
      left = left.filter((path) => imports.some(({ from, to }) => from === path && left.includes(to)));
    }
    expect(left).toEqual([]);
  });
});

/** Everything that an entry loads, itself included. */
function loadedBy(entries: readonly string[]): string[] {
  const seen = new Set(entries);
  for (const path of seen) for (const { from, to, typeOnly } of imports) if (from === path && !typeOnly) seen.add(to);
  return [...seen];
}

describe('what runs in an image', () => {
  const inImage = loadedBy(imageEntries.map((name) => `languages/${name}.ts`));

  it('loads nothing of the host', () => {
    expect(inImage.filter((path) => /^(?:image|session|access|sandbox|offer)\/|engine\.ts$|choose-node|attached\//.test(path))).toEqual([]);
  });

  it('is not loaded by the host, but for what reads and prepares code', () => {
    const both = loadedBy(['index.ts']).filter((path) => inImage.includes(path));
    expect(both.filter((path) => !/^languages\/javascript\/(?:cells|loader)\//.test(path))).toEqual([]);
  });
});
