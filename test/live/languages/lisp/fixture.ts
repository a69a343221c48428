// A live server with real SBCL images, and the code that leaves a sign outside of them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { lisp } from 'vivarium/live';
import { eventually, type Lab, type LabOptions, openLab } from '../../fixture.ts';

export { type Answer, eventually, fenced, isAlive, type Lab } from '../../fixture.ts';

export function openLisp(options: LabOptions = {}): Promise<Lab> {
  return openLab({ engines: [lisp()], ...options, limits: { rssMb: 1_024, ...options.limits } });
}

let marks = 0;

export function mark(lab: Lab): { readonly code: string; seen(): Promise<void> } {
  const file = join(lab.folder, `sign-${++marks}`);
  return {
    code: `(with-open-file (sign ${JSON.stringify(file)} :direction :output :if-exists :supersede) (write-line "x" sign))`,
    seen: () => eventually(() => existsSync(file)).toBe(true),
  };
}
