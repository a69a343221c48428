// What a worker beside Smalltalk answers. At an error it holds the evaluation where it was asked to: the contexts are still there.
import type { Fault } from '../../../image/engine.ts';
import { type LanguageMonitor, type MonitorServices, startMonitor } from '../../../js-runtime/monitor-thread.ts';
import { newestRef } from '../../../js-runtime/profiling.ts';
import type { WireFrame } from '../../../js-runtime/wire.ts';

interface Held {
  readonly id: number;
  readonly request: WireFrame;
  readonly told: WireFrame & { readonly fault: Fault };
}

/** The JavaScript below has unwound by then, so a cell is gone on with as a whole. */
const restarts = [
  { name: 'retry', report: 'Run the cell again from its beginning' },
  { name: 'return', report: 'The cell answers a value instead', takesValue: true },
  { name: 'abandon', report: 'Give the cell up' },
] as const;

const noProfile = 'Amber has no profile: to the engine its methods have no names. [ … ] timeToRun gives the milliseconds of a block';

startMonitor(smalltalkMonitor);

function smalltalkMonitor({ inspector, post, tell, conclude, inTime }: MonitorServices): LanguageMonitor {
  let version = '';
  let running: { readonly request: WireFrame; readonly pauses: boolean } | undefined;
  let held: Held | undefined;
  const ask = <T extends object>(method: string, ...given: Parameters<typeof inspector.ask>[1][]): Promise<T> =>
    inTime(inspector.ask<T>(method, ...given));
  const hold = (what: Held | undefined): void => {
    held = what;
    // Memory may run short meanwhile.
    void ask('hold', what !== undefined).catch(() => undefined);
  };
  const end = (told: object): object => {
    const { id } = held as Held;
    hold(undefined);
    conclude(id, told);
    return {};
  };
  const again = (id: number, code: unknown): object => {
    hold(undefined);
    post({ op: 'evaluate', id, code, functions: '', awaits: true, fresh: [], pauses: false });
    return {};
  };
  const debug = async ({ action, frame = 0, code, restart, value }: WireFrame): Promise<object> => {
    if (held === undefined) throw new Error('Nothing is paused');
    const { id, request, told } = held;
    if (action === 'frames') return pauseOf({ ...told.fault, ...(await ask<Partial<Fault>>('frames')) });
    if (action === 'eval') return ask('evaluateIn', Number(frame), String(code));
    if (action === 'resume') return end(told);
    if (action !== 'restart') throw new Error('The contexts can be looked at, but nothing runs that could be stepped through');
    switch (restarts[Number(restart)]?.name) {
      case 'retry':
        return again(id, request['code']);
      case 'return':
        if (value === undefined) throw new Error('return takes a value: value: "3 + 4"');
        return again(id, `__vivarium_cell(async () => __vivarium_smalltalk(${JSON.stringify(value)}))`);
      case 'abandon':
        return end({ interrupted: true });
    }
    throw new Error(`There is no restart ${String(restart)}, only 0 to ${restarts.length - 1}`);
  };
  const answers: Readonly<Record<string, (request: WireFrame) => Promise<object>>> = {
    inspect: async ({ target, path = [], offset = 0 }) => ({
      view: await ask('inspect', target as number | string, path as readonly string[], Number(offset)),
    }),
    lookup: ({ name, want }) => ask('lookup', String(name), String(want)),
    complete: async ({ prefix, kind }) => ({ names: await ask('complete', String(prefix), ...(kind === undefined ? [] : [String(kind)])) }),
    refs: async () => ({ newest: await newestRef(inspector) }),
    modules: async () => ({ files: await ask('files') }),
    reload: ({ files }) => ask('reload', ...(files === undefined ? [] : [files as readonly string[]])),
    heap: () => inspector.post('Runtime.getHeapUsage'),
    check: ({ code }) => ask('check', String(code)),
    profile: () => Promise.reject(new Error(noProfile)),
    debug,
  };
  return {
    get version() {
      return version;
    },
    async begin() {
      version = await inspector.ask<string>('version');
    },
    noted(request, pauses) {
      running = { request, pauses };
      return undefined;
    },
    holds(id, told) {
      const { fault } = told as { fault?: Fault };
      if (running?.pauses !== true || fault === undefined || fault.kind === 'syntax' || running.request['id'] !== id) return false;
      hold({ id, request: running.request, told: told as Held['told'] });
      tell({ ev: 'paused', ...pauseOf(fault) });
      return true;
    },
    abort() {
      if (held === undefined) return false;
      end({ interrupted: true });
      return true;
    },
    answer: (request) => answers[String(request['op'])]?.(request),
  };
}

function pauseOf({ type, message, frames }: Fault): object {
  return { reason: `${type}: ${message}`, frames, restarts };
}
