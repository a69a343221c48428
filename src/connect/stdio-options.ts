// What a user says about a server that is started as a child process.

export interface Command {
  /** A program, by its path or as found on PATH; never a command line: no shell reads it. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Beside what is inherited, and stronger; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

export interface StdioConnectOptions {
  /**
   * Which variables of this process the child sees. Default: those that say where and who one is (HOME, PATH, LANG …), so
   * that no secret leaks. Names are added to these, `NAME_*` for all that begin so; true: all; false: none.
   */
  readonly inheritEnv?: boolean | readonly string[];
  /** A longer line of the server is skipped and reported as junk. Default: 64 MiB. */
  readonly maxMessageBytes?: number;
  /** How long the child may take to end by itself once its stdin has ended; then SIGTERM, half as long again, SIGKILL. Default: 2,000. */
  readonly graceMs?: number;
  /** Where stderr goes beside the last lines that are always kept for failures: nowhere, to ours, or to a function. Default: 'ring'. */
  readonly stderr?: 'ring' | 'inherit' | ((line: string) => void);
  /** Sees each line of stderr, cut to 1,000 characters, whatever `stderr` says. */
  readonly onStderr?: (line: string) => void;
}
