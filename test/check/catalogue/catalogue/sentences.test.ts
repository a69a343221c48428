// How sentences with a keyword are found on the pages of a specification.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pagesOf } from '../pages.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vivarium-pages-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a page', () => {
  it('gives its sentences with a keyword, without emphasis, links and line breaks, under their heading', () => {
    const [page] = pages({
      'docs/specification/2025-06-18/basic/x.mdx': [
        '---',
        'title: MUST be left out',
        '---',
        'Nothing here. A server **MUST**',
        'answer [promptly](/a/b), e.g. soon. It _MAY_ wait.',
        '## One `thing`',
        'Servers SHOULD NOT shout.',
        '## One thing',
        'This is REQUIRED.',
      ],
    });
    expect(page).toMatchObject({ path: 'basic/x', name: 'x', headings: ['one-thing', 'one-thing-2'] });
    expect(page?.sentences.map(({ text, levels, anchor }) => [text, levels, anchor])).toEqual([
      ['A server MUST answer promptly, e.g. soon.', ['MUST'], ''],
      ['It MAY wait.', ['MAY'], ''],
      ['Servers SHOULD NOT shout.', ['SHOULD NOT'], 'one-thing'],
      ['This is REQUIRED.', ['MUST'], 'one-thing-2'],
    ]);
  });

  it('joins a lead with each item below it that has no keyword of its own', () => {
    expect(
      texts(
        'Servers **MUST**:',
        '',
        '- Listen',
        '  - to all',
        '- Answer',
        '- and MAY wait',
        '',
        'Clients MUST do so:',
        '',
        '```json',
        '{}',
        '```',
      ),
    ).toEqual(['Servers MUST: Listen', 'Servers MUST: Answer', 'and MAY wait', 'Clients MUST do so:']);
  });

  it('joins an item with the items inside it, and with no others', () => {
    expect(texts('1. A client MUST:', '   - Ask', '   - Wait', '2. It listens.')).toEqual(['A client MUST: Ask', 'A client MUST: Wait']);
  });

  it('reads rows of tables and passes over code', () => {
    expect(
      texts('| a | b |', '| - | - |', '| x | Client MUST `send` it |', '```', 'MUST NOT be read', '```', '<Note>', 'It SHOULD.', '</Note>'),
    ).toEqual(['x | Client MUST send it', 'It SHOULD.']);
  });

  it('knows a sentence again whatever its case, its emphasis and its line breaks', () => {
    const hashes = (line: string) => page(line).map(({ hash }) => hash);
    expect(hashes('The `Mcp-Id` **MUST**\nbe *there*.')).toEqual(hashes('the MCP-ID MUST be there'));
    expect(hashes('The id MUST be there.')).not.toEqual(hashes('The id MUST be here.'));
  });
});

describe('the pages of a revision', () => {
  it('are named alike when one becomes a folder, and leave out the history and what is made from the schema', () => {
    const found = pages({
      'docs/specification/2025-06-18/index.mdx': ['One MAY.'],
      'docs/specification/2025-06-18/basic/transports/index.mdx': ['One MAY.'],
      'docs/specification/2025-06-18/changelog.mdx': ['One MUST.'],
      'docs/specification/2025-06-18/schema.mdx': ['One MUST.'],
    });
    expect(found.map(({ path, name }) => [path, name])).toEqual([
      ['basic/transports/index', 'transports'],
      ['index', 'overview'],
    ]);
  });

  it('have the comments of the schema among them, under the names they explain', () => {
    const [page] = pages({
      'docs/specification/2025-06-18/.keep': [],
      'schema/2025-06-18/schema.ts': [
        '/**',
        ' * Sent by {@link Client}, which MUST wait.',
        ' */',
        'export interface Ping {',
        '  /** It MAY be absent. */',
        '  token?: string;',
        '}',
      ],
    });
    expect(page?.sentences.map(({ text, anchor }) => [text, anchor])).toEqual([
      ['Sent by Client, which MUST wait.', 'Ping'],
      ['It MAY be absent.', 'Ping.token'],
    ]);
  });

  it('have the advice on security since there is any', () => {
    const advice = { 'docs/docs/2025-06-18/tutorials/security/security_best_practices.mdx': ['One MUST.'] };
    expect(pages({ 'docs/specification/2025-06-18/.keep': [], ...advice }).map(({ name }) => name)).toEqual(['security-best-practices']);
  });
});

function texts(...lines: string[]): string[] {
  return page(lines.join('\n')).map(({ text }) => text);
}

function page(text: string): ReturnType<typeof pagesOf>[number]['sentences'] {
  return pages({ 'docs/specification/2025-06-18/basic/x.mdx': [text] })[0]?.sentences ?? [];
}

function pages(files: Readonly<Record<string, readonly string[]>>): ReturnType<typeof pagesOf> {
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), lines.join('\n'));
  }
  return pagesOf(folder, '2025-06-18');
}
