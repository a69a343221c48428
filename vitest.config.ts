import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longTests } from './scripts/long-tests.mjs';

// Tests import the package by its public names and get its source.
const conditions = ['@vivarium/source', 'node', 'import', 'default'];

const long = longTests.flatMap(({ files }) => files);
/** They replace modules, or see them loaded for the first time. */
const alone = [
  'test/auth/node/index.test.ts',
  'test/auth/server/issuer-discovery.test.ts',
  'test/cli/commands/check/check/stop.test.ts',
  'test/protocol/constructors.test.ts',
  'test/schema/time-limit.test.ts',
  'test/schema/json-schema.test.ts',
  'test/schema/plain.test.ts',
  'test/serve/pipe/calls.test.ts',
  'test/server/core/loading.test.ts',
];
const elsewhere = ['test/house/**', 'test/peers/**', 'test/conformance/**', 'test/examples.test.ts'];

/** Files that take a minute or more: begun last, they would be waited for alone. */
const slowest = [
  'peers/check-own',
  'check/servers/mutants/mutants',
  'live/image/image',
  'check/clients/run/peers',
  'reload/reload/edits',
  'reload/reload/made-many',
  'reload/reload/published-all',
  'client/timeouts',
  'other-principal/http-flood',
  'live/session/interrupt',
  'peers/check',
  'peers/strangers-gateways',
  'peers/strangers-clients',
  'session/session/wedge',
  'check/clients/mutants/mutants',
  'servers/offered-revisions',
  'conformance/client',
].map((name) => `/${name}.test.ts`);

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): boolean => slowest.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'forks',
    sequence: { sequencer: SlowestFirst },
    // More than the build servers have cores: many tests wait for processes.
    maxWorkers: 3,
    restoreMocks: true,
    // A loaded machine takes ten times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      // Not isolated: a fork for each file takes most of a second, and there are hundreds.
      { extends: true, test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: [...elsewhere, ...long, ...alone], isolate: false } },
      { extends: true, test: { name: 'alone', include: alone } },
      // Many processes at once on a loaded machine: what fails is tried once more, and the report says so.
      { extends: true, test: { name: 'long', include: long.map(testsIn), exclude: elsewhere, retry: 1 } },
      { extends: true, test: { name: 'house', include: ['test/house/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: { enabled: true, only: true, include: ['test/**/*.test-d.ts'], tsconfig: 'test/tsconfig.types.json' },
        },
      },
      { extends: true, test: { name: 'peers', include: ['test/peers/**/*.test.ts'], retry: 1 } },
      { extends: true, test: { name: 'examples', include: ['test/examples.test.ts'] } },
      {
        extends: true,
        // Last, without the others beside it: the suite measures time.
        test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], sequence: { groupOrder: 1 } },
      },
    ],
  },
});

function testsIn(pattern: string): string {
  return pattern.endsWith('/**') ? `${pattern}/*.test.ts` : pattern;
}
