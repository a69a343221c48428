// The front door, as users know it, and connectors where a test needs one.

export { fetchHttp } from '../../src/connect/fetch.ts';
export { sse } from '../../src/connect/sse.ts';
export { stdio } from '../../src/connect/stdio.ts';
export { connect } from '../../src/index.ts';
