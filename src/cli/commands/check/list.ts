// vivarium check list: the catalogue, chosen from, as text or JSON.
import { addressOf, choose, levelIn, partyIn, type Requirement, revisions, sectionOf } from '../../../check/cli.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { type Arguments, CommandError, exitCodes } from '../../args/command.ts';
import { checkOptions, oneOf } from './options.ts';

export function listRequirements(args: Arguments): string {
  const [, extra] = args.positionals;
  if (extra !== undefined) {
    throw new CommandError(exitCodes.usage, `check list takes options only, not ${extra}`, { hint: `vivarium check list --only ${extra}` });
  }
  const { revision, level, only, skip } = checkOptions(args);
  const one = revisions.find((each) => each === revision);
  const { party, transport } = args.values;
  const chosen = choose({
    ...(one !== undefined && { revision: one }),
    ...(typeof party === 'string' && { party: oneOf('party', party, ['server', 'client'] as const) }),
    ...(typeof transport === 'string' && { transport: oneOf('transport', transport, ['stdio', 'http', 'sse'] as const) }),
    ...(level !== undefined && { level }),
    ...(only !== undefined && { only }),
    ...(skip !== undefined && { skip }),
  });
  if ((args.lists['reporter'] ?? []).includes('json') || args.values['format'] === 'json') {
    return `${JSON.stringify(
      chosen.map((each) => row(each, one)),
      null,
      2,
    )}\n`;
  }
  const lines = chosen.map((each) => {
    const at = one ?? (each.revisions.at(-1) as Revision);
    const way = typeof each.judged === 'string' ? each.judged : `not observable: ${each.judged.unobservable}`;
    return [`${each.id}  ${levelIn(each, at)}  ${partyIn(each, at)}`, `    ${each.text}`, `    ${addressOf(each, at)}`, `    ${way}`].join(
      '\n',
    );
  });
  return `${lines.join('\n')}\n${chosen.length} requirements\n`;
}

function row(each: Requirement, revision: Revision | undefined): object {
  const at = revision ?? (each.revisions.at(-1) as Revision);
  const { id, revisions: holds, transports, capability, text, judged, hidden } = each;
  return {
    id,
    section: sectionOf(each),
    level: levelIn(each, at),
    party: partyIn(each, at),
    revisions: holds,
    ...(transports !== undefined && { transports }),
    ...(capability !== undefined && { capability }),
    text,
    url: addressOf(each, at),
    judged,
    ...(hidden !== undefined && { hidden }),
  };
}
