// What a child of the live server begins with.
import { beside } from './first.ts';
import { Keeper } from './keeper.ts';
import { startImage } from './main-thread.ts';

startImage({ beside, keeper: new Keeper() });
