// vivarium/testing
export { parseTranscript, type Transcript, type TranscriptEntry } from './transcript.ts';
export { createWire, type Wire } from './wire.ts';
