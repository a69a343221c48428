// Serves the server of the start-path test as a user's own program would.
import { serveStdio } from 'vivarium/serve/stdio';
import server from './server.mjs';

await serveStdio(server);
