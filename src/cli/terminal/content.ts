// Content for people: text as text, everything else as a file or a line about it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobResourceContents, ContentBlock, TextResourceContents } from '../../protocol/types.ts';
import { orRefuse } from './output.ts';
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
    if (block.type === 'text' && typeof block.text === 'string') return printableLines(block.text);
    if (block.type === 'image' || block.type === 'audio') return this.#binary(block.type, block.data, block.mimeType);
    if (block.type === 'resource_link')
      return `[link ${printable(String(block.uri))}${block.title === undefined ? '' : ` ${printable(String(block.title))}`}]`;
    if (block.type === 'resource' && typeof block.resource === 'object' && block.resource !== null) return this.#resource(block.resource);
    return `[${printable(String(JSON.stringify(block)).slice(0, 500))}]`;
  }

  #resource(one: Contents): string {
    if ('text' in one && typeof one.text === 'string') return printableLines(one.text);
    return this.#binary('blob', 'blob' in one ? one.blob : undefined, one.mimeType ?? 'application/octet-stream');
  }

  /** A stranger's: what should be text may be anything. */
  #binary(what: string, base64: unknown, mimeType: unknown): string {
    const type = typeof mimeType === 'string' ? mimeType : 'of no type';
    if (typeof base64 !== 'string') return `[${what} ${printable(type)}, without data]`;
    const bytes = Buffer.from(base64, 'base64');
    const about = `${what} ${printable(type)}, ${bytes.length} bytes`;
    const folder = this.#folder;
    if (folder === undefined) return `[${about}; --save <folder> keeps it]`;
    const file = join(folder, `${this.#name}-${++this.#files}.${extensions.get(type.split(';')[0] ?? '') ?? 'bin'}`);
    orRefuse(file, () => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, bytes);
    });
    return `[${about}: ${file}]`;
  }
}

function lines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
