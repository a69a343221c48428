// A living Lisp: a system is loaded, an error is gone on from by a restart with a value, a function is redefined, tested, saved and restored.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const project = mkdtempSync(join(tmpdir(), 'vivarium-lisp-'));
writeFileSync(
  join(project, 'garden.asd'),
  '(defsystem "garden" :depends-on ("sb-rt") :components ((:file "garden")) :perform (test-op (o c) (uiop:symbol-call :sb-rt :do-tests)))\n',
);
const source = `(defpackage :garden (:use :cl) (:export #:price #:*sold*))
(in-package :garden)
(defvar *prices* '((:fern . 9) (:moss . 4)))
(defvar *sold* 0)
(defun price (plant)
  (let ((known (assoc plant *prices*)))
    (incf *sold*)
    (restart-case (cdr (or known (error "No price for ~a" plant)))
      (use-price (price) :report "Give a price." :interactive (lambda () (list (read))) price))))
(sb-rt:deftest price.fern (price :fern) 9)
`;
writeFileSync(join(project, 'garden.lisp'), source);

const command = join(dirname(createRequire(import.meta.url).resolve('vivarium/package.json')), 'dist/cli/main.js');
const client = new Client({ name: 'story', version: '1.0.0' });
const args = [command, 'live', '--language', 'lisp', '--cwd', project, '--state', join(project, '.state')];
await client.connect(new StdioClientTransport({ command: process.execPath, args }));

async function use(name: string, given: Record<string, unknown>): Promise<{ text: string; session: string }> {
  const { content, structuredContent } = (await client.callTool({ name, arguments: given })) as unknown as {
    content: { text?: string }[];
    structuredContent?: { session: string };
  };
  const text = content.map((block) => block.text ?? '').join('\n');
  process.stdout.write(`> ${name} ${JSON.stringify(given)}\n${text}\n\n`);
  return { text, session: structuredContent?.session ?? '' };
}

await use('evaluate', { code: '(asdf:load-system "garden")' });
assert.match((await use('evaluate', { code: '(garden:price :rose)' })).text, /^\[ERROR] SIMPLE-ERROR: No price for ROSE[\s\S]*USE-PRICE/);

// The same again, held where it fails, and gone on from with a value.
assert.match((await use('evaluate', { code: '(+ 1 (garden:price :rose))', on_error: 'pause' })).text, /^\[PAUSED]/);
assert.match((await use('debug', { action: 'restart', restart: 0, value: '(* 2 6)' })).text, /^=> 13/);

// The file is mended and swapped in; what was counted stays.
writeFileSync(join(project, 'garden.lisp'), source.replace('(incf *sold*)', '(incf *sold* 10)'));
assert.match((await use('reload', {})).text, /^Reloaded garden\.lisp\. Values were kept\./);
await use('evaluate', { code: '(garden:price :moss)' });
assert.match((await use('evaluate', { code: 'garden:*sold*' })).text, /^=> 12/);
assert.match((await use('run_tests', {})).text, /^\[PASSED] 1 passed, 0 failed/);

assert.match((await use('sessions', { action: 'save', name: 'evening' })).text, /the whole image with its values/);
await use('evaluate', { code: '(setf garden:*sold* 0)' });
const { session } = await use('sessions', { action: 'restore', name: 'evening' });
assert.match((await use('evaluate', { code: 'garden:*sold*', session })).text, /^=> 12/);

await client.close();
rmSync(project, { recursive: true, force: true });
