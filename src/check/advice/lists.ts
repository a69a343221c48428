// Lists that a server declares and does not give: older revisions say nowhere that it must, and every client asks for them.
import { openLedger } from '../model/ledger.ts';
import { isModern } from '../model/revision.ts';
import type { Conversation } from '../model/trace.ts';
import { at, brief, type Json } from '../model/value.ts';
import type { Advice } from './advice.ts';

const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];

export function listAdvice(conversation: Conversation, capabilities: Json): readonly Advice[] {
  const { requests } = openLedger(conversation);
  // What the newest revision demands is in the verdict.
  const asked = isModern(conversation.revision) ? ['resources/templates/list'] : lists;
  return asked.flatMap((method) => {
    const [capability = ''] = method.split('/');
    // The first asks for the list as any client does.
    const reply = requests.find((one) => one.method === method)?.replies[0]?.value;
    const code = at(reply, 'error', 'code');
    if (code === undefined || capabilities[capability] === undefined) return [];
    const message = `is answered with the error ${brief(code)} ${brief(at(reply, 'error', 'message'))}, and the server declares ${capability}: clients ask for this list, and some fail without it; an empty one will do`;
    return [{ id: 'quality/lists/unanswered', about: method, message }];
  });
}
