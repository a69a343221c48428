// The page of a report, opened: it loads nothing, runs no script but its own, and its filters choose what is shown.
import { Window } from 'happy-dom';
import { afterAll, describe, expect, it } from 'vitest';
import { htmlReport } from '../../../src/check/report/html.ts';
import { reportsOfEverySort } from './reports.ts';

const page = htmlReport(await reportsOfEverySort());
const asked: string[] = [];
const window = new Window({
  url: 'http://report.test/',
  settings: {
    enableJavaScriptEvaluation: true,
    suppressInsecureJavaScriptEnvironmentWarning: true,
    fetch: {
      interceptor: {
        beforeAsyncRequest: async ({ request }) => {
          asked.push(request.url);
          return undefined;
        },
      },
    },
  },
});
const { document } = window;
document.write(page);
await window.happyDOM.waitUntilComplete();
afterAll(() => window.happyDOM.close());

const items = () => [...document.querySelectorAll('li')];
const shown = () => items().filter((item) => !item.hidden);
const verdicts = () => [...new Set(shown().map((item) => item.dataset['verdict']))].sort();

function change(selector: string, value: string | boolean): void {
  const field = document.querySelector(selector) as unknown as { value: string; checked: boolean; dispatchEvent(event: unknown): void };
  if (typeof value === 'boolean') field.checked = value;
  else field.value = value;
  field.dispatchEvent(new window.Event('input', { bubbles: true }));
}

describe('the page', { timeout: 120_000 }, () => {
  it('is alone: no address in it is loaded, and it forbids that itself', () => {
    expect(asked).toEqual([]);
    expect(document.querySelectorAll('link, img, iframe, object, embed, video, audio, [src], [srcset], base, form[action]')).toHaveLength(
      0,
    );
    expect(page).not.toMatch(/url\(|@import|\bfetch\(|XMLHttpRequest|import\(/);
    const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]');
    expect(policy?.getAttribute('content')).toContain("default-src 'none'");
  });

  it('has one script, its own: what a server says is text', () => {
    expect(document.querySelectorAll('script')).toHaveLength(1);
    expect(document.body.textContent).toContain('<script>alert("x")</script>');
    for (const element of document.querySelectorAll('*')) {
      for (const { name } of element.attributes) expect(name).not.toMatch(/^on/);
    }
    for (const link of document.querySelectorAll('a'))
      expect(link.getAttribute('href')).toMatch(/^(?:https:\/\/modelcontextprotocol\.io\/|#target-\d+$)/);
  });

  it('has a row for each target, which leads to it', () => {
    const rows = [...document.querySelectorAll('#fleet tr')].slice(1);
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(document.querySelector(row.querySelector('a')?.getAttribute('href') ?? '')?.tagName).toBe('SECTION');
  });

  it('begins with what went wrong or stayed open', () => {
    expect(verdicts()).toEqual(
      ['failed', 'not-verified', 'warned'].filter((one) => items().some((item) => item.dataset['verdict'] === one)),
    );
    expect(document.querySelector('output')?.textContent).toBe(`${shown().length} shown`);
  });

  it('shows what is chosen by verdict, level, section and words', () => {
    change('[value="not-verified"]', false);
    change('[value="warned"]', false);
    expect(shown().map((item) => item.querySelector('b')?.textContent)).toEqual(['stdio/stdout-clean']);
    change('[value="passed"]', true);
    change('[name="level"]', 'MUST');
    expect(shown().length).toBeGreaterThan(5);
    expect(new Set(shown().map((item) => item.dataset['level']))).toEqual(new Set(['MUST']));
    change('[name="section"]', 'ping');
    expect(new Set(shown().map((item) => item.dataset['section']))).toEqual(new Set(['ping']));
    change('[name="words"]', 'No such Words');
    expect(shown()).toEqual([]);
    change('[name="section"]', '');
    change('[name="level"]', '');
    change('[value="advice"]', true);
    change('[name="words"]', 'DESTRUCTIVE');
    expect(shown().map((item) => item.dataset['verdict'])).toEqual(['advice']);
    change('[name="words"]', '');
    for (const box of document.querySelectorAll('[name="verdict"]')) change(`[value="${box.getAttribute('value')}"]`, true);
    expect(shown()).toHaveLength(items().length);
  });
});
