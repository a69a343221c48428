// Checks on a stranger's terms: a pattern, a web of references or a comparison of everything with everything can take for ever.

type Run = <T>(work: () => T) => T;

interface VirtualMachine {
  createContext(globals: object): object;
  readonly Script: new (code: string) => { runInContext(context: object, options: { readonly timeout: number }): unknown };
}

const limitMs = 250;
const costly: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'uniqueItems', '$ref', '$dynamicRef', '$recursiveRef']);
let ready: Run | undefined;

/** Whether a check by this schema can take longer than reading both takes. */
export function isCostly(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, inner]) => costly.has(key) || isCostly(inner));
}

/** Runs something that is stopped, with an error, when it takes too long; undefined where the platform cannot stop what runs. */
export function bounded(): Run | undefined {
  if (ready !== undefined) return ready;
  // Asked for by name, so that bundles for browsers hold no trace of it.
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  const vm = process?.getBuiltinModule?.('node:vm') as VirtualMachine | undefined;
  if (vm === undefined) return undefined;
  const globals: { work?: (() => unknown) | undefined } = {};
  const context = vm.createContext(globals);
  const script = new vm.Script('work()');
  ready = (work) => {
    globals.work = work;
    try {
      return script.runInContext(context, { timeout: limitMs }) as ReturnType<typeof work>;
    } finally {
      globals.work = undefined;
    }
  };
  return ready;
}

export function isOverdue(error: unknown): boolean {
  // Made in the context it ran in, so it is an Error of no kind we know.
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
