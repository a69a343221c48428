// Begun before anything else is loaded: the worker takes longer to be there than all the rest.
import { type MonitorWorker, startMonitorWorker } from './monitor-worker.ts';

export const beside: MonitorWorker = startMonitorWorker();
