// The languages of `vivarium live`, by its flags.
import { javascript, type LiveOptions, lisp, ownImage, pharo, smalltalk } from '../../../live/index.ts';
import { surfaces } from '../../../live/offer/surfaces/surfaces.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { list } from '../../args/flag-values.ts';

/** The one that was named, and after it those that can be had here too. */
export function enginesOf(text: (name: string) => string | undefined, own: boolean, cwd: string): Pick<LiveOptions, 'engines' | 'absent'> {
  const [node, sbcl, image, vm] = [text('node'), text('sbcl'), text('image'), text('vm')];
  if (vm !== undefined && image === undefined) throw new CommandError(exitCodes.usage, '--vm is for --image');
  if (own && image !== undefined)
    throw new CommandError(exitCodes.usage, '--image starts an image, and --own-image waits for yours: choose one');
  const all = [
    javascript(node === undefined ? {} : { node }),
    lisp({ systems: list(text('system')), ...(sbcl !== undefined && { sbcl }) }),
    own
      ? ownImage()
      : image === undefined
        ? smalltalk({ folder: cwd, ...(node !== undefined && { node }) })
        : pharo({ image, ...(vm !== undefined && { vm }) }),
  ];
  const implied = image !== undefined || own ? 'smalltalk' : text('system') === undefined ? 'javascript' : 'lisp';
  const named = text('language') ?? surfaces.get(text('surface') ?? '')?.language ?? implied;
  const first = all.find(({ language, aliases = [] }) => language === named || aliases.includes(named));
  if (first === undefined) {
    const known = all.map(({ language }) => language).join(', ');
    throw new CommandError(exitCodes.usage, `There is no language "${named}", only ${known}`);
  }
  const why = first.problem?.();
  if (why !== undefined) throw new CommandError(exitCodes.usage, `${first.title} cannot be had here: ${why}`);
  const others = all.filter((one) => one !== first);
  const absent = others.filter((one) => one.problem?.() !== undefined);
  return { engines: [first, ...others.filter((one) => !absent.includes(one))], absent };
}
