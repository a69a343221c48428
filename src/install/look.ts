// What a person wants to know of a server before an agent reads what it says: found in its texts, said plainly, without a score.
type Json = Readonly<Record<string, unknown>>;

export type FindingKind = 'hidden-text' | 'instruction' | 'shadow' | 'changed' | 'destructive' | 'unseen';

export interface Finding {
  readonly kind: FindingKind;
  /** `tool search`, `instructions`. */
  readonly about: string;
  readonly message: string;
}

export interface Offer {
  readonly instructions?: string | undefined;
  readonly tools: readonly Json[];
  readonly prompts: readonly Json[];
  readonly resources: readonly Json[];
  readonly templates?: readonly Json[];
  /** What it says of itself. */
  readonly server?: Json;
}

/** Longer texts are looked at as far as this. */
const mostText = 200_000;
const mostFindings = 100;
const deepest = 60;
const mostMembers = 20_000;

/**
 * Formatting characters that show nothing, tags that spell ASCII invisibly, and runs of variation selectors, which can carry bytes.
 * Joiners and single selectors belong to emoji and to many scripts.
 */
const hidden =
  /[\u00ad\u200c\u200d]{2,}|(?<=[A-Za-z])(?:\u200c|\u200d|[\ufe00-\ufe0f])(?=[A-Za-z])|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180d]|\u2800|\u3164|\uffa0/gu;
const harmless: ReadonlySet<string> = new Set(['\n', '\r', '\t', '\u200c', '\u200d', '\u00ad']);
/** Never needed between two of these. */
const isBetweenLetters = /[A-Za-z]$/;

/** Sentences that speak to the model about something else than the tool. */
const instructions: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all)\b.{0,40}\binstructions?\b/i,
    'tells the model to ignore its instructions',
  ],
  [
    /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|mention|inform|reveal|show|notify|telling|mentioning)\b.{0,40}\b(?:user|human|them|anyone)\b/i,
    'tells the model to hide something from its user',
  ],
  [
    /<\/?(?:important|system|secret|instructions?|admin|assistant|human)(?: [^<>]{0,100})?>/i,
    'has markup that poses as a part of the conversation',
  ],
  [/\b(?:your system prompt|you are now|act as an? )\b/i, "speaks of the model's own role"],
  [
    /\b(?:before|after|whenever|instead of)\b.{0,30}\b(?:using|calling|[a]ny)\b.{0,30}\b(?:other|another|[a]ny) tools?\b/i,
    'tells the model how to use other tools',
  ],
  [
    /(?:~|\$HOME|\/home\/\w+|\/Users\/\w+)\/\.(?:env|config\/gh)\b|(?:~|\$HOME|\/)?\/?\.(?:ssh|aws|gnupg|netrc|npmrc|kube|pypirc)\b|\bid_(?:rsa|ed25519)\b|\.cursor\/mcp\.json/i,
    'names files that hold keys or secrets',
  ],
];

export function look(offer: Offer, others: ReadonlyMap<string, readonly string[]>): Finding[] {
  const lists = [
    ...(offer.instructions === undefined ? [] : [['instructions', { text: offer.instructions }] as const]),
    ...offer.tools.map((one) => [`tool ${nameOf(one)}`, one] as const),
    ...offer.prompts.map((one) => [`prompt ${nameOf(one)}`, one] as const),
    ...offer.resources.map((one) => [`resource ${String(one['uri'] ?? nameOf(one)).slice(0, 120)}`, one] as const),
    ...(offer.templates ?? []).map((one) => [`template ${String(one['uriTemplate'] ?? nameOf(one)).slice(0, 120)}`, one] as const),
    ...(offer.server === undefined ? [] : [['the server', offer.server] as const]),
  ];
  const found = lists.flatMap(([about, one]) => {
    const { texts, isWhole } = textsIn(one);
    const unseen: Finding = { kind: 'unseen', about, message: 'is too long or too deep to be looked at whole' };
    return [...hiddenIn(about, texts), ...instructionsIn(about, texts), ...(isWhole ? [] : [unseen])];
  });
  return worstFirst([...found, ...shadows(offer.tools.map(nameOf), others)]);
}

const severity: readonly FindingKind[] = ['instruction', 'hidden-text', 'shadow', 'changed', 'unseen', 'destructive'];

/** Many harmless ones must not hide a bad one. */
function worstFirst(found: readonly Finding[]): Finding[] {
  if (found.length <= mostFindings) return [...found];
  const sorted = found.toSorted((a, b) => severity.indexOf(a.kind) - severity.indexOf(b.kind));
  const more = found.length - mostFindings + 1;
  return [...sorted.slice(0, mostFindings - 1), { kind: 'unseen', about: 'And', message: `${more} findings more` }];
}

function hiddenIn(about: string, texts: readonly string[]): Finding[] {
  const codes = new Set<string>();
  for (const text of texts) {
    for (const { 0: one, index } of text.matchAll(hidden)) {
      if (harmless.has(one) && !(/\u200c|\u200d/.test(one) && isBetweenLetters.test(text.slice(index - 1, index)))) continue;
      for (const character of one) codes.add(`U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
    }
  }
  if (codes.size === 0) return [];
  const names = [...codes].slice(0, 5);
  const more = codes.size > names.length ? ` and ${codes.size - names.length} more` : '';
  return [{ kind: 'hidden-text', about, message: `has characters that cannot be seen: ${names.join(', ')}${more}` }];
}

function instructionsIn(about: string, texts: readonly string[]): Finding[] {
  // A line break between two words changes nothing for a model.
  const lines = texts.map((text) => text.replaceAll(/\s+/g, ' '));
  return instructions.flatMap(([pattern, message]) => {
    const found = lines.map((line) => pattern.exec(line)?.[0]).find((one) => one !== undefined);
    return found === undefined ? [] : [{ kind: 'instruction', about, message: `${message}: "${found.slice(0, 120)}"` } as const];
  });
}

function shadows(names: readonly string[], others: ReadonlyMap<string, readonly string[]>): Finding[] {
  return [...others].flatMap(([server, tools]) =>
    names
      .filter((name) => tools.includes(name))
      .map((name): Finding => ({ kind: 'shadow', about: `tool ${name}`, message: `has the name of a tool of the server "${server}"` })),
  );
}

/** Every text a model may be shown, schemas included, as far as it is looked at. */
function textsIn(value: unknown): { readonly texts: string[]; readonly isWhole: boolean } {
  const texts: string[] = [];
  let [isWhole, left] = [true, mostMembers];
  const visit = (one: unknown, depth: number): void => {
    if (typeof one === 'string') {
      if (one.length > mostText) isWhole = false;
      texts.push(one.slice(0, mostText));
    } else if (typeof one === 'object' && one !== null) {
      const members: readonly unknown[] = Array.isArray(one) ? one : Object.entries(one).flat();
      if (depth > deepest || members.length > left) isWhole = false;
      if (depth > deepest) return;
      for (const member of members.slice(0, left)) {
        left--;
        visit(member, depth + 1);
      }
    }
  };
  visit(value, 0);
  return { texts, isWhole };
}

function nameOf(one: Json): string {
  return String(one['name'] ?? '').slice(0, 120);
}
