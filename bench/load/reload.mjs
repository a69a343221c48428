// What a reload costs by what is in the image: megabytes of small objects, and files that changed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toolCall } from './messages.mjs';

/** In a project of its own; `withServer` begins a server with these words more. `what` is as in the suite: `reload, 50 files, 0 MB`. */
export async function reloading(what, withServer) {
  const [, files, megabytes] = /^reload, (\d+) files?, (\d+) MB$/.exec(what).map(Number);
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-reload-'));
  try {
    return await withServer(['--cwd', folder, '--heap', '2048', '--memory', '4096'], (server) => measure(server, folder, files, megabytes));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(server, folder, files, megabytes) {
  const write = (version) => {
    for (let at = 0; at < files; at++) {
      const text = `let calls = 0;\nexport class Part${at} {\n  value() {\n    calls++;\n    return ${version};\n  }\n}\nexport const made = new Part${at}();\n`;
      writeFileSync(path.join(folder, `part${at}.mjs`), text);
    }
  };
  const ask = async (name, args) => {
    const { result } = await server.ask({ ...toolCall(name, args), id: 7 });
    if (result === undefined || result.isError) throw new Error(JSON.stringify(result));
    return result.content.map(({ text = '' }) => text).join('');
  };
  write(0);
  const imports = Array.from({ length: files }, (_, at) => `import * as part${at} from './part${at}.mjs';`);
  await ask('evaluate', { code: imports.join('\n') });
  // About a hundred bytes each: an object and its array.
  await ask('evaluate', {
    code: `const ballast = Array.from({ length: ${megabytes * 10_000} }, (_, at) => ({ at, all: [at] })); ballast.length`,
  });
  const times = [];
  for (let version = 1; version <= 3; version++) {
    write(version);
    const begin = performance.now();
    await ask('reload', {});
    times.push(performance.now() - begin);
    const now = await ask('evaluate', { code: `part${files - 1}.made.value()` });
    if (!now.startsWith(`=> ${version}`)) throw new Error(`after the reload it is ${now}`);
  }
  return { ms: Math.min(...times) };
}
