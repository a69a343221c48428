// Runs synchronous work with a time limit, on platforms that can interrupt it.

type Run = <T>(work: () => T, limitMs: number) => T;

interface VirtualMachine {
  createContext(globals: object): object;
  readonly Script: new (code: string) => { runInContext(context: object, options: { readonly timeout: number }): unknown };
}

let ready: Run | false | undefined;

/**
 * Interrupts work with an error that `isOverdue` knows; undefined where the platform cannot interrupt running code. A run costs 160 µs.
 * Everything stops that is JavaScript, and searches of regular expressions; compiling an expression does not.
 */
export function bounded(): Run | undefined {
  ready ??= create();
  return ready === false ? undefined : ready;
}

function create(): Run | false {
  try {
    // Asked for by name, so that bundles for browsers hold no trace of it.
    const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
    const vm = process?.getBuiltinModule?.('node:vm') as VirtualMachine | undefined;
    if (vm === undefined) return false;
    const run = runIn(vm);
    return interrupts(run) && run;
  } catch {
    // Workers that imitate Node have the module, and throw when it is used.
    return false;
  }
}

function runIn(vm: VirtualMachine): Run {
  const globals: { work?: (() => unknown) | undefined } = {};
  const context = vm.createContext(globals);
  const script = new vm.Script('work()');
  return (work, limitMs) => {
    globals.work = work;
    try {
      return script.runInContext(context, { timeout: limitMs }) as ReturnType<typeof work>;
    } finally {
      globals.work = undefined;
    }
  };
}

/** Tried once: other runtimes take the limit and do nothing with it. */
function interrupts(run: Run): boolean {
  const end = Date.now() + 300;
  try {
    run(() => {
      while (Date.now() < end);
    }, 5);
    return false;
  } catch (error) {
    return isOverdue(error);
  }
}

export function isOverdue(error: unknown): boolean {
  // Made in the context it ran in, so it is an Error of no kind we know.
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
