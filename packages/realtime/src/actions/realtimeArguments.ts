import { alsoInBody, collectionName, indexName, oneOf, required, text } from '@millrace/kernel';

/** Arguments that several actions of the realtime controller share. */
export const realtimeArguments = {
  index: required(indexName()),
  collection: required(collectionName()),
  roomId: alsoInBody(required(text())),
  scope: oneOf('all', 'in', 'out', 'none'),
  state: oneOf('all', 'pending', 'done'),
  users: oneOf('all', 'in', 'out', 'none'),
} as const;
