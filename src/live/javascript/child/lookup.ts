// What a name stands for, and where it is used.
import type { Inspector } from './inspector.ts';

export async function lookUp(_inspector: Inspector, name: string, want: string, _folder: string): Promise<object> {
  return { text: `${want} of ${name}` };
}
