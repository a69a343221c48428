// A server at a URL with the door of `vivarium record` in front of it, which lends a token; and what the server heard.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordUrl } from '../../src/cli/commands/record/http.ts';
import { Recorder } from '../../src/cli/commands/record/recording.ts';

export interface Lab extends AsyncDisposable {
  /** Of the door. */
  readonly url: string;
  /** Method, path and authorization of each request that reached the server. */
  readonly heard: readonly string[];
  /** The recording, as far as it is written. */
  recorded(): Promise<string>;
}

interface LabOptions {
  readonly token?: string;
  readonly path?: string;
  /** Headers of every answer. */
  readonly answer?: Readonly<Record<string, string>>;
  /** Instead of an empty object for everything. */
  readonly serve?: RequestListener;
}

export async function withDoor({ token, path = '/mcp', answer = {}, serve }: LabOptions): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'vivarium-door-'));
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    if (serve !== undefined) return serve(request, response);
    response.writeHead(200, { 'content-type': 'application/json', ...answer }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = new URL(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const recorder = new Recorder(join(folder, 'r.jsonl'), { target: target.href, transport: 'http' });
  const door = await recordUrl(target, token === undefined ? {} : { authorization: `Bearer ${token}` }, 0, recorder);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await door.close();
    await recorder.close();
  };
  return {
    url: door.url,
    heard,
    recorded: async () => {
      await close();
      return readFileSync(recorder.file, 'utf8');
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
