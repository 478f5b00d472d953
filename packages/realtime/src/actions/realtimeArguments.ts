import {
  alsoInBody,
  collectionName,
  indexName,
  integer,
  oneOf,
  required,
  text,
} from '@millrace/kernel';
import { MAX_REPLAY } from '../resume/Replays.js';
import { presenceArgument } from '../rooms/MemberPresence.js';

/** Arguments that several actions of the realtime controller share. */
export const realtimeArguments = {
  index: required(indexName()),
  collection: required(collectionName()),
  roomId: alsoInBody(required(text())),
} as const;

/** Arguments of a subscription besides its place and filter. */
export const subscriptionArguments = {
  scope: oneOf('all', 'in', 'out', 'none'),
  state: oneOf('all', 'pending', 'done'),
  users: oneOf('all', 'in', 'out', 'none'),
  cursor: text(),
  mode: oneOf('events', 'state', 'auto'),
  maxReplay: integer(1, MAX_REPLAY),
  presence: presenceArgument(),
} as const;
