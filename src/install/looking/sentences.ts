// Sentences that speak to the model about something else than the tool, however they are broken, spelled or encoded.
import { withoutHidden } from './hidden-text.ts';

export interface Said {
  readonly kind: 'hidden-text' | 'instruction' | 'secret-file' | 'look-alike';
  readonly message: string;
  readonly quote: string;
}

type Rule = readonly [kind: Said['kind'], pattern: RegExp, message: string];

const rules: readonly Rule[] = [
  [
    'instruction',
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all|your|system)\b.{0,40}\b(?:instructions?|prompts?|guidelines)\b/i,
    'tells the model to ignore its instructions',
  ],
  [
    'instruction',
    /\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|mention|inform|reveal|notify|alert|telling|mentioning|informing|notifying)\b.{0,30}\b(?:users?|humans?|them|anyone|anybody)\b/i,
    'tells the model to hide something from its user',
  ],
  [
    'instruction',
    /\b(?:(?:do not|don't|never) ask|without (?:first )?asking) (?:(?:the|your|for|[a]ny) ){0,2}(?:users?|humans?|confirmation|permission|approval|consent)\b/i,
    'tells the model not to ask its user',
  ],
  [
    'instruction',
    /<\/?(?:important|system|admin|assistant|human)\b[^<>]{0,100}>|<(?:secret|instructions?|user)(?: [^<>]{0,100})?>.{0,2000}?<\/(?:secret|instructions?|user)>/i,
    'has markup that poses as a part of the conversation',
  ],
  ['instruction', /\byou are (?:now|no longer) (?:an?|the|in|bound)\b/i, "speaks of the model's own role"],
  [
    'instruction',
    /\b(?:reveal|print|repeat|output|include|send|pass|forward|append|put)\b.{0,40}\b(?:your|the) (?:system prompt|(?:(?:full|entire|whole|complete) )?conversation)\b/i,
    'wants to be told what the model was told',
  ],
  [
    'instruction',
    /\b(?:before|after|whenever|instead of)\b.{0,30}\b(?:using|calling|[a]ny)\b.{0,30}\b(?:other|another|[a]ny) tools?\b/i,
    'tells the model how to use other tools',
  ],
  [
    'secret-file',
    /(?<![\w.])\.(?:ssh|gnupg|netrc|npmrc|pypirc|pgpass|git-credentials)\b|\.(?:aws\/credentials|kube\/config|docker\/config\.json|cursor\/mcp\.json|claude\.json)|\bgh\/hosts\.yml|\bid_(?:rsa|ed25519|ecdsa)\b|\bclaude_desktop_config\.json|\/etc\/shadow\b/i,
    'names files that hold keys or secrets',
  ],
  [
    'secret-file',
    /(?<!not |never |n't )\b(?:read|cat|open|send|upload|attach|paste|contents? of)\b.{0,30}(?<![\w.*])\.env\b(?!\.)/i,
    'names files that hold keys or secrets',
  ],
];

/** Letters of other alphabets that look like those of ours. */
const twins: ReadonlyMap<string, string> = new Map(
  [...'аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwѵvАAВBЕEКKМMНHОOРPСCТTХXЅSІIЈJУYοoΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX'].flatMap((one, at, all) =>
    at % 2 === 0 ? [[one, all[at + 1] ?? one] as const] : [],
  ),
);
const foreign = /[Α-Ωοа-яА-ЯѕіјһԁԛԝѵЅІЈ]/gu;
const mixedWord = /(?<!\p{L})(?=\p{L}{0,40}[A-Za-z])(?=\p{L}{0,40}[Α-Ωο\u0400-\u052f])\p{L}{2,40}(?!\p{L})/gu;

const longRun = /[A-Za-z\d+/_-]{40,}={0,2}/g;
const prose = /^[A-Za-z\d\s.,;:'"!?()<>/~$_@-]+$/;
const mostRuns = 1_000;

/** At most one for each rule. */
export function saidIn(texts: readonly string[]): Said[] {
  const read = texts.map(asRead);
  return [...rules.flatMap((rule) => firstOf(rule, read)), ...lookAlike(texts), ...encoded(texts)];
}

function firstOf([kind, pattern, message]: Rule, texts: readonly string[]): Said[] {
  for (const text of texts) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return [{ kind, message, quote: found }];
  }
  return [];
}

/** As a model takes it: line breaks are blanks, and a letter is what it looks like. */
function asRead(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  const plain = /^[\x00-\x7f]*$/.test(text) ? text : withoutHidden(text).normalize('NFKC').replace(foreign, twinOf);
  return plain.replace(/\s+/g, ' ');
}

function twinOf(letter: string): string {
  return twins.get(letter) ?? letter;
}

/** A word of our letters and of their twins only: whoever mixes languages uses letters that have none, too. */
function lookAlike(texts: readonly string[]): Said[] {
  for (const text of texts) {
    for (const [word] of text.matchAll(mixedWord)) {
      if ([...word].every((letter) => /\p{Script=Latin}/u.test(letter) || twins.has(letter)))
        return [{ kind: 'look-alike', message: 'has letters of another alphabet in the midst of a word', quote: word }];
    }
  }
  return [];
}

function encoded(texts: readonly string[]): Said[] {
  let runs = 0;
  for (const text of texts) {
    for (const [run] of text.matchAll(longRun)) {
      if (++runs > mostRuns) return [];
      const meant = Buffer.from(run.slice(0, 4_000), 'base64').toString('latin1');
      const words = meant.match(/[A-Za-z]{2,20}[ ,.]/g)?.length ?? 0;
      if (words >= 3 && words > meant.length / 20 && prose.test(meant))
        return [{ kind: 'hidden-text', message: 'has sentences in base64', quote: meant }];
    }
  }
  return [];
}
