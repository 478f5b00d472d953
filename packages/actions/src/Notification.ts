// Made by `node scripts/generateDocs.mjs`. Do not edit.
import type { DocumentMetadata } from './ActionMap.js';
import type { JsonObject } from './Json.js';

/** What every notification has (PROTO-80). */
export interface NotificationEnvelope {
  readonly status: 200;
  readonly error: null;
  /** Of the request that caused it, or `server notification`. */
  readonly requestId: string;
  readonly index: string | null;
  readonly collection: string | null;
  /** Of the request that caused it. */
  readonly metadata: JsonObject;
  /** UTC milliseconds. */
  readonly timestamp: number;
  /** Absent where the notification belongs to no room (`TokenExpired`). */
  readonly roomId?: string;
  /** Position of the change; absent if it isn't recorded (RESUME-1). */
  readonly cursor?: string;
  /** Only after a resume (RESUME-10). */
  readonly replayed?: true;
}

/** A notification to a subscriber; `controller`, `action` and `scope` tell the kinds apart. */
export type Notification =
  | DocumentCreated
  | DocumentUpdated
  | DocumentLeft
  | DocumentDeleted
  | DocumentCreationPending
  | DocumentDeletionPending
  | MessagePublished
  | UserJoined
  | UserLeft
  | SubscriptionEnded
  | NotificationsMissed
  | SubscriptionResumed
  | SearchChanged
  | TokenExpired
  | BackupProgressed;

/** A document that matches was created. */
export interface DocumentCreated extends NotificationEnvelope {
  readonly controller: 'document';
  readonly action: 'create';
  readonly state: 'done';
  readonly scope: 'in';
  readonly result: {
    readonly _id: string;
    readonly _source: JsonObject;
    readonly _version: number;
    /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
    readonly _meta: DocumentMetadata;
  };
}

/** A document was changed and matches now, whether or not it did before. */
export interface DocumentUpdated extends NotificationEnvelope {
  readonly controller: 'document';
  readonly action: 'update';
  readonly state: 'done';
  readonly scope: 'in';
  readonly result: {
    readonly _id: string;
    readonly _source: JsonObject;
    readonly _version: number;
    /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
    readonly _meta: DocumentMetadata;
  };
}

/** A document was changed and matches no longer. */
export interface DocumentLeft extends NotificationEnvelope {
  readonly controller: 'document';
  readonly action: 'update';
  readonly state: 'done';
  readonly scope: 'out';
  readonly result: {
    readonly _id: string;
    readonly _version: number;
    /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
    readonly _meta: DocumentMetadata;
  };
}

/** A document that matched was deleted. */
export interface DocumentDeleted extends NotificationEnvelope {
  readonly controller: 'document';
  readonly action: 'delete';
  readonly state: 'done';
  readonly scope: 'out';
  readonly result: {
    readonly _id: string;
    readonly _version: number;
    /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
    readonly _meta: DocumentMetadata;
  };
}

/** A document that matches is about to be created (option state). */
export interface DocumentCreationPending extends NotificationEnvelope {
  readonly controller: 'document';
  readonly action: 'create';
  readonly state: 'pending';
  readonly scope: null;
  readonly result: Record<never, never>;
}

/** A document that matches is about to be deleted (option state). */
export interface DocumentDeletionPending extends NotificationEnvelope {
  readonly controller: 'document';
  readonly action: 'delete';
  readonly state: 'pending';
  readonly scope: null;
  readonly result: Record<never, never>;
}

/** A message that matches was published. */
export interface MessagePublished extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'publish';
  readonly state: 'done';
  readonly scope: 'in';
  readonly result: {
    readonly _source: JsonObject;
    readonly _id?: string;
  };
}

/** Another connection came into the room (option users). */
export interface UserJoined extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'subscribe';
  readonly state: 'done';
  readonly scope: 'in';
  readonly user: 'in';
  readonly result: {
    readonly roomId: string;
    readonly count: number;
    readonly userId?: string;
    readonly presence?: JsonObject;
    readonly since?: number;
  };
}

/** Another connection left the room (option users). */
export interface UserLeft extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'unsubscribe';
  readonly state: 'done';
  readonly scope: 'out';
  readonly user: 'out';
  readonly result: {
    readonly roomId: string;
    readonly count: number;
    readonly userId?: string;
    readonly presence?: JsonObject;
    readonly since?: number;
  };
}

/** The subscription has lost its token, its right or its name. */
export interface SubscriptionEnded extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'subscriptionEnded';
  readonly state: 'done';
  readonly scope: null;
  readonly result: {
    readonly roomId: string;
    readonly reason: string;
  };
}

/** Notifications of the room may have been missed: resume, or read the data again. */
export interface NotificationsMissed extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'gap';
  readonly state: 'done';
  readonly scope: null;
  readonly result: {
    readonly roomId: string;
    readonly reason:
      | 'epoch_changed'
      | 'expired'
      | 'not_recorded'
      | 'wiped'
      | 'too_much'
      | 'slow_consumer'
      | 'node_lost'
      | 'rights_changed';
    readonly message: string;
    readonly cursor?: string;
  };
}

/** All missed notifications of the room have been sent; live ones follow. */
export interface SubscriptionResumed extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'resumed';
  readonly state: 'done';
  readonly scope: null;
  readonly result: {
    readonly roomId: string;
    readonly cursor: string;
    readonly count: number;
  };
}

/** The result of a followed search has changed. */
export interface SearchChanged extends NotificationEnvelope {
  readonly controller: 'realtime';
  readonly action: 'followed';
  readonly state: 'done';
  readonly scope: null;
  readonly result: {
    readonly followId: string;
    readonly base: string;
    readonly cursor: string;
    readonly changes: readonly JsonObject[];
    readonly check: string;
    readonly total?: number;
    readonly aggregations?: readonly JsonObject[];
  };
}

/** A token of the connection has expired; also sent where direct responses go. */
export interface TokenExpired extends NotificationEnvelope {
  readonly controller: 'auth';
  readonly action: 'jwtTokenExpired';
  readonly state: 'done';
  readonly scope: null;
  readonly result: {
    readonly message: string;
  };
}

/** A backup that this connection began goes on or has ended; sent where direct responses go. */
export interface BackupProgressed extends NotificationEnvelope {
  readonly controller: 'server';
  readonly action: 'backup';
  readonly state: 'done';
  readonly scope: null;
  readonly result: {
    readonly name: string;
    readonly state: 'running' | 'complete' | 'failed';
    readonly bytes: number;
    readonly totalBytes?: number;
    readonly documents?: number;
    readonly reason?: string;
  };
}
