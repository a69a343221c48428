// Why nothing on the wire shows it: the reasons that hold for many requirements.
import type { Judged } from '../model/requirement.ts';

export const permission: Judged = { unobservable: 'a permission: nothing can break it' };
export const internal: Judged = { unobservable: 'what a party does inside does not show' };
export const betweenOthers: Judged = { unobservable: 'between a proxy, a person and a third party' };
export const secret: Judged = { unobservable: 'what is secret is known only to those whose secret it is' };
export const flood: Judged = { unobservable: 'only a flood of requests would show a limit' };
export const soundServer: Judged = { unobservable: 'no request makes a sound server fail' };
export const thirdParty: Judged = { unobservable: 'between the server and a third party' };
export const unwantedRequest: Judged = {
  unobservable: 'a request that a client does not send may not have been wanted: what it needs does not show',
};
export const twoUsers: Judged = { unobservable: 'it takes two clients with users of their own' };
export const ownPatience: Judged = { unobservable: 'how long a party waits is its own choice, and no run waits for it' };
