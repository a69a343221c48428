// What a child of the live server begins with where its language is Smalltalk: Amber, in an image like that of JavaScript.

import { startImage } from '../../../js-runtime/main-thread.ts';
import { beside } from '../../../js-runtime/start-monitor.ts';
import { provideImports } from '../../javascript/loader/imports.ts';
import { bootAmber } from './amber.ts';
import { Browser } from './browser.ts';
import { Faults } from './fault.ts';
import { Files } from './files.ts';
import { Objects } from './objects.ts';
import { addPrelude } from './prelude.ts';
import { runTests } from './tests.ts';
import { SmalltalkValueStore } from './value-store.ts';
import { Workspace } from './workspace.ts';

const amber = await bootAmber(String(process.argv[2]));
addPrelude(amber, { fileIn: (path) => files.fileIn(path), runTests: (part) => runTests(amber, browser, faults, part) });
const objects = new Objects(amber);
const workspace = new Workspace(amber);
const browser = new Browser(amber);
const files = new Files(amber, browser, workspace, process.cwd());
const faults = new Faults(objects, workspace);
const keeper = new SmalltalkValueStore({ amber, objects, workspace, browser, faults, files });
// How a cell is run: the host writes a call of it.
Object.defineProperty(globalThis, '__vivarium_smalltalk', { value: (source: string) => workspace.evaluate(source) });
startImage({ beside, keeper, provide: provideImports });
