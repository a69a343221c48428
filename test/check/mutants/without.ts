// What can be observed of a server and has no mutant, each with the reason: what the kill rate leaves out is said here.

const unasked = 'nothing that is asked can show it broken: the probe or rule says kept or not verified';
const otherTokens = 'a run has one token at most, and it would take another: it is never verified';
const noQuestion = 'the client under our hands does no tasks for a server, so that it is not applicable';

export const without: ReadonlyMap<string, string> = new Map([
  ['authorization/resource/case', otherTokens],
  ['http/localhost', 'a server that others can reach is not started in a test'],
  ['cancellation/disconnect', unasked],
  ['tasks/poll/interval', noQuestion],
  ['tasks/poll/until-terminal', noQuestion],
  ['tasks/poll/beside-notifications', noQuestion],
  ['tasks/notification/not-relied-on', noQuestion],
  ['tasks/input/result-called', noQuestion],
  ['tasks/list/opaque', noQuestion],
  ['tasks/input/status', unasked],
  ['tasks/input/related', unasked],
  ['tasks/input/left', unasked],
  ['tasks/streams/no-upgrade', 'no mutant yet: the keeper of tasks is on a pipe'],
]);
