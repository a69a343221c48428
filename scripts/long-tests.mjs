// Tests that take too long for every edit: `npm run test:all` runs them, `npm test` does not.
// With the second Node (describe blocks named "on Node 24"), which runs there too, this is all that the two differ in.

export const longTests = [
  {
    why: 'other implementations, each started as a process: SDKs, public servers and clients',
    files: ['test/peers/**', 'test/check/clients/run/peers.test.ts'],
  },
  { why: 'the official conformance suite, which measures time', files: ['test/conformance/**'] },
  {
    why: 'the judge against each broken server and client, and against sound ones in five revisions',
    files: [
      'test/check/servers/mutants/**',
      'test/check/clients/mutants/**',
      'test/check/servers/run/**',
      'test/check/servers/offered-revisions.test.ts',
      'test/cli/commands/check/check.test.ts',
      'test/cli/commands/check/client.test.ts',
    ],
  },
  {
    why: 'floods, leaks and generated attacks: minutes of load',
    files: [
      'test/threats/other-principal/*flood.test.ts',
      'test/threats/other-principal/costly-arguments.test.ts',
      'test/threats/hostile-server/**',
      'test/threats/hostile-repository/shell-lines.test.ts',
      'test/threats/generator/**',
      'test/threats/evaluated-code/**',
      'test/client/client/memory.test.ts',
      'test/serve/sessions/leaks.test.ts',
      'test/serve/http/memory.test.ts',
      'test/serve/stdio/flood.test.ts',
    ],
  },
  {
    why: 'limits of time as they pass',
    files: [
      'test/client/timeouts.test.ts',
      'test/client/failure/stdio.test.ts',
      'test/cli/commands/record/record.test.ts',
      'test/serve/sessions.test.ts',
      'test/serve/stdio/end.test.ts',
      'test/live/session/interrupt.test.ts',
      'test/live/session/session/**',
    ],
  },
  {
    why: 'images that crash, wedge, are restored, edited sixty times, or are of another language',
    files: [
      'test/cli/commands/eval/eval.test.ts',
      'test/cli/commands/live/live/**',
      'test/live/image/**',
      'test/live/languages/*/engine/wedge.test.ts',
      'test/live/languages/lisp/core/**',
      'test/live/languages/lisp/engine/project.test.ts',
      'test/live/languages/smalltalk/**',
      'test/live/languages/javascript/attached/**',
      'test/live/languages/javascript/reload/kinds.test.ts',
      'test/live/languages/javascript/reload/reload/edits.test.ts',
      'test/live/languages/javascript/reload/reload/meanwhile.test.ts',
      'test/live/languages/javascript/reload/reload/made-many.test.ts',
      'test/live/languages/javascript/reload/reload/published-all.test.ts',
      'test/live/offer/run-tests.test.ts',
      'test/live/offer/surfaces/**',
      'test/live/js-runtime/fault.test.ts',
    ],
  },
  {
    why: 'a thousand races for one file, and commands killed at each of their steps',
    files: ['test/install/change/races.test.ts', 'test/install/repair/killed.test.ts'],
  },
  {
    why: 'authorization servers and networks that fail, each after its time',
    files: ['test/auth/client/server-discovery.test.ts', 'test/cli/commands/doctor/**'],
  },
];
