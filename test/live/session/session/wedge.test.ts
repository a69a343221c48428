// The wedge table: whatever gets stuck or ends in one session, the next evaluation there and in others is answered, on every engine.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { javascript, lisp, smalltalk } from 'vivarium/live';
import { notRun } from '../../../../scripts/prepare.mjs';
import { type LabOptions, onEachNode, openLab } from '../../fixture.ts';
import { squeak } from '../../languages/smalltalk/squeak/prepared.ts';
import { type Patient, Ward, wedges } from '../../wedge.ts';

const interrupted = /^\[INTERRUPTED\] on request$/;
const uninterrupted = /^\[STATE LOST\] generation 2: it could not be interrupted/;
const hungUp = /^\[STATE LOST\] generation 2: its private channel was closed/;
const full = /^\[OUT OF MEMORY\] stopped in /;
/** Native code that takes hours. */
const native = 'process.getBuiltinModule("crypto").pbkdf2Sync("a", "b", 2 ** 31 - 1, 64, "sha512")';
const sign = (stuck: string): string => `process.getBuiltinModule("fs").writeFileSync("${stuck}", "");`;

const inNode: Patient = {
  title: 'JavaScript',
  keep: 'var kept = 5; kept',
  kept: 'kept',
  wedges: (fifo, stuck) => ({
    'an endless loop': { code: 'for (;;);', session: 'kept', head: interrupted },
    'a loop that nothing interrupts': { code: `${sign(stuck)} ${native}`, session: 'restarted', head: uninterrupted },
    'a blocking read': { code: `${sign(stuck)} require('node:fs').readFileSync('${fifo}')`, session: 'restarted', head: uninterrupted },
    'an exhausted heap': {
      code: 'const all = []; function hoard() { for (;;) all.push({ x: all.length }); } hoard()',
      session: 'kept',
      head: full,
      alone: true,
    },
    'an exhausted stack': {
      code: '(function deeper(n) { return deeper(n + 1) + 1; })(0)',
      session: 'kept',
      head: /^\[ERROR\] RangeError: Maximum call stack/,
      alone: true,
    },
    'a killed process': {
      code: 'process.kill(process.pid, 9); for (;;);',
      session: 'restarted',
      head: /it was ended by SIGKILL/,
      alone: true,
    },
    'a closed channel': { code: "require('node:fs').closeSync(3); for (;;);", session: 'restarted', head: hungUp, alone: true },
  }),
};

const inLisp: Patient = {
  title: 'Common Lisp (SBCL)',
  keep: '(defvar *kept* 5) *kept*',
  kept: '*kept*',
  wedges: (fifo, stuck) => ({
    'an endless loop': { code: '(loop)', session: 'kept', head: interrupted },
    'a loop that nothing interrupts': {
      code: `(sb-sys:without-interrupts (close (open "${stuck}" :direction :output)) (loop))`,
      session: 'restarted',
      head: uninterrupted,
    },
    'a blocking read': { code: `(with-open-file (in "${fifo}") (read-line in))`, session: 'kept', head: interrupted },
    'an exhausted heap': { code: '(let ((all nil)) (loop (push 1 all)))', session: 'kept', head: full, alone: true },
    'an exhausted stack': {
      code: '(labels ((deeper (n) (1+ (deeper (1+ n))))) (deeper 0))',
      session: 'kept',
      head: /^\[ERROR\] \S*CONTROL-STACK-EXHAUSTED/,
      alone: true,
    },
    'a killed process': {
      code: '(sb-posix:kill (sb-posix:getpid) 9) (loop)',
      session: 'restarted',
      head: /it was ended by SIGKILL/,
      alone: true,
    },
    'a closed channel': { code: '(sb-posix:close 3) (loop)', session: 'restarted', head: /it exited with code 70/, alone: true },
  }),
};

/** A method with JavaScript in it is how Amber reaches what Smalltalk has no words for. */
const inlined = (code: string): string => `LiveWorkspace compile: 'wedge <inlineJS: ''${code.replaceAll("'", "''''")}''>'. self wedge`;

const inAmber: Patient = {
  title: 'Smalltalk (Amber)',
  keep: 'kept := 5',
  kept: 'kept',
  wedges: (fifo, stuck) => ({
    'an endless loop': { code: '[ true ] whileTrue', session: 'kept', head: interrupted },
    'a loop that nothing interrupts': { code: inlined(`${sign(stuck)} ${native}`), session: 'restarted', head: uninterrupted },
    'a blocking read': {
      code: inlined(`${sign(stuck)} process.getBuiltinModule("fs").readFileSync("${fifo}")`),
      session: 'restarted',
      head: uninterrupted,
    },
    'an exhausted heap': {
      code: '| all | all := OrderedCollection new. [ true ] whileTrue: [ all add: (Array new: 10000) ]',
      session: 'kept',
      head: full,
      alone: true,
    },
    'an exhausted stack': {
      code: "Object compile: 'deep ^ self deep + 1'. Object new deep",
      session: 'kept',
      head: /^\[ERROR\] RangeError: Maximum call stack/,
      alone: true,
    },
    'a killed process': {
      code: inlined('process.kill(process.pid, 9); for (;;);'),
      session: 'restarted',
      head: /it was ended by SIGKILL/,
      alone: true,
    },
    'a closed channel': {
      code: inlined('process.getBuiltinModule("fs").closeSync(3); for (;;);'),
      session: 'restarted',
      head: hungUp,
      alone: true,
    },
  }),
};

const inSqueak: Patient = {
  title: 'Smalltalk (Squeak, by its wire)',
  keep: 'kept := 5',
  kept: 'kept',
  wedges: (fifo, stuck) => ({
    'an endless loop': { code: '[true] whileTrue: []', session: 'kept', head: interrupted },
    // Above the bridge's own priority nothing else runs.
    'a loop that nothing interrupts': {
      code: `Processor activeProcess priority: 8. (StandardFileStream new open: '${stuck}' forWrite: true) close. [true] whileTrue: []`,
      session: 'restarted',
      head: uninterrupted,
    },
    'a blocking read': {
      code: `(StandardFileStream new open: '${stuck}' forWrite: true) close. (StandardFileStream new open: '${fifo}' forWrite: false) next`,
      session: 'restarted',
      head: uninterrupted,
    },
    'an exhausted heap': {
      code: '| all | all := OrderedCollection new. [true] whileTrue: [all add: (Array new: 100000)]',
      session: 'either',
      head: /^\[(?:INTERRUPTED|STATE LOST)\]/,
    },
    'an exhausted stack': {
      code: "Object compile: 'deep ^ self deep + 1'. Object new deep",
      session: 'restarted',
      head: /it exited with code 255/,
      alone: true,
    },
    // It has no way to a signal: it ends itself.
    'a killed process': { code: 'Smalltalk quitPrimitive', session: 'restarted', head: /it exited/, alone: true },
    'a closed channel': {
      code: 'Socket allInstances do: [:each | each destroy]',
      session: 'restarted',
      head: /generation 2/,
      alone: true,
    },
  }),
};

function onWard(patient: Patient, options: () => LabOptions): void {
  describe(patient.title, () => {
    let ward: Ward;
    beforeAll(async () => {
      ward = await Ward.open(patient, await openLab(options()));
    });
    afterAll(() => ward.close());
    it.each(wedges)('survives %s, and so do the others', { timeout: 120_000 }, (name) => ward.survives(name));
  });
}

// The engine of JavaScript lends itself up to three times its limit until what fills it has stopped.
const roomy = { heapMb: 128, rssMb: 1_200 };

onEachNode((node) => {
  onWard(inNode, () => ({ engines: [javascript({ node })], limits: roomy }));
});

describe.skipIf(notRun('sbcl'))('on SBCL', () => onWard(inLisp, () => ({ engines: [lisp()], limits: { rssMb: 1_024 } })));

onWard(inAmber, () => ({ engines: [smalltalk()], limits: roomy }));

describe.skipIf(notRun('squeak') || notRun('scratch'))('on Squeak', () =>
  onWard(inSqueak, () => ({ engines: [squeak()], limits: { heapMb: 64, graceMs: 3_000 } })),
);
