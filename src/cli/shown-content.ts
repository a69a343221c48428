// Content for people: text as text, everything else as a file or a line about it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobResourceContents, ContentBlock, TextResourceContents } from '../protocol/types.ts';
import { printable, printableLines } from './terminal.ts';

type Contents = TextResourceContents | BlobResourceContents;

const extensions: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/svg+xml', 'svg'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['application/pdf', 'pdf'],
  ['application/json', 'json'],
]);

export class Shown {
  readonly #folder: string | undefined;
  readonly #name: string;
  #files = 0;

  /** Without a folder nothing is saved, and a line says what there was. */
  constructor(folder: string | undefined, name: string) {
    this.#folder = folder;
    this.#name = name.replaceAll(/[^\w.-]+/g, '_').slice(0, 60) || 'result';
  }

  /** Ends with a line break. */
  blocks(blocks: readonly ContentBlock[]): string {
    return blocks.map((block) => lines(this.#block(block))).join('');
  }

  contents(contents: readonly Contents[]): string {
    return contents.map((one) => lines(this.#resource(one))).join('');
  }

  #block(block: ContentBlock): string {
    if (block.type === 'text') return printableLines(block.text);
    if (block.type === 'image' || block.type === 'audio') return this.#binary(block.type, block.data, block.mimeType);
    if (block.type === 'resource_link')
      return `[link ${printable(block.uri)}${block.title === undefined ? '' : ` ${printable(block.title)}`}]`;
    if (block.type === 'resource') return this.#resource(block.resource);
    return `[${printable(JSON.stringify(block).slice(0, 500))}]`;
  }

  #resource(one: Contents): string {
    return 'text' in one ? printableLines(one.text) : this.#binary('blob', one.blob, one.mimeType ?? 'application/octet-stream');
  }

  #binary(what: string, base64: string, mimeType: string): string {
    const bytes = Buffer.from(base64, 'base64');
    const about = `${what} ${printable(mimeType)}, ${bytes.length} bytes`;
    if (this.#folder === undefined) return `[${about}; --save <folder> keeps it]`;
    mkdirSync(this.#folder, { recursive: true });
    const file = join(this.#folder, `${this.#name}-${++this.#files}.${extensions.get(mimeType.split(';')[0] ?? '') ?? 'bin'}`);
    writeFileSync(file, bytes);
    return `[${about}: ${file}]`;
  }
}

function lines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
