// What a child of the live server begins with.

import { startImage } from '../../js-runtime/main-thread.ts';
import { beside } from '../../js-runtime/start-monitor.ts';
import { ValueStore } from '../../js-runtime/value-store.ts';
import { provideImports } from './loader/imports.ts';

startImage({ beside, keeper: new ValueStore(), provide: provideImports });
