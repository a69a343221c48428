// Evaluated code chooses the text that is masked: it must not choose how long the server is busy with it.
import { describe, expect, it } from 'vitest';
import { createMask } from '../../../src/live/session/mask.ts';
import { growth, linear } from '../../growth.ts';
import { attacks } from '../../text/attacks.ts';

const { mask, unfinished } = createMask({ TEST_API_KEY: `${'a'.repeat(40)}b`, OTHER_TOKEN: 'ab'.repeat(2_000) });

describe('Masking what an image says takes a time that grows with its length', { timeout: 120_000 }, () => {
  it.each(attacks)('whatever it repeats: %s', (_, pump) => {
    expect(growth(mask, pump)).toBeLessThan(linear);
    expect(growth(unfinished, pump)).toBeLessThan(linear);
  });

  it.each(['sk-', 'eyJa-', '-----BEGIN ', 'a', ' a'])('also for hundreds of long values, each of them cut: %j', (piece) => {
    const values = (length: number): string => `"${piece.repeat(length).slice(0, length)}!"... 300 more characters\n`.repeat(100);
    expect(growth(mask, values, 500)).toBeLessThan(linear);
  });
});

it('Masking cuts a text of more than a million characters, says so, and shows no half of a secret there', () => {
  const secret = `ghp_${'aB3'.repeat(12)}`;
  const text = `${'x'.repeat(1_000_000 - 21)} ${secret} tail`;
  const shown = mask(text);
  expect(shown).toMatch(/x \[secret\]…\n\[… 25 characters left out …\]$/);
  expect(shown.length).toBeLessThan(1_000_100);
});
