// Reads the pages of a revision of the specification and finds the sentences that demand, forbid, recommend or permit.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Found {
  /** Without emphasis, links and line breaks. */
  readonly text: string;
  readonly hash: string;
  readonly levels: readonly string[];
  /** That of the heading it stands under; empty before the first. */
  readonly anchor: string;
}

interface Contents {
  readonly headings: readonly string[];
  readonly sentences: readonly Found[];
}

export interface Page extends Contents {
  /** Below the folder of the revision: `basic/transports`. */
  readonly path: string;
  /** That of the file which maps its sentences; the same for a page that has moved. */
  readonly name: string;
}

interface Block {
  readonly kind: 'heading' | 'item' | 'row' | 'text';
  readonly indent: number;
  text: string;
}

/** Pages that tell of other pages or of other revisions, and the page that is made from schema.ts, which is read itself. */
const leftOut = /^(?:changelog|schema)$/;

const securityPage = 'tutorials/security/security_best_practices';

const keywords = /\b(MUST NOT|SHALL NOT|SHOULD NOT|NOT RECOMMENDED|MUST|SHALL|REQUIRED|SHOULD|RECOMMENDED|MAY|OPTIONAL)\b/g;
const levelOf: ReadonlyMap<string, string> = new Map([
  ['SHALL', 'MUST'],
  ['REQUIRED', 'MUST'],
  ['SHALL NOT', 'MUST NOT'],
  ['RECOMMENDED', 'SHOULD'],
  ['NOT RECOMMENDED', 'SHOULD NOT'],
  ['OPTIONAL', 'MAY'],
]);

/** Every page of one revision, with its headings and its sentences. `folder` is a checkout of the specification's repository. */
export function pagesOf(folder: string, revision: string): Page[] {
  const root = join(folder, 'docs/specification', revision);
  const pages: (Contents & { path: string })[] = filesIn(root).map((path) => ({
    path,
    ...read(readFileSync(join(root, `${path}.mdx`), 'utf8')),
  }));
  const advice = join(folder, 'docs/docs', revision, `${securityPage}.mdx`);
  // The page came with 2025-06-18; those of earlier revisions are later copies.
  if (revision >= '2025-06-18' && existsSync(advice)) pages.push({ path: securityPage, ...read(readFileSync(advice, 'utf8')) });
  const schema = join(folder, 'schema', revision, 'schema.ts');
  if (existsSync(schema)) pages.push({ path: 'schema', ...readComments(readFileSync(schema, 'utf8')) });
  return pages.map((page) => ({ ...page, name: nameOf(page.path) }));
}

function nameOf(path: string): string {
  const parts = path.split('/');
  if (parts.at(-1) === 'index') parts.pop();
  return parts.at(-1)?.replaceAll('_', '-') ?? 'overview';
}

function filesIn(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(root, path);
    const page = path.replace(/\.mdx$/, '');
    return path.endsWith('.mdx') && !leftOut.test(page) ? [page] : [];
  });
}

function read(text: string): Contents {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '').replace(/^([ \t]*)(```+)[^\n]*\n[\s\S]*?^[ \t]*\2[ \t]*$/gm, '');
  const headings: string[] = [];
  const sentences: Found[] = [];
  let anchor = '';
  let pending: Block[] = [];
  for (const block of blocksOf(body)) {
    if (block.kind !== 'heading') {
      pending.push(block);
      continue;
    }
    sentences.push(...sentencesOf(pending, anchor));
    pending = [];
    anchor = numbered(slug(block.text), headings);
    headings.push(anchor);
  }
  sentences.push(...sentencesOf(pending, anchor));
  return { headings, sentences };
}

/** The comments of schema.ts; the heading is the name of what follows. */
function readComments(text: string): Contents {
  const sentences: Found[] = [];
  const headings: string[] = [];
  let outer = '';
  for (const [, comment = '', next = ''] of text.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([^\n]*)/g)) {
    const declared = /^export (?:interface|type|const) (\w+)/.exec(next)?.[1];
    if (declared !== undefined) outer = declared;
    const member = declared === undefined ? /^"?([\w./-]+)"?\??:/.exec(next)?.[1] : undefined;
    const anchor = member === undefined ? outer : `${outer}.${member}`;
    headings.push(anchor);
    const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, ''));
    const prose = lines.join('\n').replace(/\{@link(?:code)? ([^}|]+?)(?:\s*\|\s*([^}]+))?\}/g, (_, target, label) => label ?? target);
    const tagged = prose.replace(/^@(\w+)/gm, '\n@$1');
    sentences.push(...sentencesOf(blocksOf(tagged), anchor));
  }
  return { headings, sentences };
}

/** Paragraphs, items of lists, rows of tables and headings, with their indentation. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length;
    const rest = line.trim();
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    const item = /^(?:[-*+]|\d+\.)\s+(.*)$/.exec(rest);
    if (rest === '' || /^<\/?[A-Z]\w*[^>]*>$/.test(rest) || /^(?:import|export) /.test(rest)) open = undefined;
    else if (heading) {
      blocks.push({ kind: 'heading', indent: 0, text: heading[1] ?? '' });
      open = undefined;
    } else if (rest.startsWith('|')) {
      if (!/^[|\s:-]+$/.test(rest))
        blocks.push({
          kind: 'row',
          indent,
          text: rest
            .replace(/^\||\|$/g, '')
            .replace(/\s*\|\s*/g, ' | ')
            .trim(),
        });
      open = undefined;
    } else if (item) {
      open = { kind: 'item', indent, text: item[1] ?? '' };
      blocks.push(open);
    } else if (open) open.text += ` ${rest}`;
    else {
      open = { kind: 'text', indent, text: rest };
      blocks.push(open);
    }
  }
  return blocks;
}

/** A lead such as "Servers MUST:" belongs to each item below it that has no keyword of its own. */
function sentencesOf(blocks: readonly Block[], anchor: string): Found[] {
  const found: string[] = [];
  const consumed = new Set<Block>();
  blocks.forEach((block, index) => {
    if (consumed.has(block)) return;
    const parts = split(plain(block.text));
    const last = parts.at(-1) ?? '';
    const items = last.endsWith(':') && levelsIn(last).length > 0 ? itemsBelow(block, blocks.slice(index + 1)) : [];
    const bare = items.filter((item) => levelsIn(plain(item.text)).length === 0);
    for (const part of bare.length > 0 ? parts.slice(0, -1) : parts) if (levelsIn(part).length > 0) found.push(part);
    for (const item of bare) {
      consumed.add(item);
      found.push(`${last} ${plain(item.text)}`);
    }
  });
  return found.map((text) => ({ text, hash: hashOf(text), levels: levelsIn(text), anchor }));
}

function itemsBelow(lead: Block, after: readonly Block[]): Block[] {
  const items: Block[] = [];
  let first: number | undefined;
  for (const block of after) {
    if (block.kind !== 'item' || (lead.kind === 'item' && block.indent <= lead.indent)) {
      if (first !== undefined && block.indent > first) continue;
      break;
    }
    first ??= block.indent;
    if (block.indent < first) break;
    if (block.indent === first) items.push(block);
  }
  return items;
}

function levelsIn(text: string): string[] {
  return [...new Set([...text.matchAll(keywords)].map(([word]) => levelOf.get(word) ?? word))];
}

function plain(text: string): string {
  return text
    .replace(/<br\s*\/?>/g, ' ')
    .replace(/<\/?[A-Za-z][^>]*>/g, '')
    .replace(/!?\[((?:[^\]\\]|\\.)*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\[[^\]]*\]/g, '$1')
    .replace(/\*\*|__|(?<![\w/])_|_(?![\w/])|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function split(text: string): string[] {
  return text
    .split(/(?<=[.!?]["')]?)(?<!\b(?:e\.g|i\.e|etc|vs|cf|Sec|Section \d)\.)\s+(?=["'(]?[A-Z0-9[*])/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** By the words alone, so that case, emphasis, links and line breaks do not matter. */
function hashOf(text: string): string {
  return createHash('sha256')
    .update(
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, ' ')
        .trim(),
    )
    .digest('hex')
    .slice(0, 10);
}

/** The second heading of a name has the anchor `name-2`. */
function numbered(name: string, before: readonly string[]): string {
  const same = before.filter((each) => each === name || (each.startsWith(`${name}-`) && /^\d+$/.test(each.slice(name.length + 1))));
  return same.length === 0 ? name : `${name}-${same.length + 1}`;
}

function slug(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}
