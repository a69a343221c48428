// The Lisp part of the engine, which is shipped as text and read by the user's own compiler.
import { packageFile } from '../../package-files.ts';

export function bridgeFile(name: string): string {
  return `${bridgeFolder()}/${name}`;
}

export function bridgeFolder(): string {
  return packageFile('live/languages/lisp/bridge');
}
