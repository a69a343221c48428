// Reads docs/dependencies.md: each package with the rooms that may import it and why it is there.
import { file } from './tree.ts';

export interface Reason {
  readonly name: string;
  readonly rooms: readonly string[];
  readonly why: string;
}

/** The rows of the table under the heading `title`. */
export function reasons(title: 'Dependencies' | 'Development' = 'Dependencies'): Reason[] {
  const { text } = file('docs/dependencies.md');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`docs/dependencies.md has no heading "## ${title}"`);
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [names = '', ...cells] = line.split('|').slice(1, -1);
      const rooms = title === 'Development' ? [] : quoted(cells.shift() ?? '');
      const why = (cells[0] ?? '').trim();
      return quoted(names).map((name) => ({ name, rooms, why }));
    });
}

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, inside = '']) => inside);
}
