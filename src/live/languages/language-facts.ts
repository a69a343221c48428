// What is known of a language before an engine for it exists.

export interface LanguageFacts {
  /** As in `--language`. */
  readonly language: string;
  readonly aliases: readonly string[];
  /** Files that only this language loads. JavaScript loads those that no other language claims. */
  readonly files?: RegExp;
  /** What its tests are recognised by, in the message that there are none. */
  readonly testTools: readonly string[];
  /** One plus one. */
  readonly sum: string;
  /** A name at the end of a line, to be completed. */
  readonly nameAtEnd: RegExp;
  /** Whether code at a prompt is complete is decided by these; JavaScript has a parser for it. */
  readonly brackets?: {
    /** Strings, comments, characters and quoted names, each with a group that is empty where its end is missing; and brackets. */
    readonly tokens: RegExp;
    readonly opening: string;
    readonly closing: string;
  };
}
