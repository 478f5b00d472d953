// Made by `node scripts/generateDocs.mjs`. Do not edit.
import type { FieldOrBody } from './ActionFields.js';
import type { FreeContent, JsonObject, JsonValue } from './Json.js';

/** Every action by controller and name: what it takes and returns. Plugins add theirs by declaration merging. */
export interface ActionMap {
  readonly auth: AuthActions;
  readonly bulk: BulkActions;
  readonly client: ClientActions;
  readonly collection: CollectionActions;
  readonly document: DocumentActions;
  readonly index: IndexActions;
  readonly memoryStorage: MemoryStorageActions;
  readonly realtime: RealtimeActions;
  readonly saml: SamlActions;
  readonly security: SecurityActions;
  readonly server: ServerActions;
  /** Another name of `memoryStorage`. */
  readonly ms: MemoryStorageActions;
  /** Another name of the controllers `collection`, `index` and `server`: the first that has the action. */
  readonly admin: AdminActions;
}

type AdminActions = CollectionActions &
  Omit<IndexActions, keyof CollectionActions> &
  Omit<ServerActions, keyof CollectionActions | keyof IndexActions>;

/** Actions of the controller `auth`. */
export interface AuthActions {
  /** Creates a ticket that stands for the token once, in the address of a stream. */
  readonly createTicket: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly ticket: string;
      /** UTC milliseconds. */
      readonly expiresAt: number;
    };
  };
  /** Logs a user in by a strategy and gives a token. */
  readonly login: {
    readonly fields: {
      readonly strategy?: string;
      /** A number of seconds or a time span. */
      readonly expiresIn?: number | string;
      readonly body?: {
        readonly username?: string;
        readonly password?: string;
        readonly code?: string;
        readonly state?: string;
        readonly stateSecret?: string;
      } & FreeContent & {
          readonly strategy?: string;
          /** A number of seconds or a time span. */
          readonly expiresIn?: number | string;
        };
    };
    readonly result: Login;
    readonly mayRedirect: true;
  };
  /** Tells whether a token is valid, and if not why. */
  readonly checkToken: {
    readonly fields: {
      readonly token?: string;
      readonly body?: { readonly token?: string };
    } & FieldOrBody<{ readonly token: string }>;
    readonly result: {
      readonly valid: boolean;
      readonly state?: 'malformed' | 'invalid signature' | 'expired' | 'revoked';
      /** UTC milliseconds; null: never. */
      readonly expiresAt?: number | null;
    };
  };
  /** Revokes the token that the request carries. */
  readonly logout: {
    readonly fields: Record<never, never>;
    readonly result: Record<never, never>;
  };
  /** Exchanges the token that the request carries for a new one. */
  readonly refreshToken: {
    readonly fields: {
      /** A number of seconds or a time span. */
      readonly expiresIn?: number | string;
      readonly body?: {
        /** A number of seconds or a time span. */
        readonly expiresIn?: number | string;
      };
    };
    readonly result: {
      readonly _id: string;
      readonly jwt: string;
      /** UTC milliseconds. */
      readonly expiresAt: number;
    };
  };
  /** Lists the names of the strategies to log in with. */
  readonly getStrategies: {
    readonly fields: Record<never, never>;
    readonly result: readonly string[];
  };
  /** Describes the current user, with profiles and roles. */
  readonly getCurrentUser: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly _id: string;
      /** Free properties, profiles and their roles. */
      readonly _source: {
        readonly profileIds: readonly string[];
        readonly profileId: string;
        readonly profile: {
          readonly _id: string;
          readonly roles: readonly {
            readonly _id: string;
            readonly restrictedTo?: readonly {
              readonly index: string;
              readonly collections?: readonly string[];
            }[];
          }[];
        } | null;
        readonly profiles: readonly {
          readonly _id: string;
          readonly roles: readonly {
            readonly _id: string;
            readonly restrictedTo?: readonly {
              readonly index: string;
              readonly collections?: readonly string[];
            }[];
          }[];
        }[];
      } & JsonObject;
    };
  };
  /** Lists the rights of the current user. */
  readonly getMyRights: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly hits: readonly RightsItem[];
    };
  };
  /** Changes properties and credentials of the current user; credentials need `currentPassword` or a recent login. */
  readonly updateSelf: {
    readonly fields: {
      readonly body: {
        readonly password?: string;
        /** The current password; needed unless the login was in the last 5 minutes. */
        readonly currentPassword?: string;
      } & FreeContent;
    };
    readonly result: {
      readonly _id: string;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
    };
  };
  /** Gives the current user credentials of a strategy. */
  readonly createMyCredentials: {
    readonly fields: {
      readonly strategy: string;
      readonly body: {
        /** The current password; needed unless the login was in the last 5 minutes. */
        readonly currentPassword?: string;
      } & FreeContent;
    };
    readonly result: Record<never, never>;
  };
  /** Replaces the asking user's credentials of a strategy and revokes the user's other tokens. */
  readonly updateMyCredentials: {
    readonly fields: {
      readonly strategy: string;
      readonly body: {
        /** The current password; needed unless the login was in the last 5 minutes. */
        readonly currentPassword?: string;
      } & FreeContent;
    };
    readonly result: Record<never, never>;
  };
  /** Removes the asking user's credentials of a strategy and revokes the user's other tokens. */
  readonly deleteMyCredentials: {
    readonly fields: {
      readonly strategy: string;
      readonly body?: {
        /** The current password; needed unless the login was in the last 5 minutes. */
        readonly currentPassword?: string;
      };
    };
    readonly result: Acknowledged;
  };
  /** Tells whether the current user has credentials of a strategy. */
  readonly hasMyCredentials: {
    readonly fields: {
      readonly strategy: string;
    };
    readonly result: boolean;
  };
  /** Creates an API key of the current user; needs `currentPassword` or a recent login. The answer alone contains the key. */
  readonly createApiKey: {
    readonly fields: {
      readonly body: {
        readonly name: string;
        readonly policies?: readonly Policy[] | null;
        /** UTC milliseconds; null: never. */
        readonly expiresAt?: number | null;
        readonly allowedAddresses?: readonly string[] | null;
        /** The current password; needed unless the login was in the last 5 minutes. */
        readonly currentPassword?: string;
      };
    };
    readonly result: CreatedApiKey;
  };
  /** Lists the API keys of the current user. */
  readonly searchApiKeys: {
    readonly fields: {
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: {
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer of at least 0. */
        readonly size?: number;
      };
    };
    readonly result: {
      readonly hits: readonly ApiKey[];
      readonly total: number;
    };
  };
  /** Deletes an API key of the current user, which revokes it. */
  readonly deleteApiKey: {
    readonly fields: {
      readonly keyId: string;
    };
    readonly result: {
      readonly _id: string;
    };
  };
  /** Gives an API key of the current user a new secret; needs `currentPassword` or a recent login. */
  readonly rotateApiKey: {
    readonly fields: {
      readonly keyId: string;
      /** An integer of at least 0. */
      readonly graceMs?: number;
      readonly body?: {
        /** The current password; needed unless the login was in the last 5 minutes. */
        readonly currentPassword?: string;
      } & {
        /** An integer of at least 0. */
        readonly graceMs?: number;
      };
    };
    readonly result: CreatedApiKey;
  };
}

/** Actions of the controller `bulk`. */
export interface BulkActions {
  /** Applies many writes in their order; 206 when some fail. */
  readonly import: {
    readonly fields: {
      readonly index?: string;
      readonly collection?: string;
      /** A list of action and document lines. */
      readonly bulkData?: readonly FreeContent[];
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: {
        /** A list of action and document lines. */
        readonly bulkData?: readonly FreeContent[];
      };
    } & FieldOrBody<{ readonly bulkData: readonly FreeContent[] }>;
    readonly result: BulkResult;
    readonly mayFailInPart: true;
  };
}

/** Actions of the controller `client`. */
export interface ClientActions {
  /** Begins a connection: tells its id, the time and the change log, starts heartbeats. */
  readonly hello: {
    readonly fields: {
      /** 1, the version of the protocol. */
      readonly v?: 1;
      readonly sdk?: string;
      readonly heartbeat?: boolean;
      /** A JSON object. */
      readonly last?: FreeContent;
      readonly body?: {
        /** 1, the version of the protocol. */
        readonly v?: 1;
        readonly sdk?: string;
        readonly heartbeat?: boolean;
        /** A JSON object. */
        readonly last?: FreeContent;
      };
    } & FieldOrBody<{ readonly v: 1 }>;
    readonly result: {
      /** For the logs of client and server. */
      readonly connectionId: string;
      /** UTC milliseconds. */
      readonly serverTime: number;
      /** Longest silence of the server from now on; null without heartbeats. */
      readonly heartbeatMs: number | null;
      /** The change log to which cursors belong; null if the storage has none. */
      readonly epoch: string | null;
    };
  };
}

/** Actions of the controller `collection`. */
export interface CollectionActions {
  /** Gives the mapping of users' free properties; for administrators. */
  readonly getUserMapping: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly mapping: JsonObject;
    };
  };
  /** Adds to the mapping of users' free properties; for administrators. */
  readonly updateUserMapping: {
    readonly fields: {
      readonly body: {
        readonly properties?: FreeContent;
      };
    };
    readonly result: Acknowledged;
  };
  /** Creates a collection, with a mapping if one is given; does nothing when it exists. */
  readonly create: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly body?: MappingBody;
    };
    readonly result: Acknowledged;
  };
  /** Tells whether a stored collection exists. */
  readonly exists: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
    };
    readonly result: boolean;
  };
  /** Gives the mapping of a collection in current terms. */
  readonly getMapping: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
    };
    readonly result: {
      readonly [key: string]: {
        readonly mappings: { readonly [key: string]: Mapping };
      };
    };
  };
  /** Merges a mapping into that of a collection, which is created when absent. */
  readonly updateMapping: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly body: MappingBody;
    };
    readonly result: Record<never, never>;
  };
  /** Lists the collections of an index by name. */
  readonly list: {
    readonly fields: {
      readonly index: string;
      readonly type?: 'all' | 'stored' | 'realtime';
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: {
        readonly type?: 'all' | 'stored' | 'realtime';
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer of at least 0. */
        readonly size?: number;
      };
    };
    readonly result: {
      readonly collections: readonly {
        readonly name: string;
        readonly type: 'stored' | 'realtime';
      }[];
      readonly type: 'all' | 'stored' | 'realtime';
      readonly from?: number;
      readonly size?: number;
    };
  };
  /** Removes the recorded changes of a collection, with the content of deleted documents; subscriptions can not resume from before. */
  readonly eraseHistory: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
    };
    readonly result: Acknowledged;
  };
  /** Deletes a collection with its documents. */
  readonly delete: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly silent?: boolean;
    };
    readonly result: Acknowledged;
  };
  /** Removes every document of a collection and keeps its mapping. */
  readonly truncate: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly silent?: boolean;
    };
    readonly result: Acknowledged;
  };
  /** Removes the validation specification of a collection. */
  readonly deleteSpecifications: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
    };
    readonly result: Record<never, never>;
  };
  /** Gives the validation specification of a collection, as it was sent. */
  readonly getSpecifications: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
    };
    readonly result: {
      readonly index: string;
      readonly collection: string;
      readonly validation: ValidationSpecification;
    };
  };
  /** Searches the validation specifications by index and collection. */
  readonly searchSpecifications: {
    readonly fields: {
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: SearchBody;
    };
    readonly result: {
      readonly hits: readonly {
        readonly _id: string;
        readonly _source: {
          readonly index: string;
          readonly collection: string;
          readonly validation: ValidationSpecification;
        };
        readonly index: string;
        readonly collection: string;
        readonly validation: ValidationSpecification;
      }[];
      readonly total: number;
      readonly from?: number;
      readonly size?: number;
    };
  };
  /** Sets the validation specifications of one or more collections. */
  readonly updateSpecifications: {
    readonly fields: {
      readonly body: ValidationSpecifications;
    };
    readonly result: ValidationSpecifications2;
  };
  /** Tells whether validation specifications are well formed, without storing them. */
  readonly validateSpecifications: {
    readonly fields: {
      readonly body: FreeContent;
    };
    readonly result: {
      readonly valid: boolean;
      readonly details: readonly string[];
      readonly description: string;
    };
  };
}

/** Actions of the controller `document`. */
export interface DocumentActions {
  /** Counts the documents that match. */
  readonly count: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly body?: QueryBody;
    };
    readonly result: {
      readonly count: number;
    };
  };
  /** Creates a document under the given or a generated id; 409 when it exists. */
  readonly create: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id?: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body: DocumentContent & { readonly _id?: string };
    };
    readonly result: WrittenDocument;
  };
  /** Creates a document, or replaces the one there is. */
  readonly createOrReplace: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id?: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body: DocumentContent & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: CreatedOrReplacedDocument;
  };
  /** Deletes a document. */
  readonly delete: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      /** An integer of at least 0. */
      readonly ifVersion?: number;
    };
    readonly result: {
      readonly _id: string;
    };
  };
  /** Deletes every document that matches. */
  readonly deleteByQuery: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: QueryBody;
    };
    readonly result: {
      readonly hits: readonly string[];
      readonly ids: readonly string[];
    };
    readonly mayFailInPart: true;
  };
  /** Explains how a search is understood, what its clauses cost, and how it could be kept up to date. */
  readonly explain: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly body?: SearchBody;
    };
    readonly result: {
      /** The query as it is compared with documents, for people. */
      readonly query: JsonObject;
      readonly clauses: readonly {
        readonly path: string;
        readonly usesIndex: boolean;
        /** Documents looked at. */
        readonly cost: number;
      }[];
      readonly follow: {
        readonly mode: 'incremental' | 'rerun';
        readonly because?: string;
      };
    };
  };
  /** Gives a document. */
  readonly get: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id: string;
    };
    readonly result: StoredDocument;
  };
  /** Replaces the content of a document that exists. */
  readonly replace: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id?: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      /** An integer of at least 0. */
      readonly ifVersion?: number;
      readonly body: DocumentContent & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: CreatedOrReplacedDocument;
  };
  /** Searches a collection; with `scroll`, opens a scroll. */
  readonly search: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly scroll?: string;
      readonly body?: SearchBody & { readonly scroll?: string };
    };
    readonly result: SearchResult;
  };
  /** Gives the next page of a scroll. */
  readonly scroll: {
    readonly fields: {
      readonly scrollId?: string;
      readonly scroll?: string;
      readonly body?: { readonly scrollId?: string; readonly scroll?: string };
    } & FieldOrBody<{ readonly scrollId: string }>;
    readonly result: SearchResult;
  };
  /** Merges the body into a document that exists. */
  readonly update: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id?: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      /** An integer of at least 0. */
      readonly ifVersion?: number;
      readonly body: DocumentContent & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: WrittenDocument;
  };
  /** Merges `doc` into every document that matches `query`. */
  readonly updateByQuery: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A JSON object. */
      readonly doc?: FreeContent;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body: QueryBody & {
        /** A JSON object. */
        readonly doc?: FreeContent;
      };
    } & FieldOrBody<{ readonly doc: FreeContent }>;
    readonly result: {
      readonly hits: readonly string[];
      readonly errors: readonly {
        readonly _id: string;
        readonly status: number;
        readonly reason: string;
      }[];
    };
    readonly mayFailInPart: true;
  };
  /** Merges `doc` into a document, or creates `default` with `doc` merged into it. */
  readonly upsert: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id: string;
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body: UpsertBody;
    };
    readonly result: CreatedOrReplacedDocument;
  };
  /** Checks a document without storing it. */
  readonly validate: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly body: DocumentContent;
    };
    readonly result: ValidationVerdict;
  };
  /** Gives several documents. */
  readonly mGet: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A list of strings. */
      readonly ids?: readonly string[];
      readonly body?: {
        /** A list of strings. */
        readonly ids?: readonly string[];
      };
    } & FieldOrBody<{ readonly ids: readonly string[] }>;
    readonly result: ManyWritten;
    readonly mayFailInPart: true;
  };
  /** Creates several documents. */
  readonly mCreate: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A list of {"_id", "body"} objects. */
      readonly documents?: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: {
        /** A list of {"_id", "body"} objects. */
        readonly documents?: readonly {
          readonly body: FreeContent;
          readonly _id?: string;
        }[];
      };
    } & FieldOrBody<{
      readonly documents: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
    }>;
    readonly result: ManyWritten;
    readonly mayFailInPart: true;
  };
  /** Creates or replaces several documents. */
  readonly mCreateOrReplace: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A list of {"_id", "body"} objects. */
      readonly documents?: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: {
        /** A list of {"_id", "body"} objects. */
        readonly documents?: readonly {
          readonly body: FreeContent;
          readonly _id?: string;
        }[];
      };
    } & FieldOrBody<{
      readonly documents: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
    }>;
    readonly result: ManyWritten;
    readonly mayFailInPart: true;
  };
  /** Replaces several documents that exist. */
  readonly mReplace: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A list of {"_id", "body"} objects. */
      readonly documents?: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: {
        /** A list of {"_id", "body"} objects. */
        readonly documents?: readonly {
          readonly body: FreeContent;
          readonly _id?: string;
        }[];
      };
    } & FieldOrBody<{
      readonly documents: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
    }>;
    readonly result: ManyWritten;
    readonly mayFailInPart: true;
  };
  /** Merges changes into several documents that exist. */
  readonly mUpdate: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A list of {"_id", "body"} objects. */
      readonly documents?: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: {
        /** A list of {"_id", "body"} objects. */
        readonly documents?: readonly {
          readonly body: FreeContent;
          readonly _id?: string;
        }[];
      };
    } & FieldOrBody<{
      readonly documents: readonly {
        readonly body: FreeContent;
        readonly _id?: string;
      }[];
    }>;
    readonly result: ManyWritten;
    readonly mayFailInPart: true;
  };
  /** Deletes several documents. */
  readonly mDelete: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A list of strings. */
      readonly ids?: readonly string[];
      readonly refresh?: 'wait_for' | 'true' | 'false' | '' | true | false;
      readonly silent?: boolean;
      readonly body?: {
        /** A list of strings. */
        readonly ids?: readonly string[];
      };
    } & FieldOrBody<{ readonly ids: readonly string[] }>;
    readonly result: {
      readonly successes: readonly string[];
      readonly errors: readonly {
        readonly status: number;
        readonly reason: string;
        readonly _id?: string;
        readonly document?: JsonObject;
      }[];
    };
    readonly mayFailInPart: true;
  };
}

/** Actions of the controller `index`. */
export interface IndexActions {
  /** Creates an index; 409 when it exists. */
  readonly create: {
    readonly fields: {
      readonly index: string;
    };
    readonly result: Acknowledged;
  };
  /** Deletes an index with its collections and documents. */
  readonly delete: {
    readonly fields: {
      readonly index: string;
      readonly silent?: boolean;
    };
    readonly result: Acknowledged;
  };
  /** Tells whether an index exists. */
  readonly exists: {
    readonly fields: {
      readonly index: string;
    };
    readonly result: boolean;
  };
  /** Tells whether each write to the index is followed by a refresh. */
  readonly getAutoRefresh: {
    readonly fields: {
      readonly index: string;
    };
    readonly result: boolean;
  };
  /** Sets whether each write to the index is followed by a refresh. */
  readonly setAutoRefresh: {
    readonly fields: {
      readonly index: string;
      readonly autoRefresh?: boolean;
      readonly body?: { readonly autoRefresh?: boolean };
    } & FieldOrBody<{ readonly autoRefresh: boolean }>;
    readonly result: boolean;
  };
  /** Lists the indexes by name. */
  readonly list: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly total: number;
      readonly hits: readonly string[];
      readonly indexes: readonly string[];
    };
  };
  /** Deletes the named indexes, or all of them where none is named. */
  readonly mDelete: {
    readonly fields: {
      /** A list of index names. */
      readonly indexes?: readonly string[];
      readonly silent?: boolean;
      readonly body?: {
        /** A list of index names. */
        readonly indexes?: readonly string[];
      };
    };
    readonly result: {
      readonly deleted: readonly string[];
    };
  };
  /** Makes all documents of the index visible to search at once. */
  readonly refresh: {
    readonly fields: {
      readonly index: string;
    };
    readonly result: {
      readonly _shards: {
        readonly total: number;
        readonly successful: number;
        readonly failed: number;
      };
    };
  };
  /** Makes users, profiles and roles visible to search at once; for administrators. */
  readonly refreshInternal: {
    readonly fields: Record<never, never>;
    readonly result: Acknowledged;
  };
}

/** Actions of the controller `memoryStorage`. */
export interface MemoryStorageActions {
  /** Appends to a string. */
  readonly append: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: number | string;
  };
  /** Subtracts 1 from an integer. */
  readonly decr: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Subtracts a number from an integer. */
  readonly decrby: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly value?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Returns a string. */
  readonly get: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: string | null;
  };
  /** Returns a string and deletes it. */
  readonly getdel: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: string | null;
  };
  /** Returns a string and sets its expiry. */
  readonly getex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly ex?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly px?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly exat?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly pxat?: number | string;
        /** a flag: true or false */
        readonly persist?: boolean | number | string;
      };
    };
    readonly result: string | null;
  };
  /** Returns a part of a string. */
  readonly getrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly start?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly end?: number | string;
    };
    readonly result: string;
  };
  /** Sets a string and returns the old one. */
  readonly getset: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: string | null;
  };
  /** Adds 1 to an integer. */
  readonly incr: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Adds a number to an integer. */
  readonly incrby: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly value?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Adds a fraction to a number. */
  readonly incrbyfloat: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a number or its decimal text (required) */
        readonly value?: string | number;
      };
    };
    readonly result: string;
  };
  /** Finds the longest common subsequence. */
  readonly lcs: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly key1?: string | number;
      /** A non-empty string or a number (required). */
      readonly key2?: string | number;
      /** A flag: true or false. */
      readonly len?: boolean | number | string;
      /** A flag: true or false. */
      readonly idx?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly minmatchlen?: number | string;
      /** A flag: true or false. */
      readonly withmatchlen?: boolean | number | string;
    };
    readonly result: string | number | readonly JsonValue[];
  };
  /** Returns strings. */
  readonly mget: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly (string | null)[];
  };
  /** Sets strings. */
  readonly mset: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a flat list of pairs or an object */
        readonly values?: unknown;
      };
    };
    readonly result: 'OK';
  };
  /** Sets strings unless one of them is there. */
  readonly msetnx: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a flat list of pairs or an object */
        readonly values?: unknown;
      };
    };
    readonly result: 0 | 1;
  };
  /** Sets a string that expires after milliseconds. */
  readonly psetex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly milliseconds?: number | string;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: 'OK';
  };
  /** Sets a string. */
  readonly set: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly ex?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly px?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly exat?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly pxat?: number | string;
        /** a flag: true or false */
        readonly keepttl?: boolean | number | string;
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly get?: boolean | number | string;
      };
    };
    readonly result: string | null;
  };
  /** Sets a string that expires after seconds. */
  readonly setex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly seconds?: number | string;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: 'OK';
  };
  /** Sets a string unless it exists. */
  readonly setnx: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: 0 | 1;
  };
  /** Overwrites a part of a string. */
  readonly setrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly offset?: number | string;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: number | string;
  };
  /** Returns the length of a string in bytes. */
  readonly strlen: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns a part of a string. */
  readonly substr: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly start?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly end?: number | string;
    };
    readonly result: string;
  };
  /** Counts the bits that are set. */
  readonly bitcount: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly start?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly end?: number | string;
        /** "BYTE" or "BIT" */
        readonly unit?: string | number;
      };
    };
    readonly result: number | string;
  };
  /** Reads and writes integers of any width. */
  readonly bitfield: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a list such as [["INCRBY", "u2", 100, 1]] (required) */
        readonly operations?: readonly unknown[];
      };
    };
    readonly result: readonly (number | string | null)[];
  };
  /** Reads integers of any width. */
  readonly bitfield_ro: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A list such as [["INCRBY", "u2", 100, 1]] (required). */
      readonly operations?: readonly unknown[];
    };
    readonly result: readonly (number | string | null)[];
  };
  /** Combines strings bit by bit. */
  readonly bitop: {
    readonly fields: {
      readonly body?: {
        /** "AND" or "OR" or "XOR" or "NOT" (required) */
        readonly operation?: string | number;
        /** a non-empty string or a number (required) */
        readonly destkey?: string | number;
        /** a non-empty string or a number */
        readonly key?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Finds the first bit that is 0 or 1. */
  readonly bitpos: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** "0" or "1" (required). */
      readonly bit?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly start?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly end?: number | string;
      /** "BYTE" or "BIT". */
      readonly unit?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns a bit. */
  readonly getbit: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly offset?: number | string;
    };
    readonly result: 0 | 1;
  };
  /** Sets a bit and returns the old one. */
  readonly setbit: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly offset?: number | string;
        /** "0" or "1" (required) */
        readonly value?: string | number;
      };
    };
    readonly result: 0 | 1;
  };
  /** Copies a key. */
  readonly copy: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a flag: true or false */
        readonly replace?: boolean | number | string;
      };
    };
    readonly result: 0 | 1;
  };
  /** Removes keys. */
  readonly del: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns a key as bytes in base64. */
  readonly dump: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: string | null;
  };
  /** Counts which keys exist. */
  readonly exists: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
    };
    readonly result: number | string;
  };
  /** Sets the life of a key in seconds. */
  readonly expire: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly seconds?: number | string;
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly gt?: boolean | number | string;
        /** a flag: true or false */
        readonly lt?: boolean | number | string;
      };
    };
    readonly result: 0 | 1;
  };
  /** Sets the expiry of a key as a timestamp in seconds. */
  readonly expireat: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly timestamp?: number | string;
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly gt?: boolean | number | string;
        /** a flag: true or false */
        readonly lt?: boolean | number | string;
      };
    };
    readonly result: 0 | 1;
  };
  /** Returns the expiry of a key as a timestamp in seconds. */
  readonly expiretime: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Lists the keys that match a pattern. */
  readonly keys: {
    readonly fields: {
      readonly pattern?: string;
    };
    readonly result: readonly string[];
  };
  /** Returns the encoding, idle time or reference count of a key. */
  readonly object: {
    readonly fields: {
      /** "ENCODING" or "REFCOUNT" or "IDLETIME" or "FREQ" (required). */
      readonly subcommand?: string | number;
      /** A non-empty string or a number. */
      readonly args?: string | number;
    };
    readonly result: string | number | null;
  };
  /** Removes the expiry of a key. */
  readonly persist: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: 0 | 1;
  };
  /** Sets the life of a key in milliseconds. */
  readonly pexpire: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly milliseconds?: number | string;
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly gt?: boolean | number | string;
        /** a flag: true or false */
        readonly lt?: boolean | number | string;
      };
    };
    readonly result: 0 | 1;
  };
  /** Sets the expiry of a key as a timestamp in milliseconds. */
  readonly pexpireat: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly timestamp?: number | string;
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly gt?: boolean | number | string;
        /** a flag: true or false */
        readonly lt?: boolean | number | string;
      };
    };
    readonly result: 0 | 1;
  };
  /** Returns the expiry of a key as a timestamp in milliseconds. */
  readonly pexpiretime: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns the remaining life of a key in milliseconds. */
  readonly pttl: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns a random key. */
  readonly randomkey: {
    readonly fields: Record<never, never>;
    readonly result: string | null;
  };
  /** Renames a key. */
  readonly rename: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly newkey?: string | number;
      };
    };
    readonly result: 'OK';
  };
  /** Renames a key unless the new name is taken. */
  readonly renamenx: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly newkey?: string | number;
      };
    };
    readonly result: 0 | 1;
  };
  /** Creates a key from the output of dump. */
  readonly restore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly ttl?: number | string;
        /** a string (required) */
        readonly content?: string;
        /** a flag: true or false */
        readonly replace?: boolean | number | string;
        /** a flag: true or false */
        readonly absttl?: boolean | number | string;
      };
    };
    readonly result: 'OK';
  };
  /** Sorts a list, set or sorted set. */
  readonly sort: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string */
        readonly by?: string;
        /** "ASC" or "DESC" */
        readonly direction?: string | number;
        /** a flag: true or false */
        readonly alpha?: boolean | number | string;
        /** a list */
        readonly get?: readonly unknown[] | string | number | boolean;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly offset?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
        /** a non-empty string or a number */
        readonly store?: string | number;
      };
    };
    readonly result: readonly (string | null)[] | number | string;
  };
  /** Sorts a list, set or sorted set. */
  readonly sort_ro: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly by?: string;
      /** "ASC" or "DESC". */
      readonly direction?: string | number;
      /** A flag: true or false. */
      readonly alpha?: boolean | number | string;
      /** A list. */
      readonly get?: readonly unknown[] | string | number | boolean;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly offset?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly (string | null)[];
  };
  /** Counts as a use of keys. */
  readonly touch: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns the remaining life of a key in seconds. */
  readonly ttl: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns the type of a key. */
  readonly type: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: 'string' | 'list' | 'set' | 'zset' | 'hash' | 'stream' | 'none';
  };
  /** Removes keys. */
  readonly unlink: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Moves an element to another list; waits for one. */
  readonly blmove: {
    readonly fields: {
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly source?: string | number;
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** "LEFT" or "RIGHT" (required) */
        readonly wherefrom?: string | number;
        /** "LEFT" or "RIGHT" (required) */
        readonly whereto?: string | number;
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
      };
    };
    readonly result: string | null;
  };
  /** Removes and returns elements of the first list that is not empty. */
  readonly blmpop: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
        /** "LEFT" or "RIGHT" (required) */
        readonly where?: string | number;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: readonly [string, readonly string[]] | null;
  };
  /** Removes and returns the first element; waits for one. */
  readonly blpop: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly src?: readonly unknown[] | string | number | boolean;
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
      };
    };
    readonly result: readonly [string, string] | null;
  };
  /** Removes and returns the last element; waits for one. */
  readonly brpop: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly src?: readonly unknown[] | string | number | boolean;
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
      };
    };
    readonly result: readonly [string, string] | null;
  };
  /** Moves the last element to another list; waits for one. */
  readonly brpoplpush: {
    readonly fields: {
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly source?: string | number;
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
      };
    };
    readonly result: string | null;
  };
  /** Returns an element by position. */
  readonly lindex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly idx?: number | string;
    };
    readonly result: string | null;
  };
  /** Inserts before or after an element. */
  readonly linsert: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** "BEFORE" or "AFTER" (required) */
        readonly position?: string | number;
        /** a string, number, boolean, object or array (required) */
        readonly pivot?: unknown;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: number | string;
  };
  /** Counts elements. */
  readonly llen: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Moves an element to another list. */
  readonly lmove: {
    readonly fields: {
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly source?: string | number;
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** "LEFT" or "RIGHT" (required) */
        readonly wherefrom?: string | number;
        /** "LEFT" or "RIGHT" (required) */
        readonly whereto?: string | number;
      };
    };
    readonly result: string | null;
  };
  /** Removes and returns elements of the first list that is not empty. */
  readonly lmpop: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
        /** "LEFT" or "RIGHT" (required) */
        readonly where?: string | number;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: readonly [string, readonly string[]] | null;
  };
  /** Removes and returns the first elements. */
  readonly lpop: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: string | readonly string[] | null;
  };
  /** Finds an element. */
  readonly lpos: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly element?: unknown;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly rank?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly maxlen?: number | string;
    };
    readonly result: number | string | readonly (number | string)[] | null;
  };
  /** Prepends elements. */
  readonly lpush: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a list */
        readonly values?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Prepends elements to a list that exists. */
  readonly lpushx: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
        /** a list */
        readonly values?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns elements by position. */
  readonly lrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly start?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly stop?: number | string;
    };
    readonly result: readonly string[];
  };
  /** Removes equal elements. */
  readonly lrem: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly count?: number | string;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: number | string;
  };
  /** Replaces an element. */
  readonly lset: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly idx?: number | string;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: 'OK';
  };
  /** Removes all elements outside a range. */
  readonly ltrim: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly start?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly stop?: number | string;
      };
    };
    readonly result: 'OK';
  };
  /** Removes and returns the last elements. */
  readonly rpop: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: string | readonly string[] | null;
  };
  /** Moves the last element to another list. */
  readonly rpoplpush: {
    readonly fields: {
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly source?: string | number;
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
      };
    };
    readonly result: string | null;
  };
  /** Appends elements. */
  readonly rpush: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a list */
        readonly values?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Appends elements to a list that exists. */
  readonly rpushx: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
        /** a list */
        readonly values?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Adds members. */
  readonly sadd: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly member?: unknown;
        /** a list */
        readonly members?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Counts members. */
  readonly scard: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns the members that only the first set has. */
  readonly sdiff: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly string[];
  };
  /** Stores the members that only the first set has. */
  readonly sdiffstore: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns the common members. */
  readonly sinter: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly string[];
  };
  /** Counts the common members. */
  readonly sintercard: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly limit?: number | string;
    };
    readonly result: number | string;
  };
  /** Stores the common members. */
  readonly sinterstore: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns whether a value is a member. */
  readonly sismember: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member?: unknown;
    };
    readonly result: 0 | 1;
  };
  /** Returns all members. */
  readonly smembers: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: readonly string[];
  };
  /** Returns which values are members. */
  readonly smismember: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array. */
      readonly member?: unknown;
      /** A list. */
      readonly members?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly (0 | 1)[];
  };
  /** Moves a member. */
  readonly smove: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a string, number, boolean, object or array (required) */
        readonly member?: unknown;
      };
    };
    readonly result: 0 | 1;
  };
  /** Removes and returns random members. */
  readonly spop: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: string | readonly string[] | null;
  };
  /** Returns random members. */
  readonly srandmember: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: string | readonly string[] | null;
  };
  /** Removes members. */
  readonly srem: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly member?: unknown;
        /** a list */
        readonly members?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns all members of sets. */
  readonly sunion: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: readonly string[];
  };
  /** Stores all members of sets. */
  readonly sunionstore: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Removes and returns members of the first sorted set that is not empty. */
  readonly bzmpop: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
        /** "MIN" or "MAX" (required) */
        readonly where?: string | number;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: readonly [string, readonly (readonly [string, string])[]] | null;
  };
  /** Removes and returns the member with the highest score; waits for one. */
  readonly bzpopmax: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly src?: readonly unknown[] | string | number | boolean;
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
      };
    };
    readonly result: readonly string[] | null;
  };
  /** Removes and returns the member with the lowest score; waits for one. */
  readonly bzpopmin: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly src?: readonly unknown[] | string | number | boolean;
        /** a number or its decimal text (required) */
        readonly timeout?: string | number;
      };
    };
    readonly result: readonly string[] | null;
  };
  /** Adds members with scores. */
  readonly zadd: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a number, its decimal text, "inf" or "-inf" */
        readonly score?: string | number;
        /** a string, number, boolean, object or array */
        readonly member?: unknown;
        /** a list of {score, member} */
        readonly values?: readonly unknown[];
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly gt?: boolean | number | string;
        /** a flag: true or false */
        readonly lt?: boolean | number | string;
        /** a flag: true or false */
        readonly ch?: boolean | number | string;
        /** a flag: true or false */
        readonly incr?: boolean | number | string;
      };
    };
    readonly result: number | string | null;
  };
  /** Counts members. */
  readonly zcard: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Counts members by score. */
  readonly zcount: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly min?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly max?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns the members that only the first set has. */
  readonly zdiff: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
    };
    readonly result: readonly string[];
  };
  /** Stores the members that only the first set has. */
  readonly zdiffstore: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Adds to a score. */
  readonly zincrby: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a number or its decimal text (required) */
        readonly value?: string | number;
        /** a string, number, boolean, object or array (required) */
        readonly member?: unknown;
      };
    };
    readonly result: string;
  };
  /** Returns the common members. */
  readonly zinter: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
      /** A list. */
      readonly weights?: readonly unknown[] | string | number | boolean;
      /** "SUM" or "MIN" or "MAX". */
      readonly aggregate?: string | number;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
    };
    readonly result: readonly string[];
  };
  /** Counts the common members. */
  readonly zintercard: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly limit?: number | string;
    };
    readonly result: number | string;
  };
  /** Stores the common members. */
  readonly zinterstore: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
        /** a number or its decimal text */
        readonly weight?: string | number;
        /** a list */
        readonly weights?: readonly unknown[] | string | number | boolean;
        /** "SUM" or "MIN" or "MAX" */
        readonly aggregate?: string | number;
      };
    };
    readonly result: number | string;
  };
  /** Counts members in a lexicographical range. */
  readonly zlexcount: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly min?: string;
      readonly max?: string;
    };
    readonly result: number | string;
  };
  /** Removes and returns members of the first sorted set that is not empty. */
  readonly zmpop: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
        /** "MIN" or "MAX" (required) */
        readonly where?: string | number;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: readonly [string, readonly (readonly [string, string])[]] | null;
  };
  /** Returns scores. */
  readonly zmscore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array. */
      readonly member?: unknown;
      /** A list. */
      readonly members?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly (string | null)[];
  };
  /** Removes and returns the members with the highest scores. */
  readonly zpopmax: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: readonly string[];
  };
  /** Removes and returns the members with the lowest scores. */
  readonly zpopmin: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: readonly string[];
  };
  /** Returns random members. */
  readonly zrandmember: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
    };
    readonly result: string | readonly string[] | null;
  };
  /** Returns members by rank, score or lexicographical order. */
  readonly zrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly start?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly stop?: string | number;
      /** A flag: true or false. */
      readonly byscore?: boolean | number | string;
      /** A flag: true or false. */
      readonly bylex?: boolean | number | string;
      /** A flag: true or false. */
      readonly rev?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly offset?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
    };
    readonly result: readonly string[];
  };
  /** Returns members in lexicographical order. */
  readonly zrangebylex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly min?: string;
      readonly max?: string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly offset?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly string[];
  };
  /** Returns members by score. */
  readonly zrangebyscore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly min?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly max?: string | number;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly offset?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly string[];
  };
  /** Stores a range of members. */
  readonly zrangestore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a number, "inf" or "-inf", with a leading "(" to exclude it (required) */
        readonly start?: string | number;
        /** a number, "inf" or "-inf", with a leading "(" to exclude it (required) */
        readonly stop?: string | number;
        /** a flag: true or false */
        readonly byscore?: boolean | number | string;
        /** a flag: true or false */
        readonly bylex?: boolean | number | string;
        /** a flag: true or false */
        readonly rev?: boolean | number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly offset?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Returns the rank of a member. */
  readonly zrank: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member?: unknown;
    };
    readonly result: number | string | null;
  };
  /** Removes members. */
  readonly zrem: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly member?: unknown;
        /** a list */
        readonly members?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Removes members in a lexicographical range. */
  readonly zremrangebylex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string (required) */
        readonly min?: string;
        /** a string (required) */
        readonly max?: string;
      };
    };
    readonly result: number | string;
  };
  /** Removes members by rank. */
  readonly zremrangebyrank: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly start?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly stop?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Removes members by score. */
  readonly zremrangebyscore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a number, "inf" or "-inf", with a leading "(" to exclude it (required) */
        readonly min?: string | number;
        /** a number, "inf" or "-inf", with a leading "(" to exclude it (required) */
        readonly max?: string | number;
      };
    };
    readonly result: number | string;
  };
  /** Returns members by descending rank. */
  readonly zrevrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly start?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string) (required). */
      readonly stop?: number | string;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
    };
    readonly result: readonly string[];
  };
  /** Returns members in descending lexicographical order. */
  readonly zrevrangebylex: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly max?: string;
      readonly min?: string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly offset?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly string[];
  };
  /** Returns members by descending score. */
  readonly zrevrangebyscore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly max?: string | number;
      /** A number, "inf" or "-inf", with a leading "(" to exclude it (required). */
      readonly min?: string | number;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly offset?: number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly string[];
  };
  /** Returns the rank of a member from the top. */
  readonly zrevrank: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member?: unknown;
    };
    readonly result: number | string | null;
  };
  /** Returns the score of a member. */
  readonly zscore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member?: unknown;
    };
    readonly result: string | null;
  };
  /** Returns all members of sets. */
  readonly zunion: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
      /** A list. */
      readonly weights?: readonly unknown[] | string | number | boolean;
      /** "SUM" or "MIN" or "MAX". */
      readonly aggregate?: string | number;
      /** A flag: true or false. */
      readonly withscores?: boolean | number | string;
    };
    readonly result: readonly string[];
  };
  /** Stores all members of sets. */
  readonly zunionstore: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a list */
        readonly keys?: readonly unknown[] | string | number | boolean;
        /** a number or its decimal text */
        readonly weight?: string | number;
        /** a list */
        readonly weights?: readonly unknown[] | string | number | boolean;
        /** "SUM" or "MIN" or "MAX" */
        readonly aggregate?: string | number;
      };
    };
    readonly result: number | string;
  };
  /** Removes fields. */
  readonly hdel: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number */
        readonly field?: string | number;
        /** a list */
        readonly fields?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Returns whether a field exists. */
  readonly hexists: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A non-empty string or a number (required). */
      readonly field?: string | number;
    };
    readonly result: 0 | 1;
  };
  /** Returns a field. */
  readonly hget: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A non-empty string or a number (required). */
      readonly field?: string | number;
    };
    readonly result: string | null;
  };
  /** Returns all fields as an object. */
  readonly hgetall: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: { readonly [key: string]: string };
  };
  /** Adds to an integer field. */
  readonly hincrby: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly field?: string | number;
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly value?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Adds a fraction to a field. */
  readonly hincrbyfloat: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly field?: string | number;
        /** a number or its decimal text (required) */
        readonly value?: string | number;
      };
    };
    readonly result: string;
  };
  /** Returns the names of fields. */
  readonly hkeys: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: readonly string[];
  };
  /** Counts fields. */
  readonly hlen: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns fields. */
  readonly hmget: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A non-empty string or a number. */
      readonly field?: string | number;
      /** A list. */
      readonly fields?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly (string | null)[];
  };
  /** Sets fields. */
  readonly hmset: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number */
        readonly field?: string | number;
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a flat list of pairs or an object */
        readonly values?: unknown;
      };
    };
    readonly result: 'OK';
  };
  /** Returns some fields. */
  readonly hrandfield: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly withvalues?: boolean | number | string;
    };
    readonly result: string | readonly string[] | null;
  };
  /** Sets fields and counts the new ones. */
  readonly hset: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number */
        readonly field?: string | number;
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a flat list of pairs or an object */
        readonly values?: unknown;
      };
    };
    readonly result: number | string;
  };
  /** Sets a field unless it exists. */
  readonly hsetnx: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly field?: string | number;
        /** a string, number, boolean, object or array (required) */
        readonly value?: unknown;
      };
    };
    readonly result: 0 | 1;
  };
  /** Returns the length of a field in bytes. */
  readonly hstrlen: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A non-empty string or a number (required). */
      readonly field?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns the values of fields. */
  readonly hvals: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: readonly string[];
  };
  /** Adds elements to an estimate of their number. */
  readonly pfadd: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string, number, boolean, object or array */
        readonly element?: unknown;
        /** a list */
        readonly elements?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: 0 | 1;
  };
  /** Estimates the number of elements. */
  readonly pfcount: {
    readonly fields: {
      /** A non-empty string or a number. */
      readonly _id?: string | number;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
    };
    readonly result: number | string;
  };
  /** Merges estimates of numbers of elements. */
  readonly pfmerge: {
    readonly fields: {
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destkey?: string | number;
        /** a non-empty string or a number */
        readonly sourcekey?: string | number;
        /** a list */
        readonly sourcekeys?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: 'OK';
  };
  /** Adds places. */
  readonly geoadd: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a number or its decimal text */
        readonly longitude?: string | number;
        /** a number or its decimal text */
        readonly latitude?: string | number;
        /** a number or its decimal text */
        readonly name?: string | number;
        /** a list */
        readonly points?: readonly unknown[];
        /** a flag: true or false */
        readonly nx?: boolean | number | string;
        /** a flag: true or false */
        readonly xx?: boolean | number | string;
        /** a flag: true or false */
        readonly ch?: boolean | number | string;
      };
    };
    readonly result: number | string;
  };
  /** Returns the distance between two places. */
  readonly geodist: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member1?: unknown;
      /** A string, number, boolean, object or array (required). */
      readonly member2?: unknown;
      /** "M" or "KM" or "FT" or "MI". */
      readonly unit?: string | number;
    };
    readonly result: string | null;
  };
  /** Returns the geohashes of places. */
  readonly geohash: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array. */
      readonly member?: unknown;
      /** A list. */
      readonly members?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly (string | null)[];
  };
  /** Returns the coordinates of places. */
  readonly geopos: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array. */
      readonly member?: unknown;
      /** A list. */
      readonly members?: readonly unknown[] | string | number | boolean;
    };
    readonly result: readonly (readonly string[] | null)[];
  };
  /** Finds places around a point. */
  readonly georadius: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number or its decimal text (required). */
      readonly longitude?: string | number;
      /** A number or its decimal text (required). */
      readonly latitude?: string | number;
      /** A number or its decimal text (required). */
      readonly distance?: string | number;
      /** "M" or "KM" or "FT" or "MI" (required). */
      readonly unit?: string | number;
      /** A flag: true or false. */
      readonly withdist?: boolean | number | string;
      /** A flag: true or false. */
      readonly withcoord?: boolean | number | string;
      /** A flag: true or false. */
      readonly withhash?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly any?: boolean | number | string;
      /** "ASC" or "DESC". */
      readonly sort?: string | number;
    };
    readonly result: readonly (string | readonly JsonValue[])[];
  };
  /** Finds places around a point. */
  readonly georadius_ro: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number or its decimal text (required). */
      readonly longitude?: string | number;
      /** A number or its decimal text (required). */
      readonly latitude?: string | number;
      /** A number or its decimal text (required). */
      readonly distance?: string | number;
      /** "M" or "KM" or "FT" or "MI" (required). */
      readonly unit?: string | number;
      /** A flag: true or false. */
      readonly withdist?: boolean | number | string;
      /** A flag: true or false. */
      readonly withcoord?: boolean | number | string;
      /** A flag: true or false. */
      readonly withhash?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly any?: boolean | number | string;
      /** "ASC" or "DESC". */
      readonly sort?: string | number;
    };
    readonly result: readonly (string | readonly JsonValue[])[];
  };
  /** Finds places around a place. */
  readonly georadiusbymember: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member?: unknown;
      /** A number or its decimal text (required). */
      readonly distance?: string | number;
      /** "M" or "KM" or "FT" or "MI" (required). */
      readonly unit?: string | number;
      /** A flag: true or false. */
      readonly withdist?: boolean | number | string;
      /** A flag: true or false. */
      readonly withcoord?: boolean | number | string;
      /** A flag: true or false. */
      readonly withhash?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly any?: boolean | number | string;
      /** "ASC" or "DESC". */
      readonly sort?: string | number;
    };
    readonly result: readonly (string | readonly JsonValue[])[];
  };
  /** Finds places around a place. */
  readonly georadiusbymember_ro: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A string, number, boolean, object or array (required). */
      readonly member?: unknown;
      /** A number or its decimal text (required). */
      readonly distance?: string | number;
      /** "M" or "KM" or "FT" or "MI" (required). */
      readonly unit?: string | number;
      /** A flag: true or false. */
      readonly withdist?: boolean | number | string;
      /** A flag: true or false. */
      readonly withcoord?: boolean | number | string;
      /** A flag: true or false. */
      readonly withhash?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly any?: boolean | number | string;
      /** "ASC" or "DESC". */
      readonly sort?: string | number;
    };
    readonly result: readonly (string | readonly JsonValue[])[];
  };
  /** Finds places in an area. */
  readonly geosearch: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      /** A number or its decimal text. */
      readonly member?: string | number;
      /** A number or its decimal text. */
      readonly longitude?: string | number;
      /** A number or its decimal text. */
      readonly latitude?: string | number;
      /** A number or its decimal text. */
      readonly distance?: string | number;
      /** A number or its decimal text. */
      readonly width?: string | number;
      /** A number or its decimal text. */
      readonly height?: string | number;
      /** "M" or "KM" or "FT" or "MI" (required). */
      readonly unit?: string | number;
      /** A flag: true or false. */
      readonly withdist?: boolean | number | string;
      /** A flag: true or false. */
      readonly withcoord?: boolean | number | string;
      /** A flag: true or false. */
      readonly withhash?: boolean | number | string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
      /** A flag: true or false. */
      readonly any?: boolean | number | string;
      /** "ASC" or "DESC". */
      readonly sort?: string | number;
    };
    readonly result: readonly (string | readonly JsonValue[])[];
  };
  /** Stores the places in an area. */
  readonly geosearchstore: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a non-empty string or a number (required) */
        readonly destination?: string | number;
        /** a number or its decimal text */
        readonly member?: string | number;
        /** a number or its decimal text */
        readonly longitude?: string | number;
        /** a number or its decimal text */
        readonly latitude?: string | number;
        /** a number or its decimal text */
        readonly distance?: string | number;
        /** a number or its decimal text */
        readonly width?: string | number;
        /** a number or its decimal text */
        readonly height?: string | number;
        /** "M" or "KM" or "FT" or "MI" (required) */
        readonly unit?: string | number;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
        /** a flag: true or false */
        readonly any?: boolean | number | string;
        /** "ASC" or "DESC" */
        readonly sort?: string | number;
        /** a flag: true or false */
        readonly storedist?: boolean | number | string;
      };
    };
    readonly result: number | string;
  };
  /** Appends an entry. */
  readonly xadd: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a flag: true or false */
        readonly nomkstream?: boolean | number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly maxlen?: number | string;
        /** a string */
        readonly minid?: string;
        /** a flag: true or false */
        readonly approximate?: boolean | number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly limit?: number | string;
        /** a string */
        readonly id?: string;
        /** a non-empty string or a number */
        readonly field?: string | number;
        /** a string, number, boolean, object or array */
        readonly value?: unknown;
        /** a flat list of pairs or an object */
        readonly values?: unknown;
      };
    };
    readonly result: string | null;
  };
  /** Removes entries. */
  readonly xdel: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** a string */
        readonly id?: string;
        /** a list */
        readonly ids?: readonly unknown[] | string | number | boolean;
      };
    };
    readonly result: number | string;
  };
  /** Counts entries. */
  readonly xlen: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
    };
    readonly result: number | string;
  };
  /** Returns entries by id. */
  readonly xrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly start?: string;
      readonly end?: string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly (readonly [string, readonly string[]])[];
  };
  /** Returns the entries behind ids, waiting for them if asked. */
  readonly xread: {
    readonly fields: {
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly count?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly block?: number | string;
        /** an object of key → last id (required) */
        readonly streams?: FreeContent;
      };
    };
    readonly result:
      readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] | null;
  };
  /** Returns entries by descending id. */
  readonly xrevrange: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly end?: string;
      readonly start?: string;
      /** An integer of 64 bits (beyond 2^53 as a string). */
      readonly count?: number | string;
    };
    readonly result: readonly (readonly [string, readonly string[]])[];
  };
  /** Removes the oldest entries. */
  readonly xtrim: {
    readonly fields: {
      /** A non-empty string or a number (required). */
      readonly _id?: string | number;
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly maxlen?: number | string;
        /** a string */
        readonly minid?: string;
        /** a flag: true or false */
        readonly approximate?: boolean | number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) */
        readonly limit?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Rewrites the log in the background. */
  readonly bgrewriteaof: {
    readonly fields: Record<never, never>;
    readonly result: string;
  };
  /** Saves in the background. */
  readonly bgsave: {
    readonly fields: Record<never, never>;
    readonly result: string;
  };
  /** Counts the keys. */
  readonly dbsize: {
    readonly fields: Record<never, never>;
    readonly result: number | string;
  };
  /** Removes all keys of the memory store. */
  readonly flushdb: {
    readonly fields: Record<never, never>;
    readonly result: 'OK';
  };
  /** Tells about the store. */
  readonly info: {
    readonly fields: {
      readonly section?: string;
    };
    readonly result: string;
  };
  /** Returns the time of the last save in seconds. */
  readonly lastsave: {
    readonly fields: Record<never, never>;
    readonly result: number | string;
  };
  /** Answers PONG. */
  readonly ping: {
    readonly fields: Record<never, never>;
    readonly result: 'PONG';
  };
  /** Publishes a message on a channel of the store. */
  readonly publish: {
    readonly fields: {
      readonly body?: {
        /** a name that begins neither with "millrace:" nor with "__key" (required) */
        readonly channel?: string | number;
        /** a string, number, boolean, object or array (required) */
        readonly message?: unknown;
      };
    };
    readonly result: number | string;
  };
  /** Saves. */
  readonly save: {
    readonly fields: Record<never, never>;
    readonly result: 'OK';
  };
  /** Returns the time of the store. */
  readonly time: {
    readonly fields: Record<never, never>;
    readonly result: readonly [string, string];
  };
  /** Waits for replicas. */
  readonly wait: {
    readonly fields: {
      readonly body?: {
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly numslaves?: number | string;
        /** an integer of 64 bits (beyond 2^53 as a string) (required) */
        readonly timeout?: number | string;
      };
    };
    readonly result: number | string;
  };
  /** Begins to queue actions. */
  readonly multi: {
    readonly fields: Record<never, never>;
    readonly result: 'OK';
  };
  /** Runs the queued actions as one. */
  readonly exec: {
    readonly fields: Record<never, never>;
    readonly result: readonly JsonValue[] | null;
  };
  /** Drops the queued actions. */
  readonly discard: {
    readonly fields: Record<never, never>;
    readonly result: 'OK';
  };
  /** Lets exec give null once a key changes. */
  readonly watch: {
    readonly fields: {
      /** A list. */
      readonly _id?: readonly unknown[] | string | number | boolean;
      /** A list. */
      readonly keys?: readonly unknown[] | string | number | boolean;
    };
    readonly result: 'OK';
  };
  /** Ends watching. */
  readonly unwatch: {
    readonly fields: Record<never, never>;
    readonly result: 'OK';
  };
}

/** Actions of the controller `realtime`. */
export interface RealtimeActions {
  /** Checks a message without publishing it; the same check as document.validate. */
  readonly validate: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly body: DocumentContent;
    };
    readonly result: ValidationVerdict;
  };
  /** Subscribes the connection to the documents and messages that match a filter or a query. */
  readonly subscribe: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A filter: a JSON object, or its JSON as a string. */
      readonly filter?: FreeContent | string;
      /** A query: a JSON object, or its JSON as a string. */
      readonly query?: FreeContent | string;
      readonly scope?: 'all' | 'in' | 'out' | 'none';
      readonly state?: 'all' | 'pending' | 'done';
      readonly users?: 'all' | 'in' | 'out' | 'none';
      readonly cursor?: string;
      readonly mode?: 'events' | 'state' | 'auto';
      /** An integer from 1 to 10000. */
      readonly maxReplay?: number;
      /** A JSON object of at most 1024 bytes, or its JSON as a string. */
      readonly presence?: FreeContent | string;
      readonly name?: string;
      readonly body?: RealtimeFilter;
    };
    readonly result: Subscription;
  };
  /** Joins a room that another subscription has made. */
  readonly join: {
    readonly fields: {
      readonly roomId?: string;
      readonly scope?: 'all' | 'in' | 'out' | 'none';
      readonly state?: 'all' | 'pending' | 'done';
      readonly users?: 'all' | 'in' | 'out' | 'none';
      readonly cursor?: string;
      readonly mode?: 'events' | 'state' | 'auto';
      /** An integer from 1 to 10000. */
      readonly maxReplay?: number;
      /** A JSON object of at most 1024 bytes, or its JSON as a string. */
      readonly presence?: FreeContent | string;
      readonly body?: { readonly roomId?: string };
    } & FieldOrBody<{ readonly roomId: string }>;
    readonly result: Subscription;
  };
  /** Ends every channel of a room for the connection. */
  readonly unsubscribe: {
    readonly fields: {
      readonly roomId?: string;
      readonly body?: { readonly roomId?: string };
    } & FieldOrBody<{ readonly roomId: string }>;
    readonly result: {
      readonly roomId: string;
    };
  };
  /** Subscribes to up to 100 filters and queries at once, each from its cursor: after a lost connection. */
  readonly resume: {
    readonly fields: {
      readonly body: {
        readonly subscriptions: readonly {
          readonly index: string;
          readonly collection: string;
          /** A filter of the real-time filter language; empty: every document and message. */
          readonly filter?: FreeContent;
          readonly query?: FreeContent;
          readonly scope?: 'all' | 'in' | 'out' | 'none';
          readonly state?: 'all' | 'pending' | 'done';
          readonly users?: 'all' | 'in' | 'out' | 'none';
          readonly cursor?: string;
          readonly mode?: 'events' | 'state' | 'auto';
          readonly maxReplay?: number;
          readonly presence?: FreeContent;
          readonly name?: string;
        }[];
      };
    };
    readonly result: {
      readonly subscriptions: readonly {
        readonly status: number;
        readonly error: JsonObject | null;
        readonly result: Subscription | null;
      }[];
    };
  };
  /** Returns the changes after a cursor that match a filter or a query, or waits for one. */
  readonly changes: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      /** A filter: a JSON object, or its JSON as a string. */
      readonly filter?: FreeContent | string;
      /** A query: a JSON object, or its JSON as a string. */
      readonly query?: FreeContent | string;
      readonly scope?: 'all' | 'in' | 'out' | 'none';
      readonly cursor?: string;
      readonly wait?: string;
      readonly body?: RealtimeFilter;
    };
    readonly result: {
      /** Notifications with `replayed: true`, oldest first. */
      readonly changes: readonly JsonObject[];
      /** The `cursor` of the next request. */
      readonly cursor: string;
      /** False: more changes follow at once. */
      readonly upToDate: boolean;
    };
  };
  /** Searches a collection, then sends what changes in the result. */
  readonly follow: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly cursor?: string;
      /** An integer from 0 to 60000. */
      readonly maxRateMs?: number;
      readonly strict?: boolean;
      readonly body?: FollowedSearch;
    };
    readonly result: {
      readonly followId: string;
      readonly channel: string;
      /** The `base` of the next delta. */
      readonly cursor: string;
      readonly mode: 'incremental' | 'rerun';
      readonly check: string;
      /** Why the search is run again at each change. */
      readonly because?: string;
      readonly hits?: readonly JsonObject[];
      readonly total?: number;
      readonly aggregations?: JsonObject;
      /** In place of the result: what follows the `cursor` of the request. */
      readonly deltas?: readonly JsonObject[];
    };
  };
  /** Ends a followed search. */
  readonly unfollow: {
    readonly fields: {
      readonly followId?: string;
      readonly body?: { readonly followId?: string };
    } & FieldOrBody<{ readonly followId: string }>;
    readonly result: {
      readonly followId: string;
    };
  };
  /** Acknowledges the notifications of a named subscription up to a cursor. */
  readonly ack: {
    readonly fields: {
      readonly name?: string;
      readonly cursor?: string;
      readonly body?: { readonly name?: string; readonly cursor?: string };
    } & FieldOrBody<{ readonly name: string }> &
      FieldOrBody<{ readonly cursor: string }>;
    readonly result: {
      readonly name: string;
      readonly cursor: string;
    };
  };
  /** Lists the named subscriptions of the user. */
  readonly listNames: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly names: readonly {
        readonly name: string;
        readonly index: string;
        readonly collection: string;
        /** A filter of the real-time filter language; empty: every document and message. */
        readonly filter: JsonObject;
        readonly channel: string;
        readonly scope: 'all' | 'in' | 'out' | 'none';
        readonly state: 'all' | 'pending' | 'done';
        readonly users: 'all' | 'in' | 'out' | 'none';
        /** The acknowledged position. */
        readonly cursor: string | null;
        /** UTC milliseconds. */
        readonly usedAt: number;
        /** Of the API key that it belongs to. */
        readonly apiKeyId?: string;
      }[];
    };
  };
  /** Removes a named subscription of the user. */
  readonly deleteName: {
    readonly fields: {
      readonly name?: string;
      readonly body?: { readonly name?: string };
    } & FieldOrBody<{ readonly name: string }>;
    readonly result: {
      readonly name: string;
    };
  };
  /** Counts the connections in a room. */
  readonly count: {
    readonly fields: {
      readonly roomId?: string;
      readonly body?: { readonly roomId?: string };
    } & FieldOrBody<{ readonly roomId: string }>;
    readonly result: {
      readonly roomId: string;
      readonly count: number;
    };
  };
  /** Lists the members of a room that want to be seen. */
  readonly presence: {
    readonly fields: {
      readonly roomId?: string;
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer from 0 to 1000. */
      readonly size?: number;
      readonly body?: {
        readonly roomId?: string;
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer from 0 to 1000. */
        readonly size?: number;
      };
    } & FieldOrBody<{ readonly roomId: string }>;
    readonly result: {
      readonly roomId: string;
      /** All members. */
      readonly count: number;
      /** Those that want to be seen. */
      readonly total: number;
      readonly users: readonly {
        readonly userId: string;
        readonly presence: JsonObject;
        /** UTC milliseconds. */
        readonly since: number;
      }[];
    };
  };
  /** Lists the rooms of collections that the user may search, with their counts. */
  readonly list: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly [key: string]: { readonly [key: string]: { readonly [key: string]: number } };
    };
  };
  /** Sends a message to every subscriber whose filter or query it matches. */
  readonly publish: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly _id?: string;
      readonly body: FreeContent & { readonly _id?: string };
    };
    readonly result: Record<never, never>;
  };
}

/** Actions of the controller `saml`. */
export interface SamlActions {
  /** Gives the metadata of a SAML strategy, for its identity provider. */
  readonly getMetadata: {
    readonly fields: {
      readonly strategy: string;
    };
    readonly result: string;
  };
}

/** Actions of the controller `security`. */
export interface SecurityActions {
  /** Creates an API key of a user. The answer alone contains the key. */
  readonly createApiKey: {
    readonly fields: {
      readonly _id: string;
      readonly body: {
        readonly name: string;
        readonly policies?: readonly Policy[] | null;
        /** UTC milliseconds; null: never. */
        readonly expiresAt?: number | null;
        readonly allowedAddresses?: readonly string[] | null;
      };
    };
    readonly result: CreatedApiKey;
  };
  /** Lists the API keys of a user. */
  readonly searchApiKeys: {
    readonly fields: {
      readonly _id: string;
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: {
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer of at least 0. */
        readonly size?: number;
      };
    };
    readonly result: {
      readonly hits: readonly ApiKey[];
      readonly total: number;
    };
  };
  /** Deletes an API key of a user, which revokes it. */
  readonly deleteApiKey: {
    readonly fields: {
      readonly _id: string;
      readonly keyId: string;
    };
    readonly result: {
      readonly _id: string;
    };
  };
  /** Gives an API key of a user a new secret. */
  readonly rotateApiKey: {
    readonly fields: {
      readonly _id: string;
      readonly keyId: string;
      /** An integer of at least 0. */
      readonly graceMs?: number;
      readonly body?: {
        /** An integer of at least 0. */
        readonly graceMs?: number;
      };
    };
    readonly result: CreatedApiKey;
  };
  /** Creates a role; 409 when it exists. */
  readonly createRole: {
    readonly fields: {
      readonly _id?: string;
      readonly body: Role & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      readonly _source: Role2;
      readonly created?: boolean;
      /** Absent where there are none. */
      readonly warnings?: readonly string[];
    };
  };
  /** Creates or replaces a role. */
  readonly createOrReplaceRole: {
    readonly fields: {
      readonly _id?: string;
      readonly body: Role & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      readonly _source: Role2;
      readonly created?: boolean;
      /** Absent where there are none. */
      readonly warnings?: readonly string[];
    };
  };
  /** Merges a change into a role. */
  readonly updateRole: {
    readonly fields: {
      readonly _id: string;
      readonly body: {
        readonly indexes?: FreeContent;
        readonly controllers?: FreeContent;
      };
    };
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      readonly _source: Role2;
      /** Absent where there are none. */
      readonly warnings?: readonly string[];
    };
  };
  /** Deletes a role that no profile uses. */
  readonly deleteRole: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly _id: string;
    };
  };
  /** Gives a role as it was sent. */
  readonly getRole: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly _id: string;
      readonly _source: Role2;
    };
  };
  /** Gives several roles. */
  readonly mGetRoles: {
    readonly fields: {
      /** A list of at most 10,000 strings. */
      readonly ids?: readonly string[];
      readonly body?: {
        /** A list of at most 10,000 strings. */
        readonly ids?: readonly string[];
      };
    } & FieldOrBody<{ readonly ids: readonly string[] }>;
    readonly result: {
      readonly hits: readonly {
        readonly _id: string;
        readonly _index: string;
        readonly _type: string;
        readonly _score: number;
        readonly _source: Role2;
      }[];
      readonly total: number;
      readonly max_score: number | null;
      readonly timed_out: boolean;
      readonly took: number;
      readonly _shards: {
        readonly total: number;
        readonly successful: number;
        readonly failed: number;
      };
    };
  };
  /** Searches roles by the indexes or controllers that they name. */
  readonly searchRoles: {
    readonly fields: {
      /** A list of at most 10,000 index names. */
      readonly indexes?: readonly string[];
      /** A list of at most 10,000 controller names. */
      readonly controllers?: readonly string[];
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: {
        /** A list of at most 10,000 index names. */
        readonly indexes?: readonly string[];
        /** A list of at most 10,000 controller names. */
        readonly controllers?: readonly string[];
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer of at least 0. */
        readonly size?: number;
      };
    };
    readonly result: {
      readonly hits: readonly {
        readonly _id: string;
        readonly _index: string;
        readonly _type: string;
        readonly _score: number;
        readonly _source: Role2;
      }[];
      readonly total: number;
      readonly max_score: number | null;
      readonly timed_out: boolean;
      readonly took: number;
      readonly _shards: {
        readonly total: number;
        readonly successful: number;
        readonly failed: number;
      };
    };
  };
  /** Creates a profile; 409 when it exists. */
  readonly createProfile: {
    readonly fields: {
      readonly _id?: string;
      readonly body: ProfileBody & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      readonly _source: Profile;
      readonly created?: boolean;
      /** Absent where there are none. */
      readonly warnings?: readonly string[];
    };
  };
  /** Creates or replaces a profile. */
  readonly createOrReplaceProfile: {
    readonly fields: {
      readonly _id?: string;
      readonly body: ProfileBody & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      readonly _source: Profile;
      readonly created?: boolean;
      /** Absent where there are none. */
      readonly warnings?: readonly string[];
    };
  };
  /** Replaces the policies of a profile. */
  readonly updateProfile: {
    readonly fields: {
      readonly _id: string;
      readonly body: ProfileBody;
    };
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      readonly _source: Profile;
      /** Absent where there are none. */
      readonly warnings?: readonly string[];
    };
  };
  /** Deletes a profile that no user has. */
  readonly deleteProfile: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly _id: string;
    };
  };
  /** Gives a profile. */
  readonly getProfile: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly _id: string;
      readonly _source: Profile;
    };
  };
  /** Lists the rights that a profile gives. */
  readonly getProfileRights: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly hits: readonly RightsItem[];
    };
  };
  /** Gives several profiles. */
  readonly mGetProfiles: {
    readonly fields: {
      /** A list of at most 10,000 strings. */
      readonly ids?: readonly string[];
      readonly body?: {
        /** A list of at most 10,000 strings. */
        readonly ids?: readonly string[];
      };
    } & FieldOrBody<{ readonly ids: readonly string[] }>;
    readonly result: {
      readonly hits: readonly {
        readonly _id: string;
        readonly _source: Profile;
      }[];
      readonly total: number;
    };
  };
  /** Searches profiles by the roles of their policies. */
  readonly searchProfiles: {
    readonly fields: {
      /** A list of at most 10,000 role identifiers or policies. */
      readonly policies?: readonly unknown[];
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: {
        /** A list of at most 10,000 role identifiers or policies. */
        readonly policies?: readonly unknown[];
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer of at least 0. */
        readonly size?: number;
      };
    };
    readonly result: {
      readonly hits: readonly {
        readonly _id: string;
        readonly _source: Profile;
      }[];
      readonly total: number;
      readonly max_score: number | null;
      readonly timed_out: boolean;
      readonly took: number;
      readonly _shards: {
        readonly total: number;
        readonly successful: number;
        readonly failed: number;
      };
    };
  };
  /** Creates a user; 409 when it exists. */
  readonly createUser: {
    readonly fields: {
      readonly _id?: string;
      readonly body: {
        readonly profileIds?: readonly string[];
        readonly profileId?: string;
        readonly suid?: string;
        readonly password?: string;
      } & FreeContent & { readonly _id?: string };
    };
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
      readonly created?: boolean;
    };
  };
  /** Creates a user with the configured profiles: sign-up. */
  readonly createRestrictedUser: {
    readonly fields: {
      readonly _id?: string;
      readonly body: {
        readonly password?: string;
      } & FreeContent & { readonly _id?: string };
    };
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
      readonly created?: boolean;
    };
  };
  /** Creates the first administrator; 412 when there is one. Lists the accounts made before, and removes them if asked to. */
  readonly createFirstAdmin: {
    readonly fields: {
      readonly _id?: string;
      readonly reset?: boolean;
      readonly setupToken?: string;
      readonly removeMadeWhileOpen?: boolean;
      readonly body?: {
        readonly password?: string;
      } & FreeContent & {
          readonly _id?: string;
          readonly reset?: boolean;
          readonly setupToken?: string;
          readonly removeMadeWhileOpen?: boolean;
        };
    };
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
      readonly created?: boolean;
      /** Identifiers of what was there before, but for what is built in; at most 1,000 each. */
      readonly madeWhileOpen?: {
        readonly users: readonly string[];
        readonly profiles: readonly string[];
        readonly roles: readonly string[];
        readonly truncated?: boolean;
      };
    };
  };
  /** Creates or replaces a user. */
  readonly createOrReplaceUser: {
    readonly fields: {
      readonly _id?: string;
      readonly body: {
        readonly profileIds?: readonly string[];
        readonly profileId?: string;
        readonly suid?: string;
        readonly password?: string;
      } & FreeContent & { readonly _id?: string };
    } & FieldOrBody<{ readonly _id: string }>;
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
      readonly created?: boolean;
    };
  };
  /** Merges properties into a user; may change profiles and credentials. */
  readonly updateUser: {
    readonly fields: {
      readonly _id: string;
      readonly body: {
        readonly profileIds?: readonly string[];
        readonly profileId?: string;
        readonly suid?: string;
        readonly password?: string;
      } & FreeContent;
    };
    readonly result: {
      readonly _id: string;
      readonly _index: string;
      readonly _type: string;
      readonly _version: number;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
    };
  };
  /** Deletes a user with its credentials and tokens. */
  readonly deleteUser: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly _id: string;
    };
  };
  /** Gives a user, without anything secret. */
  readonly getUser: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly _id: string;
      /** Free properties in addition to profiles; never anything secret. */
      readonly _source: User;
    };
  };
  /** Lists the rights of a user. */
  readonly getUserRights: {
    readonly fields: {
      readonly _id: string;
    };
    readonly result: {
      readonly hits: readonly RightsItem[];
    };
  };
  /** Searches users in the query language. */
  readonly searchUsers: {
    readonly fields: {
      /** An integer of at least 0. */
      readonly from?: number;
      /** An integer of at least 0. */
      readonly size?: number;
      readonly body?: FreeContent & {
        /** An integer of at least 0. */
        readonly from?: number;
        /** An integer of at least 0. */
        readonly size?: number;
      };
    };
    readonly result: {
      readonly total: number;
      readonly hits: readonly {
        readonly _id: string;
        /** Free properties in addition to profiles; never anything secret. */
        readonly _source: User;
      }[];
    };
  };
  /** Gives the mapping of users' free properties; for administrators. */
  readonly getUserMapping: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly mapping: JsonObject;
    };
  };
  /** Adds to the mapping of users' free properties; for administrators. */
  readonly updateUserMapping: {
    readonly fields: {
      readonly body: {
        readonly properties?: FreeContent;
      };
    };
    readonly result: Acknowledged;
  };
  /** Explains whether a user or an API key may do something, and which policies decide it. */
  readonly explainRights: {
    readonly fields: {
      readonly _id: string;
      readonly body: {
        readonly controller: string;
        readonly action: string;
        readonly index?: string;
        readonly collection?: string;
        /** Judges the right for this document. */
        readonly _id?: string;
        /** An API key of the user, whose policies limit the right. */
        readonly apiKeyId?: string;
      };
    };
    readonly result: {
      readonly allowed: boolean;
      readonly reason: string;
      readonly decidedBy: readonly {
        readonly role: string;
        readonly path: string;
        readonly reason: string;
        /** Absent in a policy of the API key. */
        readonly profile?: string;
        /** The API key whose policy it is. */
        readonly apiKey?: string;
      }[];
      /** A query, with the values of the user; absent: every document. */
      readonly documents?: JsonObject;
      /** `{only}` or `{except}`, or several of them if the policies differ; `{both}`: of the user and of the API key; absent: all. */
      readonly fields?: JsonObject | readonly JsonObject[];
    };
  };
}

/** Actions of the controller `server`. */
export interface ServerActions {
  /** Begins a backup of all data, and answers at once. Notifications to the same connection, and server.backups, show its progress. */
  readonly backup: {
    readonly fields: {
      readonly note?: string;
      readonly body?: { readonly note?: string };
    };
    readonly result: Backup;
  };
  /** Lists the backups, the newest first: the running one with its progress. */
  readonly backups: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly total: number;
      readonly hits: readonly Backup[];
    };
  };
  /** Writes one collection of a backup into a new collection of the same index. */
  readonly restoreCollection: {
    readonly fields: {
      readonly index: string;
      readonly collection: string;
      readonly backup?: string;
      readonly as?: string;
      readonly body?: { readonly backup?: string; readonly as?: string };
    } & FieldOrBody<{ readonly backup: string }> &
      FieldOrBody<{ readonly as: string }>;
    readonly result: {
      readonly documents: number;
    };
  };
  /** Begins to move all data between the embedded engine and Elasticsearch, and answers at once; server.moveState shows its progress. */
  readonly move: {
    readonly fields: {
      readonly to?: 'sqlite' | 'elasticsearch';
      readonly node?: string;
      readonly verifyOnly?: boolean;
      readonly body?: {
        readonly to?: 'sqlite' | 'elasticsearch';
        readonly node?: string;
        readonly verifyOnly?: boolean;
      };
    } & FieldOrBody<{ readonly to: 'sqlite' | 'elasticsearch' }>;
    readonly result: Move;
  };
  /** Returns the engine in use, and the last move with its progress. */
  readonly moveState: {
    readonly fields: Record<never, never>;
    readonly result: Move;
  };
  /** Describes the server: version, routes, plugins, services, machine. */
  readonly info: {
    readonly fields: Record<never, never>;
    readonly result: ServerInformation;
  };
  /** Tells the time of the server in UTC milliseconds. */
  readonly now: {
    readonly fields: Record<never, never>;
    readonly result: {
      /** UTC milliseconds. */
      readonly now: number;
    };
  };
  /** Tells whether a first administrator exists. */
  readonly adminExists: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly exists: boolean;
    };
  };
  /** Shows the configuration with every secret redacted. */
  readonly getConfig: {
    readonly fields: Record<never, never>;
    readonly result: JsonObject;
  };
  /** The state of each service, with the reason of a failure; 503 when one is down. */
  readonly healthCheck: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly state: 'up' | 'degraded';
      readonly services: {
        readonly [key: string]: {
          readonly state: 'up' | 'degraded' | 'down';
          readonly reason?: string;
        };
      };
      readonly backup?: {
        readonly ageSeconds: number;
      };
      readonly warnings?: readonly string[];
    };
  };
  /** Figures for Prometheus. */
  readonly metrics: {
    readonly fields: Record<never, never>;
    readonly result: string;
  };
  /** The newest statistics frame. */
  readonly getLastStats: {
    readonly fields: Record<never, never>;
    readonly result: StatisticsFrame;
  };
  /** All statistics frames that are kept. */
  readonly getAllStats: {
    readonly fields: Record<never, never>;
    readonly result: {
      readonly total: number;
      readonly hits: readonly StatisticsFrame[];
    };
  };
  /** The statistics frames of a range of time, bounds included. */
  readonly getStats: {
    readonly fields: {
      /** An integer of at least 0. */
      readonly startTime?: number;
      /** An integer of at least 0. */
      readonly stopTime?: number;
      readonly body?: {
        /** An integer of at least 0. */
        readonly startTime?: number;
        /** An integer of at least 0. */
        readonly stopTime?: number;
      };
    };
    readonly result: {
      readonly total: number;
      readonly hits: readonly StatisticsFrame[];
    };
  };
  /** Describes the HTTP routes as OpenAPI 3.1; needs the right to server.info. */
  readonly openapi: {
    readonly fields: Record<never, never>;
    readonly result: JsonObject;
  };
  /** Describes the other protocols as AsyncAPI 3; needs the right to server.info. */
  readonly asyncapi: {
    readonly fields: Record<never, never>;
    readonly result: JsonObject;
  };
}

export type Acknowledged = {
  readonly acknowledged: true;
};

export type ApiKey = {
  readonly _id: string;
  readonly name: string;
  readonly policies:
    | readonly {
        readonly _id: string;
        readonly roleId: string;
        readonly restrictedTo?: readonly {
          readonly index: string;
          readonly collections?: readonly string[];
        }[];
      }[]
    | null;
  /** UTC milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** UTC milliseconds; null: never. */
  readonly lastUsedAt: number | null;
  /** UTC milliseconds. */
  readonly createdAt: number;
  readonly allowedAddresses?: readonly string[];
};

export type Backup = {
  readonly name: string;
  readonly state: 'running' | 'complete' | 'failed';
  /** UTC milliseconds. */
  readonly startedAt: number;
  readonly note: string;
  readonly isScheduled: boolean;
  /** Bytes of its files so far. */
  readonly bytes: number;
  readonly endedAt?: number;
  /** Of a running one, approximately. */
  readonly totalBytes?: number;
  readonly documents?: number;
  /** Why it failed. */
  readonly reason?: string;
};

/** One item per action line, in order. */
export type BulkResult = {
  readonly hits: readonly {
    readonly create?: {
      readonly _id: string | null;
      readonly _index: string;
      readonly _type: string;
      readonly status: number;
      readonly _version?: number;
      readonly error?: {
        readonly id: string;
        readonly status: number;
        readonly message: string;
      };
    };
    readonly index?: {
      readonly _id: string | null;
      readonly _index: string;
      readonly _type: string;
      readonly status: number;
      readonly _version?: number;
      readonly error?: {
        readonly id: string;
        readonly status: number;
        readonly message: string;
      };
    };
    readonly update?: {
      readonly _id: string | null;
      readonly _index: string;
      readonly _type: string;
      readonly status: number;
      readonly _version?: number;
      readonly error?: {
        readonly id: string;
        readonly status: number;
        readonly message: string;
      };
    };
    readonly delete?: {
      readonly _id: string | null;
      readonly _index: string;
      readonly _type: string;
      readonly status: number;
      readonly _version?: number;
      readonly error?: {
        readonly id: string;
        readonly status: number;
        readonly message: string;
      };
    };
  }[];
};

export type CreatedApiKey = {
  readonly _id: string;
  readonly key: string;
  readonly name: string;
  /** UTC milliseconds; null: never. */
  readonly expiresAt: number | null;
};

export type CreatedOrReplacedDocument = {
  readonly _id: string;
  readonly _version: number;
  /** The content of the document. */
  readonly _source: JsonObject;
  /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
  readonly _meta: DocumentMetadata;
  readonly created: boolean;
};

/** The content of a document. A key that begins with `_` is refused, but for `_id`, which names the document. */
export type DocumentContent = FreeContent;

/** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
export type DocumentMetadata = {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly author: string | null;
  readonly updater: string | null;
};

export type FieldSpecification = {
  readonly type?: string;
  readonly mandatory?: boolean;
  readonly defaultValue?: JsonValue;
  readonly multivalued?: JsonValue;
  readonly typeOptions?: JsonValue;
};

export type FieldSpecificationInput = {
  readonly type?: string;
  readonly mandatory?: boolean;
  readonly defaultValue?: unknown;
  readonly multivalued?: unknown;
  readonly typeOptions?: unknown;
};

/** A search as for `document.search`, without `scroll`. */
export type FollowedSearch = FreeContent;

export type Login = {
  readonly _id: string;
  readonly jwt: string;
};

/** Both lists are in the order of the request. */
export type ManyWritten = {
  readonly successes: readonly {
    readonly _id: string;
    readonly _version: number;
    /** The content of the document. */
    readonly _source: JsonObject;
    /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
    readonly _meta: DocumentMetadata;
    readonly created?: boolean;
  }[];
  readonly errors: readonly {
    readonly status: number;
    readonly reason: string;
    readonly _id?: string;
    readonly document?: JsonObject;
  }[];
};

/** Fields and their types, in the mapping syntax of the query language. */
export type Mapping = {
  readonly properties: JsonObject;
  readonly dynamic?: boolean | string;
};

export type MappingBody = {
  readonly properties?: FreeContent;
  readonly dynamic?: boolean | string;
  readonly settings?: {
    readonly analysis?: FreeContent;
  };
};

export type Move = {
  /** The engine that answers. */
  readonly engine: 'sqlite' | 'elasticsearch';
  readonly state: 'none' | 'copying' | 'comparing' | 'switching' | 'complete' | 'failed';
  readonly to?: 'sqlite' | 'elasticsearch';
  readonly verifyOnly?: boolean;
  /** UTC milliseconds. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Copied, or compared, so far. */
  readonly documents?: number;
  readonly totalDocuments?: number;
  readonly collections?: number;
  /** Of all documents, equal in both engines. */
  readonly checksum?: string;
  /** How long writes were held back. */
  readonly heldMs?: number;
  /** Why it failed. */
  readonly reason?: string;
};

/** A role, named by `roleId` or `_id`, and where it holds. */
export type Policy = {
  readonly _id?: string;
  readonly roleId?: string;
  readonly restrictedTo?: readonly {
    readonly index: string;
    readonly collections?: readonly string[];
  }[];
};

export type Profile = {
  readonly policies: readonly {
    readonly _id: string;
    readonly roleId: string;
    readonly restrictedTo?: readonly {
      readonly index: string;
      readonly collections?: readonly string[];
    }[];
  }[];
  /** Of each user with the profile; 0 per second is no limit. */
  readonly rateLimit?: {
    readonly perSecond: number;
    readonly burst?: number;
  };
};

/** Policies, under the name `policies` or `roles`; not empty. */
export type ProfileBody = {
  readonly policies?: readonly Policy[];
  readonly roles?: readonly Policy[];
  readonly rateLimit?: {
    readonly perSecond: number;
    readonly burst?: number;
  } | null;
};

export type QueryBody = {
  /** A query of the query language; absent or empty: every document. */
  readonly query?: FreeContent;
  /** A query of the query language; absent or empty: every document. */
  readonly filter?: FreeContent;
};

/** A filter of the real-time filter language; empty: every document and message. */
export type RealtimeFilter = FreeContent;

/** Granted, refused, or granted where a filter matches request, user and document. */
export type Right =
  | boolean
  | {
      readonly when: FreeContent;
    };

/** Granted, refused, or granted where a filter matches request, user and document. */
export type Right2 =
  | boolean
  | {
      readonly when: JsonObject;
    };

export type RightsItem = {
  readonly controller: string;
  readonly action: string;
  readonly index: string;
  readonly collection: string;
  readonly value: 'allowed' | 'conditional' | 'denied';
};

export type Role =
  | {
      readonly indexes: {
        readonly _canCreate?: boolean;
        readonly [key: string]:
          | {
              readonly collections: {
                readonly _canCreate?: boolean;
                readonly [key: string]:
                  | {
                      readonly controllers: {
                        readonly [key: string]: {
                          readonly actions: { readonly [key: string]: Right };
                        };
                      };
                      readonly _canDelete?: boolean;
                    }
                  | boolean
                  | undefined;
              };
              readonly _canDelete?: boolean;
            }
          | boolean
          | undefined;
      };
    }
  | {
      readonly controllers: {
        readonly [key: string]: {
          readonly actions: { readonly [key: string]: Right };
        };
      };
    };

export type Role2 =
  | {
      readonly indexes: {
        readonly _canCreate?: boolean;
        readonly [key: string]:
          | {
              readonly collections: {
                readonly _canCreate?: boolean;
                readonly [key: string]:
                  | {
                      readonly controllers: {
                        readonly [key: string]: {
                          readonly actions: { readonly [key: string]: Right2 };
                        };
                      };
                      readonly _canDelete?: boolean;
                    }
                  | boolean
                  | undefined;
              };
              readonly _canDelete?: boolean;
            }
          | boolean
          | undefined;
      };
    }
  | {
      readonly controllers: {
        readonly [key: string]: {
          readonly actions: { readonly [key: string]: Right2 };
        };
      };
    };

/** A search of the query language. A query may also be the whole body: `{"match": {…}}`. */
export type SearchBody = {
  /** A query of the query language; absent or empty: every document. */
  readonly query?: FreeContent;
  /** A query of the query language; absent or empty: every document. */
  readonly filter?: FreeContent;
  /** A query of the query language; absent or empty: every document. */
  readonly post_filter?: FreeContent;
  readonly from?: number;
  readonly size?: number;
  readonly sort?: string | FreeContent | readonly (string | FreeContent)[];
  /** The `sort` of the last hit of the page before; one value for each criterion. */
  readonly search_after?: readonly (string | number | boolean | null)[];
  readonly min_score?: number;
  readonly track_scores?: boolean;
  /** Without effect: totals are always exact. */
  readonly track_total_hits?: boolean | number;
  readonly version?: boolean;
  /** A time span such as `10s`; 0 and -1: none. */
  readonly timeout?: string | number;
  /** Aggregations by name. */
  readonly aggregations?: FreeContent;
  /** The same as `aggregations`; one of them. */
  readonly aggs?: FreeContent;
  readonly highlight?: FreeContent;
  /** Which fields of the documents are returned: all or none, or patterns. */
  readonly _source?:
    | boolean
    | string
    | readonly string[]
    | {
        readonly includes?: string | readonly string[];
        readonly excludes?: string | readonly string[];
      };
};

export type SearchHit = {
  readonly _index: string;
  readonly _type: string;
  readonly _id: string;
  readonly _score: number | null;
  /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
  readonly _meta: DocumentMetadata;
  /** The content of the document. */
  readonly _source: JsonObject;
  readonly _version?: number;
  readonly sort?: readonly JsonValue[];
  readonly highlight?: { readonly [key: string]: readonly string[] };
  readonly inner_hits?: JsonObject;
};

export type SearchResult = {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly max_score: number | null;
  readonly timed_out: boolean;
  readonly took: number;
  readonly _shards: {
    readonly total: number;
    readonly successful: number;
    readonly failed: number;
  };
  readonly _scroll_id?: string;
  readonly aggregations?: JsonObject;
  readonly from?: number;
  readonly size?: number;
};

export type ServerInformation = {
  /** The server under the name of the service, and the services it uses. */
  readonly serverInfo: {
    readonly services: {
      readonly [key: string]: {
        readonly type: string;
        readonly version: string;
        readonly mode: string;
        readonly memoryUsed: number | null;
        readonly memoryPeak: number | null;
      };
    };
    readonly [key: string]:
      | {
          readonly api: {
            readonly version: string;
            readonly routes: {
              readonly [key: string]: {
                readonly [key: string]: {
                  readonly name: string;
                  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
                  readonly route?: string;
                  readonly routes?: readonly {
                    readonly method: string;
                    readonly route: string;
                  }[];
                };
              };
            };
          };
          readonly version: string;
          readonly nodeVersion: string;
          readonly uptime: number;
          readonly memoryUsed?: number;
          readonly plugins?: JsonObject;
          readonly system?: {
            readonly cpus: readonly JsonValue[];
            readonly memory: {
              readonly free: number;
              readonly total: number;
            };
          };
        }
      | {
          readonly [key: string]: {
            readonly type: string;
            readonly version: string;
            readonly mode: string;
            readonly memoryUsed: number | null;
            readonly memoryPeak: number | null;
          };
        }
      | undefined;
  };
};

/** Counts by protocol. */
export type StatisticsFrame = {
  readonly completedRequests: { readonly [key: string]: number };
  readonly failedRequests: { readonly [key: string]: number };
  readonly ongoingRequests: { readonly [key: string]: number };
  readonly connections: { readonly [key: string]: number };
  readonly slowConsumers: { readonly [key: string]: number };
  /** UTC milliseconds. */
  readonly timestamp: string;
};

export type StoredDocument = {
  readonly _id: string;
  readonly _index: string;
  readonly _type: string;
  readonly _version: number;
  /** The content of the document. */
  readonly _source: JsonObject;
  /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
  readonly _meta: DocumentMetadata;
};

export type Subscription = {
  readonly roomId: string;
  readonly channel: string;
  /** UTC milliseconds. */
  readonly timestamp: number;
  /** The notifications after this position follow. */
  readonly cursor?: string;
  /** Whether missed notifications are sent. */
  readonly resumed?: boolean;
  readonly gap?: {
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
  };
  readonly name?: string;
  /** The name had another collection, filter or options. */
  readonly replaced?: true;
};

/** `doc` is merged into the document; where there is none, into `default`, which is then created. */
export type UpsertBody = {
  readonly doc: FreeContent;
  readonly default?: FreeContent;
};

/** Free properties in addition to profiles; never anything secret. */
export type User = {
  readonly profileIds: readonly string[];
  readonly profileId: string;
  readonly suid?: string;
} & JsonObject;

export type ValidationSpecification = {
  readonly strict?: boolean;
  readonly fields?: { readonly [key: string]: FieldSpecification };
};

export type ValidationSpecificationInput = {
  readonly strict?: boolean;
  readonly fields?: { readonly [key: string]: FieldSpecificationInput };
};

/** Index → collection → specification. */
export type ValidationSpecifications = {
  readonly [key: string]: { readonly [key: string]: ValidationSpecificationInput };
};

/** Index → collection → specification. */
export type ValidationSpecifications2 = {
  readonly [key: string]: { readonly [key: string]: ValidationSpecification };
};

export type ValidationVerdict = {
  readonly valid: boolean;
  readonly errorMessages: JsonObject;
};

export type WrittenDocument = {
  readonly _id: string;
  readonly _version: number;
  /** The content of the document. */
  readonly _source: JsonObject;
  /** When the document was created and last changed, and by which users. Null: anonymous, not changed yet, or not known. */
  readonly _meta: DocumentMetadata;
};
