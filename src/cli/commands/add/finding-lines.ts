// What was noticed about a server, by its kind: the worst first, and so much of each that a person reads it.
import { type Finding, type FindingKind, findingKinds } from '../../../install/look.ts';
import { printable } from '../../terminal/terminal.ts';

const titles: Readonly<Record<FindingKind, string>> = {
  'hidden-text': 'Hidden text',
  'look-alike': 'Letters that pass for others',
  instruction: 'Sentences meant for the model',
  'secret-file': 'Files with secrets',
  shadow: 'Names of tools that another server has',
  changed: 'Changed since the lock',
  destructive: 'Tools that destroy something',
  'not-seen': 'Not looked at',
};
const mostLines = 8;
const mostNames = 5;

export function findingLines(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  return ['Read this before you trust it:', ...findingKinds.flatMap((kind) => linesOf(kind, findings))];
}

function linesOf(kind: FindingKind, findings: readonly Finding[]): string[] {
  const byMessage = new Map<string, string[]>();
  for (const { about, message } of findings.filter((one) => one.kind === kind)) {
    byMessage.set(message, [...(byMessage.get(message) ?? []), about]);
  }
  if (byMessage.size === 0) return [];
  const lines = [...byMessage].map(([message, about]) => {
    const more = about.length > mostNames ? ` and ${about.length - mostNames} more` : '';
    return printable(`    ${about.slice(0, mostNames).join(', ')}${more}${about.length === 1 ? '' : ':'} ${message}`);
  });
  const hidden = lines.length - mostLines;
  return [`  ${titles[kind]}`, ...lines.slice(0, mostLines), ...(hidden > 0 ? [`    and ${hidden} more; --format json has them all`] : [])];
}
