// How tests are run in a process of their own, and what they report; also of tests that run in an image.

export interface TestFailure {
  readonly name: string;
  readonly message: string;
  /** `file:line`, relative to the project where the file is in it. */
  readonly place: string;
}

export interface TestReport {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

export interface TestSelection {
  readonly files: readonly string[];
  /** Part of their names. */
  readonly name?: string | undefined;
  /** Only those that these files of the program are part of; for runners that can tell. */
  readonly changed?: readonly string[] | undefined;
}

export interface TestRunner {
  readonly title: string;
  command(): string | Promise<string>;
  /** Files it needs besides the project's and the system's. */
  readonly reads?: readonly string[];
  /** The report goes into `reportFile` in this folder, which exists for one run. */
  args(selection: TestSelection, folder: string): readonly string[];
  /** Test files that a change of these files concerns, for a runner that cannot tell by itself. */
  affectedBy?(changed: readonly string[]): readonly string[];
  /** Of the files that were asked for one that is not there, for a runner that takes paths and nothing else. */
  missing?(files: readonly string[]): string | undefined;
  /** The test files there are. */
  tests?(): readonly string[];
  /** Files that must be in that folder. */
  readonly brings?: Readonly<Record<string, string>>;
  read(report: string): TestReport;
  /** Of a report that is not whole: tests that began and did not end. */
  unfinished?(report: string): readonly string[];
  /** Files of the project that were changed at this time or later, by their paths in it. */
  changedSince?(time: number): readonly string[];
}

export const reportFile = 'report.json';
