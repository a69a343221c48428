// The languages of `vivarium live`, by its flags.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Engine, javascript, type LiveOptions, lisp, ownImage, pharo, smalltalk } from '../../../live/index.ts';
import { surfaces } from '../../../live/offer/surfaces/surfaces.ts';
import { CommandError, exitCodes } from '../../args/command.ts';
import { list } from '../../args/flag-values.ts';
import { printable } from '../../terminal/terminal.ts';

/** A loaded machine takes its time. */
const nodeMs = 20_000;

/**
 * The one that was named, and after it those that can be had here too. One that is not installed is refused, or where `serves`, said
 * by each call: a client that only sees its server end cannot tell why.
 */
export function enginesOf(
  text: (name: string) => string | undefined,
  { own = false, serves = false, cwd }: { readonly own?: boolean; readonly serves?: boolean; readonly cwd: string },
): Pick<LiveOptions, 'engines' | 'absent'> {
  const [node, sbcl, image, vm] = [text('node'), text('sbcl'), text('image'), text('vm')];
  if (vm !== undefined && image === undefined) throw new CommandError(exitCodes.usage, '--vm is for --image');
  if (own && image !== undefined)
    throw new CommandError(exitCodes.usage, '--image starts an image, and --own-image waits for yours: choose one');
  if (node !== undefined) mustRun(node);
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
  const isMistake = first.language === 'lisp' ? sbcl !== undefined : vm !== undefined || (image !== undefined && !existsSync(image));
  if (why !== undefined && (isMistake || !serves)) throw new CommandError(exitCodes.usage, lacking(first, why));
  if (why !== undefined) process.stderr.write(`${printable(lacking(first, why))}. Every call will say so until it is there.\n`);
  const others = all.filter((one) => one !== first);
  const absent = others.filter((one) => one.problem?.() !== undefined);
  return { engines: [why === undefined ? first : untilThere(first), ...others.filter((one) => !absent.includes(one))], absent };
}

/** By running it: a file that is there may be anything. */
function mustRun(node: string): void {
  const { error, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8', timeout: nodeMs });
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(stdout ?? '') ?? [];
  const refuse = (why: string): never => {
    throw new CommandError(exitCodes.usage, `--node ${node} ${why}`, { hint: 'Give the path of a Node 20.19 or newer' });
  };
  if (error !== undefined) refuse(`cannot be run: ${error.message}`);
  if (major === undefined || minor === undefined) return refuse('is no Node: it does not answer --version as one');
  if (Number(major) < 20 || (major === '20' && Number(minor) < 19)) refuse(`is ${stdout.trim()}, which is too old`);
}

function lacking({ title }: Engine, why: string): string {
  return `${title} cannot be had here: ${why}`;
}

function untilThere(engine: Engine): Engine {
  const { problem, ...rest } = engine;
  return {
    ...rest,
    launch(options) {
      const why = problem?.();
      if (why !== undefined) throw new Error(lacking(engine, why));
      return engine.launch(options);
    },
  };
}
