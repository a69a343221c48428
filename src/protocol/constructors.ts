// Short ways to write content blocks and messages.
import type { AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent } from './content.ts';
import type { SamplingMessageContentBlock } from './sampling.ts';

/** What may be added to a block beside its payload. */
type Extra<Block> = Omit<Block, 'type' | 'text' | 'data' | 'mimeType' | 'resource'>;

export function text(text: string, extra?: Extra<TextContent>): TextContent {
  return { type: 'text', text, ...extra };
}

/** A string is taken as base64 already. */
export function image(data: Uint8Array | string, mimeType: string, extra?: Extra<ImageContent>): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType, ...extra };
}

/** A string is taken as base64 already. */
export function audio(data: Uint8Array | string, mimeType: string, extra?: Extra<AudioContent>): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType, ...extra };
}

export function resourceLink(link: Omit<ResourceLink, 'type'>): ResourceLink {
  return { type: 'resource_link', ...link };
}

export function embedded(contents: EmbeddedResource['resource'], extra?: Extra<EmbeddedResource>): EmbeddedResource {
  return { type: 'resource', resource: contents, ...extra };
}

/** What the message of a prompt or of sampling may be made from. */
type Speech = string | ContentBlock | SamplingMessageContentBlock | readonly SamplingMessageContentBlock[];

type Message<Speaker, Said> = { readonly role: Speaker; readonly content: Said extends string ? TextContent : Said };

/** Fits a prompt, and sampling where the content does; a string becomes a text block. */
export function userMessage<Said extends Speech>(content: Said): Message<'user', Said> {
  return message('user', content);
}

/** Fits a prompt, and sampling where the content does; a string becomes a text block. */
export function assistantMessage<Said extends Speech>(content: Said): Message<'assistant', Said> {
  return message('assistant', content);
}

function message<Speaker, Said>(role: Speaker, said: Said): Message<Speaker, Said> {
  return { role, content: (typeof said === 'string' ? text(said) : said) as Message<Speaker, Said>['content'] };
}

/** A multiple of three, so that the pieces join without padding between them. */
const chunkBytes = 24_576;

/** A string counts as encoded already. */
export function toBase64(data: Uint8Array | string): string {
  if (typeof data === 'string') return data;
  const { Buffer } = globalThis as { Buffer?: typeof globalThis.Buffer };
  if (Buffer !== undefined) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
  let encoded = '';
  for (let start = 0; start < data.length; start += chunkBytes) {
    encoded += btoa(String.fromCharCode(...data.subarray(start, start + chunkBytes)));
  }
  return encoded;
}
