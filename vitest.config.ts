import { defineConfig } from 'vitest/config';

// Tests import the package by its public names and get its source.
const conditions = ['@vivarium/source', 'node', 'import', 'default'];

const elsewhere = ['test/house/**', 'test/peers/**', 'test/conformance/**', 'test/examples.test.ts'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: elsewhere } },
      { extends: true, test: { name: 'house', include: ['test/house/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: { enabled: true, only: true, include: ['test/**/*.test-d.ts'], tsconfig: 'test/tsconfig.types.json' },
        },
      },
      { extends: true, test: { name: 'peers', include: ['test/peers/**/*.test.ts'] } },
      { extends: true, test: { name: 'examples', include: ['test/examples.test.ts'] } },
      {
        extends: true,
        // Alone and last: the suite measures time.
        test: { name: 'conformance', include: ['test/conformance/**/*.test.ts'], fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
