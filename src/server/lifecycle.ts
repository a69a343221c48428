// How a client learns what the server is: the handshake of the legacy revisions, and discovery of the modern one.
import { faults } from '../jsonrpc/error.ts';
import type { Params } from '../jsonrpc/message.ts';
import { isRevision, type Revision, type RevisionTraits, traitsOf } from '../protocol/revision.ts';
import type { ClientCapabilities, Implementation } from '../protocol/types.ts';
import type { Reply } from './answer.ts';
import type { Call } from './call.ts';
import type { Core } from './core.ts';
import type { Session } from './session.ts';

/** Synchronous on purpose: whatever follows on the connection is judged with the handshake settled. */
export function initialize(session: Session, params: Params | undefined): Reply {
  const { core } = session;
  const fault = shapeFault(params);
  if (fault !== undefined || params === undefined) return { error: faults.invalidParams(fault ?? '') };
  if (session.handshake !== undefined) return { error: faults.invalidRequest('Already initialized') };
  const requested = params['protocolVersion'] as string;
  const client = params['clientInfo'] as Params;
  if (requested === '') return { error: faults.invalidParams('protocolVersion must not be empty') };
  if (typeof client['name'] !== 'string' || typeof client['version'] !== 'string') {
    return { error: faults.invalidParams('clientInfo needs a name and a version') };
  }
  const newest = core.legacy.at(-1);
  if (newest === undefined) return { error: faults.unsupportedVersion(core.revisions, requested) };
  // Never an error for an unknown version: the server offers another, the client decides.
  const revision = isRevision(requested) && core.legacy.includes(requested) ? requested : newest;
  const traits = traitsOf(revision);
  const capabilities = core.capabilities();
  session.handshake = {
    traits,
    capabilities,
    since: core.changes,
    client: { info: client as unknown as Implementation, capabilities: params['capabilities'] as ClientCapabilities },
  };
  session.spoken = traits;
  return {
    result: {
      protocolVersion: revision satisfies Revision,
      capabilities,
      serverInfo: describeServer(core, traits),
      ...(core.options.instructions !== undefined && { instructions: core.options.instructions }),
    },
  };
}

/** By hand: the method table is not loaded yet when the first message arrives. */
function shapeFault(params: Params | undefined): string | undefined {
  for (const name of ['protocolVersion', 'capabilities', 'clientInfo']) {
    const value = params?.[name];
    if (value === undefined) return `Missing required parameter: ${name}`;
    const fits =
      name === 'protocolVersion' ? typeof value === 'string' : typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!fits) return `${name} must be ${name === 'protocolVersion' ? 'a string' : 'an object'}`;
  }
  return undefined;
}

function describeServer(core: Core, traits: RevisionTraits): Implementation {
  const { name, version, title, description, websiteUrl, icons } = core.info;
  return {
    name,
    ...(title !== undefined && traits.titles && { title }),
    version,
    ...(traits.implementationDetails && {
      ...(description !== undefined && { description }),
      ...(websiteUrl !== undefined && { websiteUrl }),
      ...(icons !== undefined && { icons }),
    }),
  };
}

/** Lists only versions a client may name in `_meta`: one that took a legacy date from here would be refused. */
export function discover({ core }: Call): Reply {
  return {
    result: core.stamp({
      supportedVersions: perRequestVersions(core),
      capabilities: core.capabilities(),
      ...(core.options.instructions !== undefined && { instructions: core.options.instructions }),
      ...core.caching(true),
    }),
  };
}

export function perRequestVersions(core: Core): readonly Revision[] {
  return core.revisions.filter((revision) => traitsOf(revision).era === 'modern');
}
