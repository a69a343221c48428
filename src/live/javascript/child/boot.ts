// What a child of the live server begins with.
import { Keeper } from './keeper.ts';
import { startImage } from './main-thread.ts';

startImage({ keeper: new Keeper() });
