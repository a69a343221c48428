// What a child of the live server begins with.
import { startImage } from './main-thread.ts';

startImage();
