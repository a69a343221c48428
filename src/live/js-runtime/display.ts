// display(picture): hands a picture to whoever asked.
import { readFileSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';

const maxBytes = 5 * 1024 * 1024;

export function provideDisplay(port: MessagePort): void {
  const display = (picture: unknown, type?: unknown): void => {
    const bytes = typeof picture === 'string' || picture instanceof URL ? readFileSync(picture) : bytesOf(picture);
    if (bytes.length > maxBytes) throw new RangeError(`The picture has ${bytes.length} bytes, more than ${maxBytes}`);
    const mimeType = typeof type === 'string' ? type : typeOf(bytes);
    port.postMessage({ ev: 'display', mimeType, data: bytes.toString('base64') });
  };
  Object.defineProperty(globalThis, 'display', { value: display, writable: true, configurable: true, enumerable: false });
}

function bytesOf(picture: unknown): Buffer {
  if (ArrayBuffer.isView(picture)) return Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  if (picture instanceof ArrayBuffer) return Buffer.from(picture);
  throw new TypeError('display takes the path of a picture, or its bytes');
}

/** By the first bytes, as browsers tell. */
function typeOf(bytes: Buffer): string {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF8')) return 'image/gif';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp';
  if (/^\s*<(?:svg|\?xml)/.test(start)) return 'image/svg+xml';
  throw new TypeError('This is no PNG, JPEG, GIF, WebP or SVG: give its type as the second argument');
}
