// Projects whose files are edited while they run, and what the engine has of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, writeProject } from '../../../../../fixtures/live/projects.ts';
import { type Lab, openLab } from '../../../../fixture.ts';

export async function project(node: string, files: Files): Promise<Lab> {
  const lab = await openLab({ node });
  writeProject(lab.folder, { 'package.json': '{ "type": "module" }', ...files });
  return lab;
}

export async function edit(lab: Lab, file: string, text: string): Promise<string> {
  writeFileSync(join(lab.folder, file), text);
  return (await lab.call('reload')).text;
}

/** What the engine has for the text of a file: another one once it has swapped something. */
export async function engineHas(lab: Lab, file: string, text: string): Promise<boolean> {
  const code = `(() => {
    const session = new (require('node:inspector').Session)();
    session.connect();
    const texts = [];
    const ids = [];
    session.on('Debugger.scriptParsed', ({ params }) => {
      if (params.url.endsWith(${JSON.stringify(`/${file}`)}) && !params.hasSourceURL) ids.push(params.scriptId);
    });
    session.post('Debugger.enable');
    for (const scriptId of ids) session.post('Debugger.getScriptSource', { scriptId }, (_, { scriptSource }) => texts.push(scriptSource));
    session.disconnect();
    return texts.length === 1 && texts[0].includes(${JSON.stringify(text)});
  })()`;
  return (await lab.value(code)) === 'true';
}
