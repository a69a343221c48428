// What a user's bundler gets from each subpath: which rooms, how many bytes, and whether it loads without Node.
import { createContext, Script } from 'node:vm';
import { type BuildOptions, type BuildResult, build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { packageJson, root, subpaths } from './tree.ts';

interface Bundle {
  /** Rooms, or single files of rooms, that may be in it. */
  readonly holds: readonly string[];
  /** Minified, without dependencies. */
  readonly maxBytes: number;
  /** Loads in a worker or a browser. */
  readonly neutral: boolean;
}

const client = ['client/', 'jsonrpc/', 'protocol/', 'schema/'];
const core = ['jsonrpc/', 'protocol/', 'schema/', 'server/', 'store/store.ts'];
const memory = ['serve/memory.ts', 'serve/serving.ts', 'serve/pipe.ts', 'serve/limits/pipe-load.ts', 'store/'];
const http = ['serve/', 'store/'];

const bundles: Readonly<Record<string, Bundle>> = {
  // connect() loads connect/http and connect/stdio when it is given a URL or a command, and these are Node's; a bundler follows
  // that import too. Browsers and workers have ./client with ./connect/fetch, and ./server.
  '.': { holds: ['index.ts', ...core, ...client, 'connect/', 'node/'], maxBytes: 216_000, neutral: false },
  './protocol': { holds: ['protocol/', 'jsonrpc/'], maxBytes: 12_000, neutral: true },
  './server': { holds: core, maxBytes: 108_000, neutral: true },
  './client': { holds: client, maxBytes: 82_500, neutral: true },
  './connect/stdio': { holds: ['connect/', 'node/', 'jsonrpc/'], maxBytes: 20_000, neutral: false },
  './connect/http': { holds: ['connect/', 'node/', 'jsonrpc/', 'protocol/'], maxBytes: 42_000, neutral: false },
  './connect/sse': { holds: ['connect/', 'node/', 'jsonrpc/', 'protocol/'], maxBytes: 36_000, neutral: false },
  './connect/fetch': { holds: ['connect/', 'jsonrpc/', 'protocol/'], maxBytes: 35_000, neutral: true },
  './serve/stdio': {
    holds: [...core, 'serve/stdio.ts', 'serve/guard.ts', 'serve/serving.ts', 'serve/pipe.ts', 'serve/limits/pipe-load.ts', 'store/'],
    maxBytes: 100_000,
    neutral: false,
  },
  './serve/node': { holds: [...core, ...http], maxBytes: 150_000, neutral: false },
  './serve/fetch': { holds: [...core, ...http], maxBytes: 150_000, neutral: true },
  './auth': { holds: ['auth/', 'jsonrpc/', 'protocol/'], maxBytes: 50_000, neutral: true },
  './auth/node': { holds: ['node/', 'auth/', 'jsonrpc/', 'protocol/'], maxBytes: 43_000, neutral: false },
  './live': { holds: [...core, 'node/', 'live/'], maxBytes: 290_000, neutral: false },
  './here': { holds: ['node/', 'live/'], maxBytes: 60_000, neutral: false },
  './check': { holds: ['node/', 'check/', 'schema/'], maxBytes: 488_000, neutral: false },
  './otel': { holds: ['otel/', 'jsonrpc/', 'protocol/'], maxBytes: 16_000, neutral: true },
  './serve/memory': { holds: [...core, ...memory], maxBytes: 80_000, neutral: true },
  './store/memory': { holds: ['store/', 'jsonrpc/'], maxBytes: 8_000, neutral: true },
  './testing': { holds: [...core, ...client, ...memory, 'testing/'], maxBytes: 158_000, neutral: true },
};

it('every subpath has a row', () => {
  expect(subpaths.map(([key]) => key).filter((key) => bundles[key] === undefined)).toEqual([]);
});

describe.each(subpaths.filter(([key]) => bundles[key] !== undefined))('the bundle of %s', (key, source) => {
  const { holds, maxBytes, neutral } = bundles[key] as Bundle;

  it('holds only its rooms and stays below its ceiling', async () => {
    const { metafile } = await bundle({ entryPoints: [source], external: ['node:*', ...Object.keys(foreign())] });
    const inputs = Object.keys(metafile.inputs).map((path) => path.replace('src/', ''));
    // The lowest room belongs to all; who may import it is in the table of layers.
    expect(strangers(inputs, ['text/', ...holds])).toEqual([]);
    const [output] = Object.values(metafile.outputs);
    expect(output?.bytes).toBeLessThanOrEqual(maxBytes);
    const builtins = output?.imports.filter(({ path, external }) => external === true && path.startsWith('node:')).map(({ path }) => path);
    if (neutral) expect(builtins).toEqual([]);
  });

  if (!neutral) return;
  it('loads where there is no Node', async () => {
    // Dependencies included, as on a page; formatted as a script, because vm has no module loader.
    const { outputFiles } = await bundle({ entryPoints: [source], format: 'iife', mainFields: ['module', 'main'] });
    const page = createContext(webGlobals());
    expect(() => new Script(outputFiles?.[0]?.text ?? '').runInContext(page)).not.toThrow();
  });
});

describe('the checks', () => {
  it('catch a room that does not belong', () => {
    expect(strangers(['protocol/tools.ts', 'server/server.ts', 'store/redis.ts'], ['protocol/', 'store/store.ts'])).toEqual([
      'server/server.ts',
      'store/redis.ts',
    ]);
  });

  it('see a builtin deep inside a bundle', async () => {
    const { metafile } = await bundle({ stdin: { contents: "export const read = () => import('node:fs');" }, external: ['node:*'] });
    expect(Object.values(metafile.outputs)[0]?.imports).toMatchObject([{ path: 'node:fs', external: true }]);
  });

  it('see a global of Node', async () => {
    const { outputFiles } = await bundle({ stdin: { contents: 'export const home = process.env.HOME;' }, format: 'iife' });
    expect(() => new Script(outputFiles?.[0]?.text ?? '').runInContext(createContext(webGlobals()))).toThrow('process is not defined');
  });
});

type Bundled = BuildResult<{ metafile: true; write: false }>;

function bundle(options: BuildOptions): Promise<Bundled> {
  return build({
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['@vivarium/source'],
    outfile: 'bundle.js',
    logLevel: 'silent',
    ...options,
    metafile: true,
    write: false,
  });
}

function strangers(inputs: readonly string[], holds: readonly string[]): string[] {
  return inputs.filter((path) => !holds.some((prefix) => path.startsWith(prefix)));
}

function foreign(): Readonly<Record<string, string>> {
  return { ...packageJson.dependencies, ...packageJson.optionalDependencies, ...packageJson.peerDependencies };
}

/** The names that workers and browsers have beside the language itself. */
function webGlobals(): Record<string, unknown> {
  const names = ['AbortController', 'AbortSignal', 'Blob', 'Event', 'EventTarget', 'Headers', 'ReadableStream', 'Request', 'Response'];
  names.push('TextDecoder', 'TextEncoder', 'TransformStream', 'URL', 'URLSearchParams', 'WritableStream', 'atob', 'btoa', 'clearTimeout');
  names.push(
    'console',
    'crypto',
    'fetch',
    'performance',
    'queueMicrotask',
    'setInterval',
    'clearInterval',
    'setTimeout',
    'structuredClone',
  );
  return Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)]));
}
