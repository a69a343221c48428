// Every feature the official clients speak, at every revision they speak, on our server over HTTP.
import * as v2 from '@modelcontextprotocol/client';
import { revisions } from 'vivarium';
import { driveFeatures } from './features.ts';
import { driveListening } from './features-listening.ts';
import { overFetch, overHttpV1, overHttpV2, overSse } from './http-clients.ts';
import { serveFixture } from './served.ts';

for (const revision of revisions.slice(0, 4)) {
  driveFeatures('@modelcontextprotocol/sdk over Streamable HTTP', revision, overHttpV1());
  driveFeatures('@modelcontextprotocol/sdk over HTTP+SSE', revision, overSse());
  driveFeatures('@modelcontextprotocol/client over Streamable HTTP', revision, overHttpV2());
}
driveFeatures('@modelcontextprotocol/client over Streamable HTTP', '2026-07-28', overHttpV2());
driveFeatures('@modelcontextprotocol/sdk with a function to fetch from', '2025-11-25', overFetch('v1'));
driveFeatures('@modelcontextprotocol/client with a function to fetch from', '2026-07-28', overFetch('v2'));

driveListening('@modelcontextprotocol/client at 2026-07-28 over Streamable HTTP', 'graceful', async () => {
  const served = await serveFixture('features');
  return { transport: new v2.StreamableHTTPClientTransport(new URL(served.url)), end: served.end };
});
