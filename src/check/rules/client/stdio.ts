// The input of a server on stdio: every line of it is a message.
import type { Rule } from '../../model/rule.ts';

export const stdio: Rule = {
  judges: ['stdio/stdin-clean'],
  apply({ conversation, ledger }, judge) {
    if (conversation.transport !== 'stdio' || ledger.received.length === 0) return;
    const foreign = [...ledger.noise.filter(({ text }) => text !== undefined), ...ledger.foreign];
    const rest = conversation.happenings.find(({ what }) => what === 'unfinished-line');
    if (foreign.length > 0) {
      const text = JSON.stringify(foreign[0]?.text ?? '').slice(0, 100);
      judge.broken('stdio/stdin-clean', `${foreign.length} lines that are no message; the first: ${text}`, foreign.slice(0, 3));
    } else if (rest !== undefined) judge.broken('stdio/stdin-clean', 'the last bytes are no whole line', [rest.detail]);
    else judge.kept('stdio/stdin-clean');
  },
};
