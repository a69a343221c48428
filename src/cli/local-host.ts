// Whether a request was meant for this machine: a page in a browser can be led here under another name.
export { isLoopback as isLocalHost } from '../text/loopback.ts';
