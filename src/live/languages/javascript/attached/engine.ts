// The engine of a program the user attached to by its inspector: nothing of ours is in it, so less can be done there.
import { CellFault, type CellOptions, type Engine, type Notebook, type Prepared } from '../../../image/engine.ts';
import { asExpression, prepareCell } from '../cells/cell.ts';
import { prepareScopedCell } from '../cells/scoped-cell.ts';
import { readCell } from '../engine.ts';
import { inspectorOf } from './process.ts';
import { attachTo } from './program.ts';
import type { Protocol } from './protocol.ts';
import { inspectorAt, type Target } from './target.ts';

/** While something runs there, the program does nothing else. */
const maxMs = 10_000;

export function attached(target: Target): Engine {
  return {
    language: 'javascript',
    title: 'an attached program',
    foreign: true,
    maxMs,
    features: {
      interrupt: 'none',
      readOnly: true,
      debug: false,
      restarts: false,
      reload: false,
      lookup: true,
      packages: false,
      scopes: true,
      save: 'journal',
    },
    hint: '',
    async launch({ cwd, env }) {
      const { host, path, opened } = await reached(target);
      const url = await inspectorAt(host, path);
      const wire = await attachTo(url, opened ? closeInspector : undefined);
      return { command: '', args: [], env, cwd, wire, terms: {} };
    },
    open: () => new AttachedNotebook(),
    loadCode: (file) => `require(${JSON.stringify(file)})`,
  };
}

async function reached(target: Target): Promise<{ readonly host: string; readonly path?: string; readonly opened: boolean }> {
  return target.kind === 'pid' ? inspectorOf(target.pid) : { ...target, opened: false };
}

/** As it was found. */
async function closeInspector(protocol: Protocol): Promise<void> {
  const expression = "process.getBuiltinModule('node:inspector').close()";
  await protocol.ask('Runtime.evaluate', { expression, silent: true, timeout: 1_000 });
}

/** Cells go there as they were written, without their types: the inspector has a way of its own to declare names again. */
class AttachedNotebook implements Notebook {
  async prepare(code: string, number: number, { language, within }: CellOptions = {}): Promise<Prepared> {
    const name = `cell-${number}`;
    if (within !== undefined) {
      const scoped = await readCell(code, name, language, (plain) => prepareScopedCell(plain, within));
      return { fields: { code: '', within, scoped }, declares: [] };
    }
    return readCell(code, name, language, (plain) => {
      const { declares, imports } = prepareCell(plain, name);
      if (imports.length > 0) throw new CellFault(noImports);
      return { fields: { code: asExpression(plain) ?? plain }, declares };
    });
  }
}

const noImports = {
  type: 'SyntaxError',
  message: 'Nothing can be imported into an attached program: use require(…)',
  kind: 'syntax',
  frames: [],
} as const;
