// How the inspector finds an object of ours that no user's code can name.
import type { Session } from 'node:inspector';

const door = '__vivarium_door';

/** The object's id in this session of the inspector, for good. */
export function reach(session: Session, object: unknown): string {
  let id = '';
  Object.defineProperty(globalThis, door, { value: object, configurable: true });
  session.post('Runtime.evaluate', { expression: door }, (_error, found) => {
    id = found?.result.objectId ?? '';
  });
  Reflect.deleteProperty(globalThis, door);
  return id;
}
