// What can be observed of a server and has no mutant, each with the reason: what the kill rate leaves out is said here.

const otherTokens = 'a run has one token at most, and it would take another: it is never verified';

export const without: ReadonlyMap<string, string> = new Map([
  ['authorization/resource/case', otherTokens],
  ['http/localhost', 'a server that others can reach is not started in a test'],
]);
