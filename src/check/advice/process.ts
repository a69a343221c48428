// How the process of a server ends, which only the newest revision asks for in words.
import { isModern } from '../model/revision.ts';
import { type Conversation, outlivesInput } from '../model/trace.ts';
import type { Advice } from './advice.ts';

export function processAdvice(conversation: Conversation): readonly Advice[] {
  if (isModern(conversation.revision) || outlivesInput(conversation) !== true) return [];
  const message =
    'stays when its input has ended, until it gets a signal: a client that only closes the pipe, or is killed, leaves it behind; exit when standard input ends';
  return [{ id: 'quality/process/stays', about: 'the process', message }];
}
