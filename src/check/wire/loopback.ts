// Addresses that only this machine can reach.

export function isLoopback(url: string | undefined): boolean {
  return url !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}
