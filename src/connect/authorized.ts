// Gives every request its token, and repeats it when the server wants another one.

import { Bytes } from '../jsonrpc/event-stream.ts';
import type { AccessToken, AuthProvider } from '../protocol/authorization.ts';
import type { ChannelFailure } from '../protocol/channel.ts';
import { printable } from '../text/printable.ts';
import { maxRefusalBytes } from './refusal.ts';
import type { HeaderLookup, Outgoing, Reception, Requester, Underway } from './requester.ts';
import type { WebSettings } from './web-options.ts';

export class Authorized {
  readonly #requester: Requester;
  readonly #settings: WebSettings;

  constructor(requester: Requester, settings: WebSettings) {
    this.#requester = requester;
    this.#settings = settings;
  }

  /** `retries`: how often it may be repeated. */
  send(outgoing: Outgoing, reception: Reception, retries: number = this.#settings.maxAuthRetries): Underway {
    const { auth } = this.#settings;
    if (auth === undefined) return this.#requester.send(outgoing, reception);
    const attempt = new Attempt(this.#requester, this.#settings, auth, outgoing, reception, retries);
    attempt.begin();
    return attempt;
  }

  close(): void {
    this.#requester.close();
  }
}

interface Refused {
  readonly status: number;
  readonly header: HeaderLookup;
  readonly body: Bytes;
}

const utf8 = new TextDecoder();
const insufficient = /\berror\s*=\s*"?insufficient_scope\b/i;
const wantsNonce = /\berror\s*=\s*"?use_dpop_nonce\b/i;
/** What a server says beside its refusal is waited for, but not long. */
const bodyMs = 2_000;

class Attempt implements Reception, Underway {
  readonly #requester: Requester;
  readonly #settings: WebSettings;
  readonly #auth: AuthProvider;
  readonly #outgoing: Outgoing;
  readonly #reception: Reception;
  /** While a token is being got. */
  #asking: AbortController | undefined;
  #left: number;
  #token: AccessToken | undefined;
  #underway: Underway | undefined;
  #refused: Refused | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  constructor(requester: Requester, settings: WebSettings, auth: AuthProvider, outgoing: Outgoing, reception: Reception, retries: number) {
    this.#requester = requester;
    this.#settings = settings;
    this.#auth = auth;
    this.#outgoing = outgoing;
    this.#reception = reception;
    this.#left = retries;
  }

  /** Asks for a token, and after a refusal for another one. */
  begin(refused?: Refused): void {
    this.#asking = new AbortController();
    const request = {
      resource: this.#settings.resource,
      ...(refused !== undefined && { status: refused.status }),
      ...challengeOf(refused),
      ...(refused !== undefined && this.#token !== undefined && { stale: this.#token.value }),
      signal: this.#asking.signal,
    };
    const go = (given: string | AccessToken | undefined): void => this.#given(given, refused);
    try {
      const given = this.#auth.token(request);
      if (!(given instanceof Promise)) return go(given);
      // A person may be asked to log in: that is no silence of the server.
      this.#reception.authorizing?.(true);
      given
        .finally(() => this.#reception.authorizing?.(false))
        .then(go)
        .catch((error: unknown) => this.#fail(error, refused));
    } catch (error) {
      queueMicrotask(() => this.#fail(error, refused));
    }
  }

  abort(): void {
    this.#over = true;
    this.#asking?.abort();
    clearTimeout(this.#timer);
    this.#underway?.abort();
  }

  #given(given: string | AccessToken | undefined, refused: Refused | undefined): void {
    this.#asking = undefined;
    if (this.#over) return;
    const token = typeof given === 'string' ? ({ value: given, scheme: 'Bearer' } as const) : given;
    if (refused !== undefined && (token === undefined || token.value === this.#token?.value)) {
      this.#handOver(refused);
      return;
    }
    this.#token = token;
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token.value)) {
      this.#fail(new TypeError('The token that was given cannot be sent'), refused);
      return;
    }
    this.#dispatch(refused);
  }

  #dispatch(refused: Refused | undefined): void {
    const token = this.#token;
    const { verb, path } = this.#outgoing;
    if (token?.scheme !== 'DPoP' || this.#auth.proof === undefined) {
      this.#go(token === undefined ? [] : ['authorization', `${token.scheme} ${token.value}`]);
      return;
    }
    this.#auth
      .proof({ method: verb, url: `${this.#settings.url.origin}${path}`, token: token.value })
      .then((proof) => this.#go(['authorization', `DPoP ${token.value}`, 'dpop', proof]))
      .catch((error: unknown) => this.#fail(error, refused));
  }

  #go(more: readonly string[]): void {
    if (this.#over) return;
    this.#underway = this.#requester.send({ ...this.#outgoing, fields: [...this.#outgoing.fields, ...more] }, this);
  }

  head(status: number, header: HeaderLookup): void {
    const nonce = header('dpop-nonce');
    if (nonce !== undefined) this.#auth.nonce?.(nonce, `${this.#settings.url.origin}${this.#outgoing.path}`);
    const refuses = status === 401 || (status === 403 && insufficient.test(header('www-authenticate') ?? ''));
    if (!refuses || this.#left <= 0) {
      this.#reception.head(status, header);
      return;
    }
    this.#left--;
    this.#refused = { status, header, body: new Bytes() };
    this.#timer = setTimeout(() => this.#again(), bodyMs);
  }

  data(bytes: Uint8Array): void {
    const { body } = this.#refused ?? {};
    if (body === undefined) this.#reception.data(bytes);
    else {
      body.add(bytes);
      if (body.length > maxRefusalBytes) this.#again();
    }
  }

  end(): void {
    if (this.#refused === undefined) this.#reception.end();
    else this.#again();
  }

  failed(failure: ChannelFailure): void {
    if (this.#refused === undefined) this.#reception.failed(failure);
    else this.#again();
  }

  #again(): void {
    const refused = this.#refused;
    if (refused === undefined || this.#over) return;
    clearTimeout(this.#timer);
    this.#refused = undefined;
    this.#underway?.abort();
    // RFC 9449, section 9: the token is good, only the proof lacked the nonce.
    const onlyNonce = this.#token?.scheme === 'DPoP' && refused.header('dpop-nonce') !== undefined;
    if (onlyNonce && wantsNonce.test(refused.header('www-authenticate') ?? '')) this.#dispatch(refused);
    else this.begin(refused);
  }

  /** There is no other token: whoever sent the request hears what the server said. */
  #handOver({ status, header, body }: Refused): void {
    this.#over = true;
    const text = new TextEncoder().encode(body.take(utf8));
    this.#reception.head(status, header);
    if (text.length > 0) this.#reception.data(text);
    this.#reception.end();
  }

  #fail(error: unknown, refused: Refused | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#reception.failed({
      kind: 'authorization',
      message: printable(error instanceof Error ? error.message : String(error)),
      ...(refused !== undefined && { status: refused.status }),
      ...challengeOf(refused),
      unsent: refused === undefined,
      cause: error,
    });
  }
}

function challengeOf(refused: Refused | undefined): { readonly challenge?: string } {
  const challenge = refused?.header('www-authenticate');
  return challenge === undefined ? {} : { challenge };
}
