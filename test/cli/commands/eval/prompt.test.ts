// The prompt of vivarium eval, typed at through streams, with a real image behind it.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { notRun } from '../../../../scripts/prepare.mjs';
import { Evaluator } from '../../../../src/cli/commands/eval/evaluator.ts';
import { isIncomplete } from '../../../../src/cli/commands/eval/incomplete.ts';
import { prompt } from '../../../../src/cli/commands/eval/prompt.ts';
import { connect } from '../../../../src/client/index.ts';
import { createLive, type Engine, javascript, lisp } from '../../../../src/live/index.ts';
import { serveMemory } from '../../../../src/serve/memory.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'eval-prompt-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

class Person {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly history = join(folder, 'history');
  seen = '';
  #wake: () => void = () => undefined;
  left: Promise<void> = Promise.resolve();

  static async sitDown(engines: readonly Engine[] = [javascript()]): Promise<Person> {
    const { server, close } = createLive({ cwd: folder, engines });
    const room = new Evaluator(await connect(serveMemory(server)), { leave: close });
    const person = new Person();
    person.output.setEncoding('utf8').on('data', (text: string) => {
      person.seen += text;
      person.#wake();
    });
    person.left = prompt(room, person);
    onTestFinished(async () => {
      person.input.end();
      await room.leave();
    });
    return person;
  }

  type(text: string): void {
    this.input.write(text);
  }

  /** Forgets what came before. */
  async sees(pattern: RegExp): Promise<void> {
    for (;;) {
      const found = pattern.exec(this.seen);
      if (found !== null) {
        this.seen = this.seen.slice(found.index + found[0].length);
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

describe('the prompt', () => {
  it('brings edited files into the program', async () => {
    const file = join(folder, 'price.js');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(file, 'export const price = () => 1;\n');
    const person = await Person.sitDown();
    person.type("import { price } from './price.js'\nprice()\n");
    await person.sees(/=> 1/);
    writeFileSync(file, 'export const price = () => 2;\n');
    person.type('.reload\n');
    await person.sees(/swapped price\.js: price/);
    person.type('.reload price.js\nprice()\n');
    await person.sees(/unchanged price\.js[\s\S]*=> 2/);
  });

  it('answers line by line, and takes several lines for one when they belong together', async () => {
    const person = await Person.sitDown();
    person.type('let n = 20\nfunction twice(x) {\nreturn 2 * x }\ntwice(n) + 2\n');
    await person.sees(/=> 42/);
    person.type('.exit\n');
    await person.left;
  });

  it.skipIf(notRun('sbcl'))('waits for the closing parenthesis in Lisp, and completes its names', async () => {
    const person = await Person.sitDown([lisp()]);
    person.type('(defun twice-as-much (x)\n(* 2 x))\n(twice-as-much 21)\n');
    await person.sees(/=> 42/);
    person.type('(twice-as-m\t');
    await person.sees(/uch/);
    person.type(' 4)\n');
    await person.sees(/=> 8/);
    person.type('.exit\n');
    await person.left;
  });

  it('keeps what was typed for the next time, for its owner only', async () => {
    const person = await Person.sitDown();
    person.type('"remembered"\n');
    await person.sees(/=> /);
    person.type('.exit\n');
    await person.left;
    expect(readFileSync(person.history, 'utf8')).toContain('"remembered"');
    expect(statSync(person.history).mode & 0o777).toBe(0o600);
  });

  it('Ctrl-C stops what runs and keeps the session', async () => {
    const person = await Person.sitDown();
    person.type('kept = 5\n');
    await person.sees(/=> 5/);
    person.type('for (;;);\n');
    await person.sees(/for \(;;\);/);
    // Typed again until it is heard: before it runs it only clears the line.
    const again = setInterval(() => person.type('\u0003'), 50);
    await person.sees(/\[INTERRUPTED\]/).finally(() => clearInterval(again));
    person.type('kept + 1\n');
    await person.sees(/=> 6/);
  });

  it('completes names, and members of what they hold, of a server with its usual tools', async () => {
    const person = await Person.sitDown();
    person.type('const boxOfWords = { alphabet: 1, beta: 2 }\n');
    await person.sees(/=> .*\n/);
    person.type('boxO\t');
    await person.sees(/fWords/);
    person.type('.alp\t');
    await person.sees(/habet/);
    person.type('\n');
    await person.sees(/=> 1/);
  });

  it('goes to other sessions and says what there is', async () => {
    const person = await Person.sitDown();
    person.type('here = 1\n');
    await person.sees(/=> 1/);
    person.type('.sessions\n');
    await person.sees(/main +javascript/);
    person.type('.session s-nobody\n1\n');
    await person.sees(/There is no session s-nobody/);
    person.type('.session\nhere\n');
    await person.sees(/=> 1/);
    person.type('.nothing\n');
    await person.sees(/There is no \.nothing/);
    person.type('.help\n');
    await person.sees(/\.exit/);
  });

  it('shows what controls a terminal instead of obeying it', async () => {
    const person = await Person.sitDown();
    person.type('"\\u009b31m" + String.fromCharCode(0x202e)\n');
    await person.sees(/=> .*\\x9b|=> .*\\u009b/i);
    expect(person.seen).not.toMatch(/[\u009b\u202e]/);
  });
});

it.each([
  ['function f() {', true],
  ['f(1,', true],
  ['`a', true],
  ['1 +', true],
  ['1 + 1', false],
  ['}', false],
  ['await x', false],
  ["import x from 'y'", false],
  ['const a: number = 1', false],
])('%j goes on in the next line: %s', (code, expected) => {
  expect(isIncomplete(code)).toBe(expected);
});
