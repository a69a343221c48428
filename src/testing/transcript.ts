// A conversation on paper: `→` what the client sent, `←` what the server sent, one message a line.

export interface TranscriptEntry {
  readonly from: 'client' | 'server';
  /** One line as it was on the wire. */
  readonly line: string;
}

export interface Transcript {
  readonly entries: readonly TranscriptEntry[];
  /** The whole conversation, ready to be printed or kept as a golden file. */
  text(): string;
}

export class TranscriptRecorder implements Transcript {
  readonly entries: TranscriptEntry[] = [];

  add(from: TranscriptEntry['from'], line: string): void {
    this.entries.push({ from, line });
  }

  text(): string {
    return this.entries.map(({ from, line }) => `${from === 'client' ? '→' : '←'} ${line}\n`).join('');
  }
}

/** Reads a transcript back; lines without an arrow are prose and are left out. */
export function parseTranscript(text: string): TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('→ ')) entries.push({ from: 'client', line: line.slice(2) });
    else if (line.startsWith('← ')) entries.push({ from: 'server', line: line.slice(2) });
  }
  return entries;
}
