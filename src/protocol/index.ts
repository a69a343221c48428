// vivarium/protocol
export { type ErrorObject, errorCodes } from '../jsonrpc/error.ts';
export {
  type ParsedMessage,
  type ParsedNotification,
  type ParsedRequest,
  type ParsedResponse,
  parseMessage,
  type Refusal,
} from '../jsonrpc/message.ts';
export { assistantMessage, audio, embedded, image, resourceLink, text, userMessage } from './constructors.ts';
export { logLevels, type MethodInfo, methods, type ParamShape } from './methods.ts';
export { type Era, metaKeys, type Revision, revisions } from './revision.ts';
export { encodeText, type TextFormat } from './text.ts';
export type * from './types.ts';
