// What a person wants to know of a server before an agent reads what it says: found in its texts, said plainly, without a score.
import { hiddenIn } from './looking/hidden-text.ts';
import { TextReader } from './looking/offered-texts.ts';
import { saidIn } from './looking/sentences.ts';

type Json = Readonly<Record<string, unknown>>;

/** The worst first. */
export const findingKinds = [
  'hidden-text',
  'look-alike',
  'instruction',
  'secret-file',
  'shadow',
  'changed',
  'destructive',
  'not-seen',
] as const;

export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** `tool search`, `instructions`. */
  readonly about: string;
  readonly message: string;
}

export interface Offer {
  /** As it introduces itself. */
  readonly server?: object | undefined;
  readonly instructions?: string | undefined;
  readonly tools: readonly Json[];
  readonly prompts: readonly Json[];
  readonly resources: readonly Json[];
  readonly templates: readonly Json[];
  /** Lists that it offers and did not give, and why. */
  readonly failed?: readonly { readonly list: string; readonly why: string }[];
}

/** Of one kind. */
const mostFindings = 1_000;
const mostQuoted = 120;

export function look(offer: Offer, others: ReadonlyMap<string, readonly string[]>): Finding[] {
  const all: (readonly [about: string, what: unknown])[] = [
    ['its introduction', offer.server],
    ['instructions', offer.instructions],
    ...offer.tools.map((one) => [`tool ${nameOf(one)}`, one] as const),
    ...offer.prompts.map((one) => [`prompt ${nameOf(one)}`, one] as const),
    ...offer.resources.map((one) => [`resource ${clipped(one['uri'] ?? one['name'])}`, one] as const),
    ...offer.templates.map((one) => [`template ${clipped(one['uriTemplate'] ?? one['name'])}`, one] as const),
  ];
  const reader = new TextReader();
  const found = all.flatMap(([about, what]) => inTexts(about, reader.read(about, what)));
  return [...found, ...shadows(offer.tools.map(nameOf), others), ...notSeen(offer, reader.cut)];
}

/** The worst first, and a bounded number of each kind: many of one hide none of another. */
export function ranked(findings: readonly Finding[]): Finding[] {
  const kept = findingKinds.flatMap((kind) => findings.filter((one) => one.kind === kind).slice(0, mostFindings));
  const more = findings.length - kept.length;
  return more === 0 ? kept : [...kept, { kind: 'not-seen', about: 'findings', message: `${more} more are left out` }];
}

function inTexts(about: string, texts: readonly string[]): Finding[] {
  const { codes, spelled } = hiddenIn(texts);
  const names = [...codes].slice(0, 5);
  const more = codes.size > names.length ? ` and ${codes.size - names.length} more` : '';
  const meant = spelled === '' ? '' : `, which spell "${spelled}"`;
  const hidden: Finding = {
    kind: 'hidden-text',
    about,
    message: `has characters that cannot be seen: ${names.join(', ')}${more}${meant}`,
  };
  const said = saidIn(texts).map(({ kind, message, quote }) => ({ kind, about, message: `${message}: "${clipped(quote)}"` }));
  return codes.size === 0 ? said : [hidden, ...said];
}

function shadows(names: readonly string[], others: ReadonlyMap<string, readonly string[]>): Finding[] {
  return [...others].flatMap(([server, tools]) => {
    const taken = new Set(tools);
    return names
      .filter((name) => taken.has(name))
      .map((name): Finding => ({ kind: 'shadow', about: `tool ${name}`, message: `has the name of a tool of the server "${server}"` }));
  });
}

function notSeen({ failed = [] }: Offer, cut: readonly string[]): Finding[] {
  return [
    ...failed.map(({ list, why }): Finding => ({ kind: 'not-seen', about: list, message: `could not be listed: ${clipped(why)}` })),
    ...cut.map((about): Finding => ({ kind: 'not-seen', about, message: 'was not looked at to its end: there is too much' })),
  ];
}

function nameOf(one: Json): string {
  return clipped(one['name']);
}

function clipped(text: unknown): string {
  const whole = String(text ?? '');
  return whole.length <= mostQuoted ? whole : `${whole.slice(0, mostQuoted - 1)}…`;
}
