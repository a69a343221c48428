/** A part of the system that tests drive, with the Debian package that holds it. */
export interface Component {
  readonly name: string;
  readonly debian: string;
  readonly probe: readonly [command: string, ...args: string[]];
}

export const components: readonly Component[];
export function missing(list?: readonly Component[]): Component[];
export function node24(): string | undefined;
export function notRun(name: string, list?: readonly Component[]): boolean;
export function reference(): string | undefined;
export function installLine(list: readonly Component[]): string;
export function prepare(): boolean;
export function prepareComponents(list?: readonly Component[]): boolean;
export function outcome(): string;
export function inCache(name: string): string;
export function install(target: string, files: Readonly<Record<string, string>>, isThere: () => boolean): string | undefined;
