// createLive: a Server whose tools work in live images.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { stateFolder as usualFolder } from '../../node/user-folders.ts';
import { coreOf } from '../../server/core.ts';
import { VivariumError } from '../../server/index.ts';
import { Server } from '../../server/server.ts';
import { withoutControls } from '../../text/printable.ts';
import { Audit } from '../access/audit.ts';
import { auditFile, placeOf } from '../access/audit-file.ts';
import type { AuditSink } from '../access/audit-record.ts';
import { calledBy, callerOf } from '../access/caller.ts';
import type { Engine } from '../image/engine.ts';
import { type SpareChoice, WarmPool } from '../image/warm-pool.ts';
import { findPrograms, namedPrograms } from '../languages/attachable-programs.ts';
import { javascript } from '../languages/javascript/engine.ts';
import { checkProject } from '../sandbox/mounts.ts';
import { contains } from '../sandbox/paths.ts';
import { ownFiles } from '../sandbox/program.ts';
import { type SandboxOptions, type SandboxTerms, sandboxProblem } from '../sandbox/sandbox.ts';
import { CallerSessions } from '../session/caller-sessions.ts';
import { createMask } from '../session/mask.ts';
import { configuredLoad } from '../session/project-config.ts';
import { ProjectFolder } from '../session/project-folder.ts';
import type { SessionTerms } from '../session/session-terms.ts';
import { type AttachableProgram, Sessions } from '../session/sessions.ts';
import { offerExtraTools, type ToolChoice } from './extra-tools.ts';
import { guide } from './instructions.ts';
import { offerPrompts } from './prompts.ts';
import { offerResources } from './resources.ts';
import type { SurfaceName } from './surfaces/surface.ts';
import { surfaceOf } from './surfaces/surfaces.ts';
import { offerTools } from './tools.ts';

export interface LiveOptions {
  /** The project's folder. Default: the first `file:` root of a client that is the only one, otherwise the working folder. */
  readonly cwd?: string;
  /** The first is used where nobody says another. Those that cannot be had here are refused. Default: JavaScript. */
  readonly engines?: readonly Engine[];
  /** Those that cannot be had here: whoever asks for one is told why. */
  readonly absent?: readonly Engine[];
  /** Files of the project that every fresh image begins with. */
  readonly load?: readonly string[];
  /** Variables of the environment the images see, beside the usual few. */
  readonly env?: Readonly<Record<string, string>>;
  /** There is one client, as on stdio: everything it does without a handle happens in one session. Default: true. */
  readonly single?: boolean;
  /** Calls without a handle happen in one session of their owner, `main`, whatever connection they come by. Default: as `single`. */
  readonly perOwner?: boolean;
  readonly name?: string;
  readonly version?: string;
  readonly stateFolder?: string;
  /**
   * Programs that run already may be worked in: those of the project that were started with --import vivarium/here, or the ones
   * named here, by `pid:1234`, `127.0.0.1:9229` or `ws://127.0.0.1:9229/…`. Never a model's choice. Default: false.
   */
  readonly attach?: boolean | readonly string[];
  /** Images behind bubblewrap: no network, and of the files only the project's, which are read-only unless `write` is set. */
  readonly sandbox?: boolean | SandboxOptions;
  /**
   * One image waits, begun but empty, so that a session that is opened or has lost its image goes on at once; it costs the memory
   * of an image. Default: slow, only where the language takes long to begin, which is Smalltalk.
   */
  readonly spare?: SpareChoice;
  /** Resources and prompts as tools too, for clients that know only tools. Default: false. */
  readonly expose?: boolean;
  /** Tools beside the six: all, or by name. Default: run_tests, where the project has a runner for its tests. */
  readonly tools?: ToolChoice;
  /** What another server offers, exactly, in place of our tools: `cl` with Common Lisp, `pharo` with Smalltalk. Default: ours. */
  readonly surface?: SurfaceName;
  /**
   * A record of everything that is to be run, before it runs, and of how it ended: appended to a file as JSON Lines, or given to a
   * function. What cannot be recorded is refused. Default: none.
   */
  readonly audit?: { readonly file: string } | AuditSink;
  readonly limits?: Partial<LiveLimits>;
}

export interface LiveLimits {
  /** After so long an evaluation is answered [RUNNING]. Default: 20 s. */
  readonly waitMs: number;
  /** After so long it is interrupted. Default: 10 minutes. */
  readonly timeoutMs: number;
  /** Of the language's own heap. Default: 1,024. */
  readonly heapMb: number;
  /** Resident memory of an image. Default: 2,048. */
  readonly rssMb: number;
  /** Processes of an image, with those it starts. Default: 256. */
  readonly processes: number;
  /** Printed by one evaluation; the middle of more is left out. Default: 20,000 characters. */
  readonly output: number;
  readonly sessions: number;
  /** Default: 30 minutes. */
  readonly idleMs: number;
  readonly bootMs: number;
  readonly graceMs: number;
}

/** A live server, and the way to end it: its images are processes. */
export interface Live extends AsyncDisposable {
  readonly server: Server;
  /** The same images with our own tools, whatever the surface: for people who come by the local socket. */
  readonly local: Server;
  /** The project's. */
  readonly folder: string;
  /** Told when a client has named another folder than the one it began with. */
  onMove(listener: (folder: string) => void): void;
  close(): Promise<void>;
}

const usual: LiveLimits = {
  waitMs: 20_000,
  timeoutMs: 600_000,
  heapMb: 1_024,
  rssMb: 2_048,
  processes: 256,
  output: 20_000,
  sessions: 16,
  idleMs: 30 * 60_000,
  bootMs: 20_000,
  graceMs: 2_000,
};

/** What every program needs; secrets of the host are not among it. */
const passed = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'TERM',
  'NODE_EXTRA_CA_CERTS',
];

export function createLive(options: LiveOptions = {}): Live {
  const { engines = [javascript()], load = [], env = {}, single = true, name = 'vivarium-live', version = '0.1.0' } = options;
  for (const { title, problem } of engines) {
    const why = problem?.();
    if (why !== undefined) throw new VivariumError('ERR_CONFIG', `${title} cannot be had here: ${why}`);
  }
  const surface = surfaceOf(options.surface, engines);
  if (surface !== undefined && (options.tools !== undefined || options.expose === true))
    throw new VivariumError('ERR_CONFIG', `The surface ${options.surface} has the tools it has: leave out tools and expose`);
  const home = new ProjectFolder(options.cwd ?? process.cwd(), options.cwd === undefined && single);
  const limits: LiveLimits = { ...usual, ...options.limits };
  const stateFolder = options.stateFolder ?? join(usualFolder(), 'live');
  const sandbox = sandboxOf(options.sandbox, stateFolder, home);
  const report = (error: unknown): void => void coreOf(local).report(error, 'audit');
  const audit = auditOf(options.audit, report, sandbox === undefined ? undefined : home.folder);
  const masking = createMask(process.env);
  const terms: SessionTerms = {
    get cwd() {
      return home.folder;
    },
    env: { ...inherited(), ...env },
    get load() {
      return load.length > 0 ? load : configuredLoad(home.folder);
    },
    heapMb: limits.heapMb,
    rssMb: limits.rssMb,
    processes: limits.processes,
    bootMs: limits.bootMs,
    graceMs: limits.graceMs,
    maxOutput: limits.output,
    maxQueued: 100,
    unfinished: masking.unfinished,
    // A client may print an answer as it is.
    mask: (text) => withoutControls(masking.mask(text)),
    sandbox,
    warmPool: new WarmPool(options.spare ?? 'slow'),
    audit,
  };
  const sessions = new Sessions({
    engines,
    ...(options.absent !== undefined && { absent: options.absent }),
    maxSessions: limits.sessions,
    idleMs: limits.idleMs,
    ...programsOf(options.attach, home),
    terms,
  });
  const place = new CallerSessions({
    sessions,
    waitMs: limits.waitMs,
    timeoutMs: limits.timeoutMs,
    single,
    nameless: surface !== undefined,
    perOwner: options.perOwner ?? single,
    stateFolder,
    home,
    harmless: options.attach === undefined || options.attach === false,
  });
  const expose = { resources: options.expose === true, prompts: options.expose === true };
  const local = new Server({ name, version, instructions: guide(engines), expose });
  const { env: seen, mask, unfinished } = terms;
  const tests = { home, engines, env: seen, timeoutMs: limits.timeoutMs, maxOutput: limits.output, mask, unfinished, sandbox, audit };
  offerTools(local, place, tests);
  offerResources(local, place, { name, version });
  offerPrompts(local, place);
  offerExtraTools(local, place, options.tools ?? 'default', tests);
  const server = surface === undefined ? local : new Server({ name, version, ...surface.server });
  surface?.offer(server, place);
  if (options.audit !== undefined)
    for (const one of new Set([server, local])) one.around((call, next) => calledBy(callerOf(call, single), next));
  coreOf(server).farewells.add((sessionId) => void place.leave(sessionId));
  const close = (): Promise<void> => {
    place.tests.stop();
    return sessions.closeAll();
  };
  return {
    server,
    local,
    get folder() {
      return home.folder;
    },
    onMove(listener) {
      home.onMove = listener;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function programsOf(attach: LiveOptions['attach'], home: ProjectFolder): { programs?: () => readonly AttachableProgram[] } {
  if (attach === true) return { programs: () => findPrograms(home.folder) };
  if (attach === undefined || attach === false || attach.length === 0) return {};
  try {
    const named = namedPrograms(attach);
    return { programs: () => named };
  } catch (error) {
    throw new VivariumError('ERR_CONFIG', (error as Error).message, { cause: error });
  }
}

/** `project`: where code in a sandbox sees it. */
function auditOf(audit: LiveOptions['audit'], report: (error: unknown) => void, project: string | undefined): Audit {
  if (audit === undefined || typeof audit === 'function') return new Audit(audit, { report });
  try {
    const file = placeOf(audit.file);
    if (project !== undefined && contains(realpathSync(project), file))
      throw new Error(
        `The audit log ${file} is in the project, which code in the sandbox sees. Keep it elsewhere, such as in your home folder.`,
      );
    return new Audit(auditFile(file), { file, report });
  } catch (error) {
    throw new VivariumError('ERR_CONFIG', (error as Error).message, { cause: error });
  }
}

/** Where a client may still name another folder, that one is looked at when the first image starts. */
function sandboxOf(sandbox: LiveOptions['sandbox'], stateFolder: string, home: ProjectFolder): SandboxTerms | undefined {
  if (sandbox === undefined || sandbox === false) return undefined;
  const problem = sandboxProblem();
  if (problem !== undefined) throw new VivariumError('ERR_CONFIG', `There is no sandbox to be had: ${problem}`);
  const options = sandbox === true ? {} : sandbox;
  try {
    if (!home.open) checkProject(home.folder, options.write === true, { own: ownFiles(), hidden: [stateFolder] });
  } catch (error) {
    throw new VivariumError('ERR_CONFIG', (error as Error).message, { cause: error });
  }
  return { ...options, hidden: [stateFolder] };
}

function inherited(): Record<string, string> {
  return Object.fromEntries(passed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]])));
}
