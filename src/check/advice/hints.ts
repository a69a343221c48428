// What the annotations of a tool say about its effects, held against its name.
import { asRecord, type Json } from '../model/value.ts';
import { type Advice, nameOf } from './advice.ts';

/** Verbs at the beginning of a name, or as a word of it, that take something away for good. */
const destructive =
  /(?:^|[_.\-/\s])(?:delete|remove|drop|destroy|erase|purge|truncate|wipe|kill|terminate|uninstall|overwrite|reset|rm|rmdir|unlink|shred)(?:$|[_.\-/\s])/i;
/** How a description begins; what is taken away has to be something that is kept. */
const destroying =
  /^\s*(?:(?:permanently|irreversibly) )?(?:delet|remov|drop|destroy|eras|purg|truncat|wip|overwrit)(?:e|es|s)?\b.{0,40}\b(?:files?|folders?|director(?:y|ies)|disks?|databases?|tables?|records?|rows?|accounts?|users?|repositor(?:y|ies)|branch(?:es)?|buckets?|notes?|messages?|everything)\b/i;

export function hintAdvice(tool: Json): readonly Advice[] {
  const { readOnlyHint, destructiveHint } = asRecord(tool['annotations']);
  const name = nameOf(tool);
  const about = `tool ${name}`;
  const byName = destructive.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2'));
  const destroys = byName || destroying.test(String(tool['description'] ?? '').slice(0, 200));
  if (readOnlyHint === true && destructiveHint === true) {
    return [{ id: 'quality/hints/contradiction', about, path: '/annotations', message: 'says that it only reads, and that it destroys' }];
  }
  if (destroys && readOnlyHint === true) {
    return [
      {
        id: 'quality/hints/contradiction',
        about,
        path: '/annotations',
        message: `says that it only reads, but its ${byName ? 'name' : 'description'} does not`,
      },
    ];
  }
  if (destroys && typeof destructiveHint !== 'boolean') {
    return [
      { id: 'quality/hints/destructive', about, message: 'seems to destroy something, and has no destructiveHint: clients cannot warn' },
    ];
  }
  if (readOnlyHint === undefined && destructiveHint === undefined) {
    return [{ id: 'quality/hints/missing', about, message: 'does not say whether it only reads: clients ask their users every time' }];
  }
  return [];
}
