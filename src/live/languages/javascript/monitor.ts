// What a worker beside JavaScript answers: it looks at what the main thread holds, and swaps files into it.

import type { Members } from '../../image/engine.ts';
import type { Inspector } from '../../js-runtime/inspector.ts';
import { type LanguageMonitor, type MonitorServices, startMonitor } from '../../js-runtime/monitor-thread.ts';
import { newestRef, Profiler } from '../../js-runtime/profiling.ts';
import type { WireFrame } from '../../js-runtime/wire.ts';
import type { ScopedCell } from './cells/scoped-cell.ts';
import { Lookup } from './inspect/lookup.ts';
import { ModuleScopes } from './inspect/module-scope.ts';
import { ProjectScripts } from './inspect/project-scripts.ts';
import { Reloader } from './reload/reload.ts';

startMonitor(javaScriptMonitor);

function javaScriptMonitor(services: MonitorServices): LanguageMonitor {
  const { inspector, debugging, positions, folder, inTime } = services;
  const reloading = new Reloader(inspector, debugging, positions, folder);
  const scripts = new ProjectScripts(services, reloading.shown);
  const scopes = new ModuleScopes(inspector, debugging, folder, reloading);
  const lookup = new Lookup(inspector, scripts, positions);
  const measuring = new Profiler(inspector, folder, positions);
  const answers: Readonly<Record<string, (request: WireFrame) => Promise<object>>> = {
    inspect: (request) => lookup.alone(() => inTime(inspect(inspector, request))),
    lookup: ({ name, want }) => inTime(lookup.find(String(name), String(want))),
    complete: async ({ prefix, kind }) => ({ names: await lookup.complete(String(prefix), kind as string | undefined) }),
    modules: async () => ({ files: await scripts.files() }),
    refs: async () => ({ newest: await lookup.alone(() => newestRef(inspector)) }),
    profile: ({ action }) => measuring.profile(action === 'start'),
    reload: ({ files }) => reloading.reload(files as readonly string[] | undefined),
    debug: (request) => debugging.act(request),
    heap: async () => {
      const classes = await lookup.complete('', 'class');
      return lookup.alone(() => measuring.heap(classes));
    },
  };
  return {
    begin: () => lookup.begin(),
    noted(request, pauses) {
      scripts.remember(asWritten(request), request['text'] as string | undefined);
      reloading.remember(request['imports']);
      const { within, scoped } = request as { readonly within?: string; readonly scoped?: ScopedCell };
      const code = String(request['code']);
      if (within === undefined || scoped === undefined) {
        positions.remember(code, request['columns']);
        return pauses ? debugging.pauseOnErrors() : undefined;
      }
      return scopes.prepare(within, scoped, `cell-${String(request['cell'])}`).then((columns) => {
        positions.remember(code, columns);
        return pauses ? debugging.pauseOnErrors() : undefined;
      });
    },
    answer: (request) => answers[String(request['op'])]?.(request),
  };
}

/** A cell with its functions where they were written, under the name of the script. */
function asWritten(request: WireFrame): string {
  const code = String(request['code']);
  if (request['functions'] === undefined || request['functions'] === '') return code;
  return `${String(request['text'])}${code.slice(code.lastIndexOf('\n//# sourceURL='))}`;
}

async function inspect(inspector: Inspector, request: WireFrame): Promise<object> {
  const { target, path = [], offset = 0 } = request as { target: number | string; path?: string[]; offset?: number };
  try {
    const from = typeof target === 'number' ? target : await inspector.lookInList(target);
    return { view: await inspector.ask<Members>('membersAt', from, path, offset) };
  } finally {
    await inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'look' });
  }
}
