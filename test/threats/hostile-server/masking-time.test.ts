// A server chooses the text that a recording, a log or a report masks: it must not choose how long that takes.
import { describe, expect, it } from 'vitest';
import { withoutSecrets, wordsWithoutSecrets } from '../../../src/check/model/secrets.ts';
import { maskText } from '../../../src/cli/commands/record/masking.ts';
import { growth, linear } from '../../growth.ts';
import { attacks } from '../../text/attacks.ts';

describe('Masking what a server says takes a time that grows with its length', { timeout: 120_000 }, () => {
  it.each(attacks)('in a recording or a log: %s', (_, pump) => expect(growth(maskText, pump)).toBeLessThan(linear));
  it.each(attacks)('in a report: %s', (_, pump) => {
    expect(growth(withoutSecrets, pump)).toBeLessThan(linear);
    expect(growth((text) => wordsWithoutSecrets([text]), pump)).toBeLessThan(linear);
  });
});
