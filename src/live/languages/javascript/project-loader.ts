// Makes Node load the files of a project as an image does, outside of images: for its tests, and for a module that is served.
import { register } from 'node:module';
import { provideRequire } from './loader/commonjs.ts';
import { leaveScopes } from './loader/transform.ts';

leaveScopes();
provideRequire();
// Beside the bundle that this file is built into.
register(new URL('./hooks.js', import.meta.url), { data: { leavesScopes: true } });
process.setSourceMapsEnabled(true);
