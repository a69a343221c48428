// vivarium/testing

export { createTestClient, type TestClient, type TestClientOptions } from './client.ts';
export { parseTranscript, type Transcript, type TranscriptEntry } from './transcript.ts';
export { createWire, type Wire } from './wire.ts';
