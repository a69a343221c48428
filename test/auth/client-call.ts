// Asks for tokens as a client does.
import type { AccessToken, AuthProvider } from 'vivarium/auth';

/** As the client does: before the request, and after each refusal, as often as it may. Gives the token that was accepted. */
export async function call(auth: AuthProvider, endpoint: string, operation = '', retries = 1): Promise<string> {
  let token = await auth.token({ resource: endpoint });
  for (let left = retries; ; left--) {
    const value = typeof token === 'string' ? token : token?.value;
    const headers = { 'x-operation': operation, ...(token !== undefined && { authorization: `${schemeOf(token)} ${value}` }) };
    const response = await fetch(endpoint, { method: 'POST', headers });
    const text = await response.text();
    if (response.status === 200) return text;
    if (left === 0) throw new Error(`refused with ${response.status}`);
    const challenge = response.headers.get('www-authenticate') ?? undefined;
    const told = { status: response.status, ...(challenge !== undefined && { challenge }), ...(value !== undefined && { stale: value }) };
    token = await auth.token({ resource: endpoint, ...told });
  }
}

function schemeOf(token: string | AccessToken): string {
  return typeof token === 'string' ? 'Bearer' : token.scheme;
}
