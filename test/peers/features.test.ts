// Every feature the official clients speak, at every revision they speak, on our stdio server.
import { revisions } from 'vivarium';
import { connectV1, connectV2 } from './clients.ts';
import { driveFeatures } from './features.ts';

for (const revision of revisions.slice(0, 4)) {
  driveFeatures('@modelcontextprotocol/sdk', revision, connectV1);
  driveFeatures('@modelcontextprotocol/client', revision, connectV2);
}
driveFeatures('@modelcontextprotocol/client', '2026-07-28', connectV2);
