import { alsoInBody, oneOf, required, text } from '@millrace/kernel';

/** Arguments that several actions of the realtime controller share. */
export const realtimeArguments = {
  index: required(text()),
  collection: required(text()),
  roomId: alsoInBody(required(text())),
  scope: oneOf('all', 'in', 'out', 'none'),
  state: oneOf('all', 'pending', 'done'),
  users: oneOf('all', 'in', 'out', 'none'),
} as const;
