// What a person wants to know of a server before an agent reads what it says: found in its texts, said plainly, without a score.
type Json = Readonly<Record<string, unknown>>;

export type FindingKind = 'hidden-text' | 'instruction' | 'shadow' | 'changed' | 'destructive';

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
}

/** Longer texts are looked at as far as this. */
const mostText = 200_000;
const mostFindings = 100;

/**
 * Formatting characters that show nothing, tags that spell ASCII invisibly, and runs of variation selectors, which can carry bytes.
 * Joiners and single selectors belong to emoji and to many scripts.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const harmless: ReadonlySet<string> = new Set(['\n', '\r', '\t', '\u200c', '\u200d', '\u00ad']);

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
  [/<\/?(?:important|system|secret|instructions?|admin|assistant|user|human)>/i, 'has markup that poses as a part of the conversation'],
  [/\b(?:system prompt|you are now|act as an? )\b/i, "speaks of the model's own role"],
  [
    /\b(?:before|after|whenever|instead of)\b.{0,30}\b(?:using|calling|[a]ny)\b.{0,30}\b(?:other|another|[a]ny) tools?\b/i,
    'tells the model how to use other tools',
  ],
  [
    /(?:~|\$HOME|\/home\/\w+|\/Users\/\w+)?\/?\.(?:ssh|aws|gnupg|netrc|env)\b|\bid_(?:rsa|ed25519)\b|\.cursor\/mcp\.json/i,
    'names files that hold keys or secrets',
  ],
];

export function look(offer: Offer, others: ReadonlyMap<string, readonly string[]>): Finding[] {
  const lists = [
    ...(offer.instructions === undefined ? [] : [['instructions', { text: offer.instructions }] as const]),
    ...offer.tools.map((one) => [`tool ${nameOf(one)}`, one] as const),
    ...offer.prompts.map((one) => [`prompt ${nameOf(one)}`, one] as const),
    ...offer.resources.map((one) => [`resource ${String(one['uri'] ?? nameOf(one)).slice(0, 120)}`, one] as const),
  ];
  const found = lists.flatMap(([about, one]) => {
    const texts = textsIn(one);
    return [...hiddenIn(about, texts), ...instructionsIn(about, texts)];
  });
  return [...found, ...shadows(offer.tools.map(nameOf), others)].slice(0, mostFindings);
}

function hiddenIn(about: string, texts: readonly string[]): Finding[] {
  const codes = new Set<string>();
  for (const text of texts) {
    for (const [one] of text.matchAll(hidden)) {
      if (harmless.has(one)) continue;
      for (const character of one) codes.add(`U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
    }
  }
  if (codes.size === 0) return [];
  const names = [...codes].slice(0, 5);
  const more = codes.size > names.length ? ` and ${codes.size - names.length} more` : '';
  return [{ kind: 'hidden-text', about, message: `has characters that cannot be seen: ${names.join(', ')}${more}` }];
}

function instructionsIn(about: string, texts: readonly string[]): Finding[] {
  return instructions.flatMap(([pattern, message]) => {
    const found = texts.map((text) => pattern.exec(text)?.[0]).find((one) => one !== undefined);
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

/** Every text a model may be shown, schemas included. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value.slice(0, mostText)];
  if (typeof value !== 'object' || value === null || depth > 20) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : Object.entries(value).flat();
  return entries.slice(0, 2_000).flatMap((one) => textsIn(one, depth + 1));
}

function nameOf(one: Json): string {
  return String(one['name'] ?? '').slice(0, 120);
}
