// The tour of every method as golden transcripts, one for each revision. `UPDATE_WIRE=1` writes them anew.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { revisions } from 'vivarium';
import { createWire, parseTranscript } from 'vivarium/testing';
import { createTour } from '../fixtures/tour.mjs';
import { Link, type Message } from '../matrix/link.ts';
import { tour, tourCapabilities } from '../matrix/tour.ts';

it.each(revisions)('a tour in %s goes as it is written', async (revision) => {
  const link = new Link({ revision, capabilities: tourCapabilities });
  const wire = createWire(createTour());
  link.attach({ send: (message) => wire.send(message), close: () => wire.close() });
  void (async () => {
    for (;;) link.arrive((await wire.next()) as Message);
  })().catch(() => undefined);
  if (!link.modern) await link.initialize();
  await tour(link);
  await link.close();
  const file = fileURLToPath(new URL(`tour-${revision}.txt`, import.meta.url));
  const text = `Every method of ${revision}, used once. What is random is written as <random>.\n\n${masked(wire.transcript.text())}`;
  if (process.env['UPDATE_WIRE'] !== undefined) writeFileSync(file, text);
  expect(existsSync(file)).toBe(true);
  expect(parseTranscript(text)).toEqual(parseTranscript(readFileSync(file, 'utf8')));
});

function masked(text: string): string {
  return text.replace(/("requestState":|"elicitationId":)"[^"]*"/g, '$1"<random>"');
}
