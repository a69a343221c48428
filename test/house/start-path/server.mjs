// The server of the start-path test: one tool, described by a JSON Schema.
import { Server } from 'vivarium/server';

const server = new Server({ name: 'start-path', version: '1.0.0' });
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

server.tool('echo', { description: 'Say it again', input }, ({ text }) => text);

export default server;
