// Every way in which a tool brings text of a caller into an image leaves a record first, in every language.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AuditRecord, type AuditStart, type Engine, javascript, lisp, smalltalk } from 'vivarium/live';
import { notRun } from '../../../scripts/prepare.mjs';
import { Image } from '../../../src/live/image/image.ts';
import { type Lab, openLab } from '../../live/fixture.ts';

afterEach(() => vi.restoreAllMocks());

interface Dialect {
  readonly engine: Engine;
  /** A literal of this text. */
  literal(text: string): string;
  readonly fails: string;
  /** A file it can load. */
  readonly file: string;
  /** What this language has not: it is refused or left out before anything reaches an image. */
  readonly lacks?: readonly string[];
}

const dialects: readonly (readonly [string, Dialect, boolean])[] = [
  ['JavaScript', { engine: javascript(), literal: (text) => `"${text}"`, fails: 'throw new Error("x")', file: '.mjs' }, false],
  [
    'Common Lisp',
    { engine: lisp(), literal: (text) => `"${text}"`, fails: '(1+ unheard-of)', file: '.lisp', lacks: ['define on', 'evaluate in'] },
    notRun('sbcl'),
  ],
  [
    'Smalltalk',
    {
      engine: smalltalk(),
      literal: (text) => `'${text}'`,
      fails: 'nil zork',
      file: '.st',
      lacks: ['profile code', 'run_tests files', 'evaluate in'],
    },
    false,
  ],
];

/** Texts that name something and are neither run nor read as code in an image. */
const names: ReadonlySet<string> = new Set(['session', 'language', 'evaluate package', 'sessions name']);
/** Read by the server itself, where the language can be read without its image. */
const readOutside = 'check_syntax code';

/** What else a call must say so that it comes as far as the image. */
const besides: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'define on': { source: 'x' },
  'evaluate in': { code: '1' },
  'inspect path': { target: '#1' },
  'debug code': { action: 'eval' },
  'debug value': { action: 'restart', restart: 1 },
};

type Schema = { readonly properties?: Readonly<Record<string, { type?: string; enum?: unknown; items?: { type?: string } }>> };

describe('the audit log', () => {
  describe.each(dialects.filter(([, , isMissing]) => !isMissing))('in %s', (_, dialect) => {
    it('has a record of every text that a tool brings into the image, before it arrives', async () => {
      const records: AuditRecord[] = [];
      await using lab = await auditedLab(dialect.engine, (record) => records.push(record));
      const unrecorded: string[] = [];
      const recorded = (words: string): boolean => records.some((one) => one.event === 'start' && one.text.includes(words));
      const request = Image.prototype.request;
      vi.spyOn(Image.prototype, 'request').mockImplementation(function (this: Image, op, fields, id) {
        const [marker] = /marker-\d+-end/.exec(JSON.stringify(fields ?? {})) ?? [];
        if (marker !== undefined && !recorded(marker)) unrecorded.push(`${op} ${marker}`);
        return request.call(this, op, fields, id);
      });
      let count = 0;
      for (const { name, inputSchema } of await lab.client.listTools()) {
        for (const [property, { type, enum: choices, items }] of Object.entries((inputSchema as Schema).properties ?? {})) {
          const about = `${name} ${property}`;
          const isText = (type === 'string' && choices === undefined) || items?.type === 'string';
          if (!isText || names.has(property) || names.has(about)) continue;
          if (about === readOutside && dialect.engine.readsInImage !== true) continue;
          const marker = `marker-${++count}-end`;
          const given = property === 'on' ? 'Marker' : property.startsWith('file') ? `${marker}${dialect.file}` : dialect.literal(marker);
          writeFileSync(join(lab.folder, `${marker}${dialect.file}`), '');
          if (name === 'debug') await pause(lab, dialect);
          const args = { ...besides[about], [property]: type === 'array' ? [given] : given };
          await lab.call(name, args).catch(() => undefined);
          if (name === 'debug') await lab.call('debug', { action: 'abort' });
          expect(recorded(property === 'on' ? 'Marker' : marker), about).toBe(dialect.lacks?.includes(about) !== true);
        }
      }
      expect(count).toBeGreaterThan(10);
      expect(unrecorded).toEqual([]);
      const started = records.filter((one): one is AuditStart => one.event === 'start');
      expect(new Set(started.map(({ operation }) => operation))).toContain('boot');
      for (const one of started) expect(one, one.operation).toMatchObject({ transport: 'stdio', client: expect.any(String) });
    }, 120_000);
  });
});

async function pause(lab: Lab, { fails }: Dialect): Promise<void> {
  expect((await lab.evaluate(fails, { on_error: 'pause' })).structured.status).toBe('paused');
}

/** All tools, run_tests among them. */
async function auditedLab(engine: Engine, audit: (record: AuditRecord) => void): Promise<Lab> {
  const folder = await openLab();
  writeFileSync(join(folder.folder, 'package.json'), '{"scripts":{"test":"node --test"}}');
  return openLab({ engines: [engine], tools: 'all', audit, cwd: folder.folder, limits: { rssMb: 1_024 } });
}
