// One of several processes that share a file of tokens: says what it gets, when told to ask.
import { oauth } from 'vivarium/auth';
import { fileTokens } from 'vivarium/auth/node';
import { call } from '../client-call.ts';

const [, , path = '', endpoint = '', uri = ''] = process.argv;
const redirect = { uri, open: () => Promise.reject(new Error('nobody is here')) };
const auth = oauth({ redirect, tokens: fileTokens(path) });

process.on('message', (ask) => {
  const asked =
    ask === 'token' ? Promise.resolve(auth.token({ resource: endpoint })).then((token) => Object(token).value) : call(auth, endpoint);
  asked.then(
    (value: unknown) => process.send?.(value ?? 'nothing'),
    (error: unknown) => process.send?.(`failed: ${error}`),
  );
});
process.send?.('ready');
