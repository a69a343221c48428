// What is known of a client: its files, how it writes a server, how it names a secret, and what it asks its user.
import type { Extra, Format } from './edit/edit.ts';
import { repositoryOf } from './repository.ts';

/** `local`: for one folder, in a file of the user's. */
export type Scope = 'project' | 'user' | 'local';

/** A value that stays out of the file: the name of the variable that holds it, and what stands before it. */
export interface SecretReference {
  readonly variable: string;
  readonly before: string;
}

export type Value = string | SecretReference;

export interface LaunchedServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, Value>>;
  readonly cwd?: string;
}

export interface RemoteServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, Value>>;
  readonly sse: boolean;
}

export type InstalledServer = LaunchedServer | RemoteServer;

/** The folders that a client's files are found by. */
export interface Folders {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly project: string;
  /** XDG_CONFIG_HOME, or ~/.config, on every platform. */
  readonly config: string;
  /** Where desktop applications keep their settings. */
  readonly support: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A line that the client's own command understands. */
export interface OwnCommand {
  readonly program: string;
  /** Undefined where the command cannot say all of the entry. */
  add(name: string, entry: object, server: InstalledServer): readonly string[] | undefined;
  remove?(name: string): readonly string[];
}

export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly format: Format;
  /** Members that lead to its servers. */
  readonly path: readonly string[];
  /** The same for the scope `local`. */
  readonly pathIn?: (project: string) => readonly string[];
  /** The first that exists is the one; where none does, the first is made. */
  readonly files: Readonly<Partial<Record<Scope, (folders: Folders) => readonly string[]>>>;
  /** Its command, where it has one. */
  readonly program?: string;
  /** Any of these is there once it has been used. */
  readonly marks: (folders: Folders) => readonly string[];
  /** What it starts servers with: the environment of a terminal, that of a login shell, or that of the desktop. */
  readonly starts: 'terminal' | 'login-shell' | 'desktop';
  /** So long it waits for a server, where that is short, and the setting that gives it longer. */
  readonly startSeconds?: { readonly most: number; readonly setting: string };
  /** An entry may name the folder that the server is started in. */
  readonly cwd?: true;
  /** How a file names a variable of the environment; none where values can only be written down. */
  readonly reference?: (variable: string) => string;
  readonly extras?: (variables: readonly string[]) => readonly Extra[];
  /** Undefined where it has no way to say that. */
  readonly entry: (
    name: string,
    server: InstalledServer,
    reference: (value: Value) => string,
  ) => Readonly<Record<string, unknown>> | undefined;
  /** Used for this scope, where it is installed. */
  readonly own?: Readonly<Partial<Record<Scope, OwnCommand>>>;
  /** What its user has to do, or is asked, before the server works. */
  readonly next: Readonly<Partial<Record<Scope, string>>>;
}

/** Where its servers of this scope are; `project` is the folder in question, and counts as its repository. */
export function pathFor({ path, pathIn }: ClientRow, scope: Scope, project: string): readonly string[] {
  return scope === 'local' ? (pathIn?.(repositoryOf(project)) ?? path) : path;
}

export function isReference(value: Value): value is SecretReference {
  return typeof value !== 'string';
}
