// SUnit in the image: every test on its own, with what it said when it failed.
import type { TestReport } from '../../../image/test-runner.ts';
import { type Amber, type Behavior, nameOf, send } from './amber.ts';
import type { Browser } from './browser.ts';
import type { Faults } from './fault.ts';

const watchMs = 20;

/** What a run came to: the value of the cell that ran it. */
export class TestRun {
  readonly report: TestReport;

  constructor(report: TestReport) {
    this.report = report;
  }
}

interface One {
  readonly name: string;
  readonly test: object;
}

/** Those of the user's own classes whose `Class>>selector` contains `part`. */
export async function runTests(amber: Amber, browser: Browser, faults: Faults, part: string): Promise<TestRun> {
  const root = amber.globals['TestCase'] as Behavior;
  const classes = browser.ownClasses().filter((one) => inherits(one, root) && send(one, 'isAbstract') !== true);
  const tests = classes.flatMap((one) => testsOf(one)).filter(({ name }) => name.includes(part));
  const failures: { name: string; message: string; place: string }[] = [];
  for (const { name, test } of tests) {
    const thrown = await outcomeOf(amber, test);
    if (thrown === undefined) continue;
    const { type, message, frames } = faults.of(thrown.error);
    const place = frames.find((frame) => !/^TestCase|\(TestCase\)|Context>>/.test(frame.name))?.name ?? name;
    failures.push({ name, message: type === 'TestFailure' ? message : `${type}: ${message}`, place });
  }
  return new TestRun({ passed: tests.length - failures.length, failed: failures.length, skipped: 0, failures });
}

function testsOf(behavior: Behavior): One[] {
  const all = send(send(behavior, 'buildSuite'), 'asArray') as { readonly testSelector: string }[];
  return all.map((test) => ({ name: `${nameOf(behavior)}>>${test.testSelector}`, test })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A test may go on after its method has returned: then its own time limit ends it. */
function outcomeOf(amber: Amber, test: object): Promise<{ readonly error: unknown } | undefined> {
  return new Promise((resolve) => {
    let failed: { readonly error: unknown } | undefined;
    const context = send(amber.globals['LiveTestContext'], 'testCase:', test) as Record<string, unknown>;
    context['reporter'] = (error: unknown): void => {
      failed ??= { error };
    };
    const end = (): void => {
      clearInterval(watch);
      resolve(failed);
    };
    context['finished'] = end;
    // One that says so outside of `async:` is over as well.
    const watch = setInterval(() => {
      if (send(test, 'isAsync') !== true) end();
    }, watchMs);
    try {
      send(context, 'start');
    } catch (error) {
      failed ??= { error };
      end();
    }
  });
}

function inherits(behavior: Behavior, from: Behavior): boolean {
  for (let at = behavior.superclass; at !== null && at !== undefined; at = at.superclass) if (at === from) return true;
  return false;
}
