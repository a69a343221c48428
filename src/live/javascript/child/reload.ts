// Edited files, swapped into the running program.
import type { Inspector } from './inspector.ts';

export async function reload(_inspector: Inspector, _files: readonly string[] | undefined, _folder: string): Promise<object> {
  return { text: 'Nothing changed.' };
}
