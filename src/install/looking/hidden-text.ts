// Characters that show nothing, told apart from those that writing needs: joined letters, emoji, marks of direction.

const invisible = /(?:(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800])+/gu;

/** How a run may be written, what has to stand before it, and what behind. */
const wanted: readonly (readonly [run: RegExp, before: RegExp, after: RegExp])[] = [
  // Emoji: their presentation, several joined to one, keys, and flags of regions.
  [/^(?:[\ufe0e\ufe0f]|\ufe0f?\u200d)$/, /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{S}]/u, /^/],
  [/^\ufe0f$/, /[\d#*]/, /\u20e3/],
  [/^[\u{e0030}-\u{e007a}]{1,6}\u{e007f}$/u, /\u{1f3f4}/u, /^/],
  // Letters that join, and the variants of ideographs, of symbols and of Mongolian.
  [/^[\u200c\u200d]$/, /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Inherited}])[\p{L}\p{M}]/u, /^/],
  [/^[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u, /[\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}]/u, /^/],
  [/^\ufe00$/, /\p{Sm}/u, /^/],
  [/^[\u180b-\u180f]$/, /\p{Script=Mongolian}/u, /^/],
  // Where words are not set apart by blanks, and where one may be broken.
  [/^\u200b$/, /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u, /^/],
  [/^\u00ad$/, /\p{L}/u, /\p{L}/u],
  [/^\u2800+$/, /[\u2801-\u28ff]/, /^/],
  [/^\u2800+$/, /^/, /[\u2801-\u28ff]/],
  // Signs of numbers and verses in Arabic and Syriac, which are seen.
  [/^[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]$/, /^/, /^/],
];

/** No syllable is one letter between two breaks. */
const tooManyBreaks = /\u00ad\p{L}\u00ad/u;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;
const direction = /^[\u200e\u200f\u061c]$/;

export interface Hidden {
  /** `U+200B`, in the order they were found. */
  readonly codes: ReadonlySet<string>;
  /** What tags spell, letter by letter. */
  readonly spelled: string;
}

const mostSpelled = 120;

export function hiddenIn(texts: readonly string[]): Hidden {
  const codes = new Set<string>();
  let spelled = '';
  for (const text of texts) {
    const isBroken = tooManyBreaks.test(text);
    let isRightToLeft: boolean | undefined;
    const hasDirection = (): boolean => {
      isRightToLeft ??= rightToLeft.test(text);
      return isRightToLeft;
    };
    for (const { 0: run, index } of text.matchAll(invisible)) {
      if (isWanted(text, run, index) && !(isBroken && run === '\u00ad')) continue;
      if (direction.test(run) && hasDirection()) continue;
      for (const character of run) {
        const code = character.codePointAt(0) ?? 0;
        codes.add(`U+${code.toString(16).toUpperCase().padStart(4, '0')}`);
        if (code >= 0xe0020 && code < 0xe007f && spelled.length < mostSpelled) spelled += String.fromCharCode(code - 0xe0000);
      }
    }
  }
  return { codes, spelled };
}

export function withoutHidden(text: string): string {
  return text.replace(invisible, '');
}

function isWanted(text: string, run: string, at: number): boolean {
  // A mark of byte order that was taken over from a file.
  if (run.length > 16 || (run === '\ufeff' && at === 0)) return run === '\ufeff';
  const end = at + run.length;
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
  const [after = ''] = text.slice(end, end + 2);
  return wanted.some(([pattern, left, right]) => pattern.test(run) && left.test(before) && right.test(after));
}
