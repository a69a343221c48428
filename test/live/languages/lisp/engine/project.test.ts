// A project in Common Lisp: its systems, files and tests, looked at, edited, saved and brought back.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { lisp } from 'vivarium/live';
import { notRun } from '../../../../../scripts/prepare.mjs';
import { eventually, type Lab, openLisp } from '../fixture.ts';
import { editCart, writeShop } from '../shop.ts';

describe.skipIf(notRun('sbcl'))('a system of the folder', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLisp({ tools: ['define', 'complete', 'check_syntax', 'load_file', 'profile', 'heap'] });
    writeShop(lab.folder);
    await lab.value('(asdf:load-system "shop")');
    await lab.value(`(defvar *cart* (make-instance 'shop:cart)) (shop:add *cart* "fern" 4) (shop:add *cart* "moss" :three) 1`);
  });
  afterAll(() => lab.close());
  const call = (tool: string, args: object = {}) => lab.call(tool, { ...args });

  it('is found by ASDF, and an error in it has its file, line and column', async () => {
    const { head, text } = await lab.evaluate('(shop:total *cart*)');
    expect(head).toBe('[ERROR] TYPE-ERROR: The value :THREE is not of type NUMBER');
    expect(text).toMatch(/0: \(SHOP:TOTAL #<SHOP:CART \{\w+\}>\) \(src\/cart\.lisp:17:7\)/);
  });

  it('is inspected without being changed', async () => {
    expect((await call('inspect', { target: '*cart*' })).text).toMatch(
      /SHOP:CART: #<SHOP:CART[\s\S]*\n {2}items: \(\("moss" \. :THREE\) \("fern" \. 4\)\) {3}#\d+/,
    );
    expect((await call('inspect', { target: '*cart*', path: ['items', '1'] })).text).toContain('("fern" . 4)');
    expect((await call('inspect', { target: '(shop::items *cart*)' })).text).toContain('1: ("fern" . 4)');
    const refused = await call('inspect', { target: '(shop:add *cart* "x" 1)' });
    expect(refused.text).toContain('inspect changes nothing, so it calls only what merely reads, and SHOP:ADD may do more');
    expect(await lab.value('shop:*added*')).toBe('2');
  });

  it('is looked up: what it is, its source, members and users', async () => {
    const look = async (name: string, want: string): Promise<string> => (await call('lookup', { name, want })).text;
    expect(await look('shop:add', 'summary')).toMatch(
      /^function SHOP:ADD \(.*\) {2}\(src\/cart\.lisp:8\)[\s\S]*Puts a thing into the cart/,
    );
    expect(await look('total', 'source')).toBe(
      ';; src/cart.lisp:14\n(defun total (cart)\n  (let ((sum 0))\n    (dolist (item (items cart) sum)\n      (incf sum (cdr item)))))',
    );
    expect(await look('shop:cart', 'members')).toMatch(/supers: STANDARD-OBJECT[\s\S]*SHOP::ITEMS :initform/);
    expect(await look('shop::items', 'callers')).toContain('called by SHOP:TOTAL  (src/cart.lisp:14)');
    expect(await look('shop', 'members')).toMatch(/^package SHOP: [\s\S]*SHOP:TOTAL {2}function/);
    expect(await look('tota', 'search')).toContain('SHOP:TOTAL  function');
    await lab.value('(defun own (x)\n  (shop:total x))');
    expect(await look('own', 'source')).toMatch(/^;; cell-\d+:1\n\(defun own \(x\)\n {2}\(shop:total x\)\)$/);
    await lab.value('(defun (setf doubled) (value cart) (setf (shop::items cart) (* 2 value)))');
    expect(await look('(setf doubled)', 'summary')).toMatch(/^function DOUBLED[\s\S]*\(SETF DOUBLED\)/);
    expect(await look('no-such-name-at-all', 'summary')).toMatch(/^Nothing is known as no-such-name-at-all\./);
  });

  it('is reloaded after an edit: the code is new, the values are what they were', async () => {
    editCart(lab.folder, '(incf sum (cdr item))', '(when (numberp (cdr item)) (incf sum (* 10 (oops (cdr item)))))');
    const { text } = await call('reload');
    expect(text).toMatch(/^Reloaded src\/cart\.lisp\. Values were kept\./);
    expect(text).toMatch(/undefined function: SHOP::OOPS \(src\/cart\.lisp:17:50\)/);
    editCart(lab.folder, '(incf sum (cdr item))', '(when (numberp (cdr item)) (incf sum (* 10 (cdr item))))');
    expect((await call('reload', { files: ['src/cart.lisp'] })).isError).toBe(false);
    expect(await lab.value('(list (shop:total *cart*) shop:*added*)')).toBe('(40 2)');
    expect((await call('reload')).text).toBe('Nothing has changed on disk since it was loaded.');
    editCart(lab.folder, '(incf sum (cdr item))', '(incf sum');
    const broken = await call('reload');
    expect(broken.isError).toBe(true);
    expect(broken.text).toMatch(/\[ERROR\] .*READ error/);
    expect(await lab.value('(shop:total *cart*)')).toBe('40');
    writeShop(lab.folder);
    await call('reload');
  });

  it('has files beside its systems, which are loaded, reloaded and named in frames', async () => {
    writeFileSync(join(lab.folder, 'loose.lisp'), '(defvar *loose* 1)\n(defun loose ()\n  (error "loose ~d" *loose*))\n');
    await call('load_file', { file: 'loose.lisp' });
    await lab.value('(setf *loose* 5)');
    expect((await lab.evaluate('(loose)')).text).toContain('0: (LOOSE) (loose.lisp:3:3)');
    writeFileSync(join(lab.folder, 'loose.lisp'), '(defvar *loose* 1)\n(defun loose () (list :new *loose*))\n');
    expect((await call('reload')).text).toContain('Reloaded loose.lisp. Values were kept. Defined again: *loose*, loose.');
    expect(await lab.value('(loose)')).toBe('(:NEW 5)');
    expect((await call('lookup', { name: 'loose', want: 'source' })).text).toContain(';; loose.lisp:2');
  });

  it('has the other tools: define, complete, check_syntax, profile, heap', async () => {
    expect((await call('define', { source: '(defun made (x) (* x x))' })).head).toBe('=> MADE');
    expect((await call('define', { source: '(x)', on: 'cart' })).text).toContain('Methods are not defined in a class in Common Lisp');
    expect((await call('complete', { prefix: 'shop:' })).text).toBe('shop:*added*\nshop:add\nshop:cart\nshop:total');
    expect((await call('complete', { prefix: 'with-open-' })).text).toBe('with-open-file\nwith-open-stream');
    expect((await call('check_syntax', { code: '(list 1 2' })).isError).toBe(true);
    expect((await call('check_syntax', { code: '(list 1 2)' })).text).toBe('It can be read.');
    const busy = '(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 33)';
    expect((await call('profile', { code: busy })).text).toMatch(/^=> 3524578[\s\S]*Own time, of [\d.]+ ms sampled:[\s\S]* FIB/);
    expect((await call('heap')).text).toMatch(/MB in use[\s\S]*1 {2}SHOP:CART/);
    const traced = await lab.evaluate('(trace made) (made 3) (untrace made) 1');
    expect(traced.text).toContain('0: (MADE 3)');
  });

  it('is saved as a whole image and brought back with its values', async () => {
    await lab.value('(setf (get :saved :value) (list 1 2)) (in-package :shop)');
    const saved = await call('sessions', { action: 'save', name: 'before' });
    expect(saved.text).toMatch(/^Saved as "before": the whole image with its values, \d+ MiB\.$/);
    await lab.value(`(add cl-user::*cart* "late" 1)`);
    const restored = await call('sessions', { action: 'restore', name: 'before' });
    const { session } = restored.structured;
    expect(restored.text).toBe(`Restored "before" in ${session}: the whole image with its values.`);
    const kept = '(list (package-name *package*) *added* (length (items cl-user::*cart*)) (get :saved :value) (cl-user::made 3))';
    expect(await lab.value(kept, { session })).toBe('("SHOP" 2 2 (1 2) 9)');
    expect(await lab.value('(length (items cl-user::*cart*))')).toBe('3');
    expect((await lab.evaluate('(loop)', { session, timeout_ms: 300 })).structured).toMatchObject({ status: 'interrupted', generation: 1 });
  });

  it('with threads of its own is saved as what was evaluated, and that is said', async () => {
    const session = await lab.open();
    await lab.value('(defvar *x* 41)', { session });
    await lab.value('(progn (sb-thread:make-thread (lambda () (sleep 1000)) :name "ticker") (incf *x*))', { session });
    const { text } = await call('sessions', { action: 'save', name: 'threads', session });
    expect(text).toContain('the 2 cells that succeeded, to be run again by restore');
    expect(text).toContain('The image itself could not be saved: it has threads of its own, which no image can hold: ticker.');
    expect(await lab.value('*x*', { session })).toBe('42');
    const restored = await call('sessions', { action: 'restore', name: 'threads' });
    expect(await lab.value('*x*', { session: restored.structured.session })).toBe('42');
  });
});

describe.skipIf(notRun('sbcl') || notRun('fiveam'))('run_tests in a Lisp project', () => {
  it('runs asdf:test-system, and counts what fiveam found', async () => {
    await using lab = await openLisp();
    writeShop(lab.folder);
    await using tested = await openLisp({ cwd: lab.folder });
    const all = await tested.call('run_tests');
    expect(all.head).toMatch(/^\[FAILED\] 1 passed, 1 failed, 1 skipped in [\d.]+ s \(asdf:test-system\)$/);
    expect(all.text).toMatch(/✗ SHOP-TESTS::ONE-FERN {2}\(tests\.lisp:9\)\n {4}.*evaluated to 4 which is not = to 5/);
    expect(all.structured).toMatchObject({ status: 'failed', passed: 1, failed: 1, skipped: 1 });
    const one = await tested.call('run_tests', { name: 'empty' });
    expect(one.structured).toMatchObject({ status: 'passed', passed: 1, failed: 0 });
    expect((await tested.call('run_tests', { name: 'no-such' })).text).toContain('No test has no-such in its name');
  });

  it('counts what sb-rt found, and says when a system cannot be loaded', async () => {
    await using lab = await openLisp();
    writeFileSync(
      join(lab.folder, 'small.asd'),
      '(defsystem "small" :depends-on ("sb-rt") :components ((:file "small")) :perform (test-op (o c) (uiop:symbol-call :sb-rt :do-tests)))\n',
    );
    writeFileSync(join(lab.folder, 'small.lisp'), '(sb-rt:deftest small.1 (+ 1 1) 2)\n(sb-rt:deftest small.2 (+ 1 1) 3)\n');
    await using tested = await openLisp({ cwd: lab.folder });
    const found = await tested.call('run_tests');
    expect(found.structured).toMatchObject({ status: 'failed', passed: 1, failed: 1 });
    expect(found.text).toMatch(/✗ \S*SMALL\.2 {2}\(small\.lisp:2\)/);
    writeFileSync(join(lab.folder, 'small.lisp'), '(no-such-package:thing)\n');
    expect((await tested.call('run_tests')).text).toContain('could not be run');
  });
});

describe.skipIf(notRun('sbcl'))('what every image begins with', () => {
  it('is the systems it was given, and the files', async () => {
    await using folder = await openLisp();
    writeShop(folder.folder);
    writeFileSync(join(folder.folder, 'start.lisp'), '(defvar *started* :yes)\n');
    await using lab = await openLisp({ cwd: folder.folder, engines: [lisp({ systems: ['shop'] })], load: ['start.lisp'] });
    expect(await lab.value("(list *started* (shop:total (make-instance 'shop:cart)))")).toBe('(:YES 0)');
    await lab.call('sessions', { action: 'reset' });
    expect(await lab.value("(list *started* (shop:total (make-instance 'shop:cart)))")).toBe('(:YES 0)');
  });

  it('is said with what the compiler warned of', async () => {
    await using folder = await openLisp();
    writeShop(folder.folder);
    editCart(folder.folder, '(incf sum (cdr item))', '(incf sum (oops (cdr item)))');
    await using lab = await openLisp({ cwd: folder.folder, engines: [lisp({ systems: ['shop'] })] });
    const { text, head } = await lab.evaluate('(+ 1 1)');
    expect(head).toBe('=> 2');
    expect(text).toMatch(
      /\[NOTE\] the system shop was loaded with warnings:\n {2}undefined function: SHOP::OOPS \(\S*src\/cart\.lisp:17:\d+\)/,
    );
  });

  it('is said when it cannot be loaded, and the image is there all the same', async () => {
    await using lab = await openLisp({ engines: [lisp({ systems: ['no-such-system'] })] });
    const { text, head } = await lab.evaluate('(+ 1 1)');
    expect(head).toBe('=> 2');
    expect(text).toContain('=> 2\n[NOTE] the system no-such-system could not be loaded: ');
    expect(text).not.toContain('background output');
  });

  it('is Quicklisp, by qlot before the user’s own', async () => {
    await using folder = await openLisp();
    const setup = (where: string, text: string): void => {
      mkdirSync(join(folder.folder, where), { recursive: true });
      writeFileSync(join(folder.folder, where, 'setup.lisp'), text);
    };
    setup('home/quicklisp', '(defpackage :quicklisp (:use :cl)) (defvar cl-user::*from* :home)\n');
    await using home = await openLisp({ cwd: folder.folder, env: { HOME: join(folder.folder, 'home') } });
    expect(await home.value('*from*')).toBe(':HOME');
    setup('.qlot', '(defpackage :quicklisp (:use :cl)) (defvar cl-user::*from* :qlot)\n');
    await using qlot = await openLisp({ cwd: folder.folder, env: { HOME: join(folder.folder, 'home') } });
    expect(await qlot.value('*from*')).toBe(':QLOT');
  });

  it('is a core that is built on first use, with a slower start meanwhile', async () => {
    await using folder = await openLisp();
    const cacheFolder = join(folder.folder, 'cache');
    await using lab = await openLisp({ engines: [lisp({ cacheFolder })] });
    const first = await lab.evaluate('(+ 1 1)');
    expect(first.head).toBe('=> 2');
    expect(first.text).toContain('A core with the bridge is being built once, in the background');
    await eventually(() => existsSync(cacheFolder)).toBe(true);
    const { readdirSync } = await import('node:fs');
    await expect.poll(() => readdirSync(cacheFolder).some((name) => /^sbcl-[\w.-]+\.core$/.test(name)), { timeout: 60_000 }).toBe(true);
    const session = await lab.open();
    expect((await lab.evaluate('(+ 1 1)', { session })).text).toBe('=> 2');
    // With the core and without it: any other name would be in the way of a package that the user wants there.
    const own =
      '(let (all) (do-symbols (one :cl-user (sort all (function string<))) (when (eq (symbol-package one) *package*) (push (symbol-name one) all))))';
    for (const where of [{}, { session }]) expect(await lab.value(own, where)).toBe('("*VIVARIUM-FILES*" "ALL" "ONE" "_" "_ERR")');

    const core = readdirSync(cacheFolder).find((name) => name.endsWith('.core')) as string;
    writeFileSync(join(cacheFolder, core), 'no core');
    const other = await lab.open();
    expect((await lab.evaluate('(+ 1 1)', { session: other })).text).toContain('The core it began with was thrown away');
    expect((await lab.evaluate('(+ 1 1)', { session: other })).head).toBe('=> 2');
  }, 120_000);

  it('is not there where its program cannot be run, and that is what is said', async () => {
    await using folder = await openLisp();
    const sbcl = join(folder.folder, 'sbcl');
    writeFileSync(sbcl, '#!/no/such/shell\n', { mode: 0o755 });
    await using lab = await openLisp({ engines: [lisp({ sbcl, cacheFolder: join(folder.folder, 'cache') })] });
    expect((await lab.evaluate('1')).text).toContain('The image did not start');
  });

  it('is a core that is built also where the server that asked for it has ended', async () => {
    await using folder = await openLisp();
    const cache = join(folder.folder, 'cache');
    const { spawnSync } = await import('node:child_process');
    const { readdirSync } = await import('node:fs');
    const main = join(import.meta.dirname, '../../../../../dist/cli/main.js');
    const env = { ...process.env, XDG_CACHE_HOME: cache, XDG_STATE_HOME: join(folder.folder, 'state') };
    const { stdout } = spawnSync(process.execPath, [main, 'eval', '--language', 'lisp', '(+ 1 1)'], {
      cwd: folder.folder,
      env,
      encoding: 'utf8',
    });
    expect(stdout).toContain('=> 2');
    const names = (): string[] => readdirSync(join(cache, 'vivarium')).map((name) => name.replace(/^sbcl-.*\.core/, 'core'));
    await expect.poll(names, { timeout: 60_000 }).toEqual(['core']);
  }, 120_000);
});

describe.skipIf(notRun('sbcl'))('a folder whose name would be a pattern to Lisp', () => {
  it('is found, placed, reloaded, tested and saved like any other', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'live-odd-')), 'a [b] *c? d');
    onTestFinished(() => rmSync(dirname(folder), { recursive: true, force: true }));
    mkdirSync(folder);
    writeShop(folder);
    writeFileSync(join(folder, 'own.lisp'), '(defun own (x)\n  (car x))\n');
    await using lab = await openLisp({ cwd: folder, stateFolder: join(folder, 'state') });
    expect(await lab.value('(asdf:load-system "shop")')).toBe('T');
    await lab.value(`(defvar *cart* (make-instance 'shop:cart)) (shop:add *cart* "moss" :three) 1`);
    expect((await lab.evaluate('(shop:total *cart*)')).text).toMatch(/0: \(SHOP:TOTAL #<SHOP:CART \{\w+\}>\) \(src\/cart\.lisp:17:7\)/);
    expect((await lab.call('lookup', { name: 'shop:total', want: 'source' })).text).toContain(';; src/cart.lisp:14');
    await lab.value('(vivarium:load-file "own.lisp")');
    expect((await lab.evaluate('(own 3)')).text).toContain('(own.lisp:2:3)');
    editCart(folder, '(incf sum (cdr item))', '(incf sum 1)');
    expect((await lab.call('reload')).text).toContain('Reloaded src/cart.lisp');
    if (!notRun('fiveam')) expect((await lab.call('run_tests')).head).toMatch(/^\[(?:PASSED|FAILED)\] [1-9]/);
    expect((await lab.call('sessions', { action: 'save', name: 'odd' })).text).toContain('the whole image with its values');
    const { session } = (await lab.call('sessions', { action: 'restore', name: 'odd' })).structured;
    expect(await lab.value('shop:*added*', { session })).toBe('1');
  });
});
