import { DOCUMENT_METADATA_SCHEMA, schema, type JsonObject } from '@millrace/kernel';
import { GAP_REASONS } from './Gap.js';

/** One kind of notification, for API descriptions (PROTO-80). */
export interface NotificationKind {
  /** Unique, capitalised name. */
  readonly name: string;
  /** When it is sent. */
  readonly summary: string;
  readonly controller: string;
  readonly action: string;
  readonly state: 'pending' | 'done';
  readonly scope: 'in' | 'out' | null;
  /** Only in user events. */
  readonly user?: 'in' | 'out';
  /** JSON Schema of `result`. */
  readonly result: JsonObject;
}

const { text, integer, object } = schema;
const source: JsonObject = { type: 'object' };
const meta = DOCUMENT_METADATA_SCHEMA;
const gone = object({ _id: text, _version: integer(1), _meta: meta });
const whole = object({ _id: text, _source: source, _version: integer(1), _meta: meta });
const count = object(
  { roomId: text, count: integer() },
  { userId: text, presence: { type: 'object' }, since: integer() },
);
const ended = object({ roomId: text, reason: text });
const gap = object({ roomId: text, reason: { enum: [...GAP_REASONS] }, message: text }, { cursor: text });
const resumed = object({ roomId: text, cursor: text, count: integer() });
const followed = object(
  {
    followId: text,
    base: text,
    cursor: text,
    changes: { type: 'array', items: { type: 'object' } },
    check: text,
  },
  { total: integer(), aggregations: { type: 'array', items: { type: 'object' } } },
);
const backup = object(
  { name: text, state: { enum: ['running', 'complete', 'failed'] }, bytes: integer() },
  { totalBytes: integer(), documents: integer(), reason: text },
);
const document = { controller: 'document', state: 'done' } as const;
const pending = { controller: 'document', state: 'pending', scope: null, result: object({}) } as const;
const realtime = { controller: 'realtime', state: 'done' } as const;

/** All notifications that a connection may receive. */
export const NOTIFICATIONS: readonly NotificationKind[] = [
  { ...document, name: 'DocumentCreated', action: 'create', scope: 'in', result: whole, summary: 'A document that matches was created.' },
  { ...document, name: 'DocumentUpdated', action: 'update', scope: 'in', result: whole, summary: 'A document was changed and matches now, whether or not it did before.' },
  { ...document, name: 'DocumentLeft', action: 'update', scope: 'out', result: gone, summary: 'A document was changed and matches no longer.' },
  { ...document, name: 'DocumentDeleted', action: 'delete', scope: 'out', result: gone, summary: 'A document that matched was deleted.' },
  { ...pending, name: 'DocumentCreationPending', action: 'create', summary: 'A document that matches is about to be created (option state).' },
  { ...pending, name: 'DocumentDeletionPending', action: 'delete', summary: 'A document that matches is about to be deleted (option state).' },
  { ...realtime, name: 'MessagePublished', action: 'publish', scope: 'in', result: object({ _source: source }, { _id: text }), summary: 'A message that matches was published.' },
  { ...realtime, name: 'UserJoined', action: 'subscribe', scope: 'in', user: 'in', result: count, summary: 'Another connection came into the room (option users).' },
  { ...realtime, name: 'UserLeft', action: 'unsubscribe', scope: 'out', user: 'out', result: count, summary: 'Another connection left the room (option users).' },
  { ...realtime, name: 'SubscriptionEnded', action: 'subscriptionEnded', scope: null, result: ended, summary: 'The subscription has lost its token, its right or its name.' },
  { ...realtime, name: 'NotificationsMissed', action: 'gap', scope: null, result: gap, summary: 'Notifications of the room may have been missed: resume, or read the data again.' },
  { ...realtime, name: 'SubscriptionResumed', action: 'resumed', scope: null, result: resumed, summary: 'All missed notifications of the room have been sent; live ones follow.' },
  { ...realtime, name: 'SearchChanged', action: 'followed', scope: null, result: followed, summary: 'The result of a followed search has changed.' },
  { name: 'TokenExpired', controller: 'auth', action: 'jwtTokenExpired', state: 'done', scope: null, result: object({ message: text }), summary: 'A token of the connection has expired; also sent where direct responses go.' },
  { name: 'BackupProgressed', controller: 'server', action: 'backup', state: 'done', scope: null, result: backup, summary: 'A backup that this connection began goes on or has ended; sent where direct responses go.' },
]; // prettier-ignore
