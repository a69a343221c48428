// Makes Node load the files of a project as an image does: for its tests, in a process of their own.
import { register } from 'node:module';
import { provideRequire } from './loader/commonjs.ts';

provideRequire();
register(new URL('./hooks.js', import.meta.url));
process.setSourceMapsEnabled(true);
