// Made by `node scripts/generateDocs.mjs`. Do not edit.
import type { JsonObject, PluginSections } from '@millrace/kernel';

/**
 * The configuration of a kernel, as a tree of sections: `{ http: { port: 0 } }`. It has the keys of the server and of the
 * shipped plugins; another plugin adds its sections to `PluginSections` of `@millrace/kernel` by declaration merging.
 */
export interface KernelConfig extends PluginSections {
  /** Plugins in addition to those of the command: names of installed packages, and paths such as "./doors.js"; with options as {"plugin": "…", "options": {…}} in a file. */
  readonly plugins?: readonly string[];
  readonly server?: {
    /** Service name: key of server.info, fallback event, MQTT topic. Default: `"millrace"`. */
    readonly name?: string;
    /** Name of the internal index; empty: "%" and the service name. */
    readonly internalIndex?: string;
    /** Folder for everything the embedded engines keep. Default: `"./data"`. */
    readonly dataDir?: string;
    /** Adds stacks to error answers (development). Default: `false`. */
    readonly exposeStack?: boolean;
    /** Shows processor, memory and plugins in server.info to anonymous callers. Default: `false`. */
    readonly publicInfo?: boolean;
    /** Requests that run at once. Default: `100`. */
    readonly maxRunningRequests?: number;
    /** Requests that wait for their turn; past these 503. Default: `50000`. */
    readonly maxWaitingRequests?: number;
    /** Bytes of bodies, parsed requests and unread answers held at once, shared fairly by address; past these 503; 0: 256 MiB, at most an eighth of the heap limit. Default: `0`. */
    readonly maxBytesInFlight?: number;
    /** Time limit of a hook or pipe, in milliseconds. Default: `5000`. */
    readonly pluginTimeoutMs?: number;
    /** Time limit of each component to start, in milliseconds. Default: `30000`. */
    readonly startTimeoutMs?: number;
    /** Time limit of each component to stop, in milliseconds; all together have 1.6 times as long. Default: `5000`. */
    readonly stopTimeoutMs?: number;
  };
  readonly log?: {
    /** Least severe level written to standard error. Default: `"info"`. */
    readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
    /** Form of the log: "json", "text" for people, or "auto": text where standard error is a terminal. Default: `"auto"`. */
    readonly format?: 'auto' | 'json' | 'text';
    /** Writes a line of level "info" for every request of a client, over all protocols. Default: `false`. */
    readonly requests?: boolean;
  };
  readonly idempotency?: {
    /** Bytes of answers kept for idempotency keys by each node, shared fairly by user; past these 429. Default: `268435456`. */
    readonly maxBytes?: number;
  };
  readonly statistics?: {
    /** Length of a statistics frame, in milliseconds. Default: `10000`. */
    readonly intervalMs?: number;
    /** How long frames are kept, in milliseconds. Default: `3600000`. */
    readonly retentionMs?: number;
  };
  readonly storage?: {
    /** Storage engine: "sqlite", "elasticsearch", or one that a plugin brings. Default: `"sqlite"`. */
    readonly engine?: string;
    readonly elasticsearch?: {
      /** Address of Elasticsearch 8 or 9, or several joined by commas; used by the engine "elasticsearch". */
      readonly node?: string;
      /** User name at Elasticsearch. */
      readonly username?: string;
      /** Password at Elasticsearch. */
      readonly password?: string;
      /** API key at Elasticsearch, instead of user name and password. */
      readonly apiKey?: string;
      /** PEM text of the certificate authority of Elasticsearch. */
      readonly tlsCa?: string;
      /** Whether a certificate of Elasticsearch that is not trusted is refused; false only for trying out. Default: `true`. */
      readonly tlsRejectUnauthorized?: boolean;
      /** First part of the names of all server indexes; installations on one cluster need different ones. Default: `"millrace"`. */
      readonly prefix?: string;
      /** Shards of a new collection. Default: `1`. */
      readonly shards?: number;
      /** Further copies of each shard of a new collection; 0: one copy of each document, on one data node. Default: `0`. */
      readonly replicas?: number;
      /** How soon searches see a write that did not ask for it, in milliseconds. Default: `1000`. */
      readonly refreshIntervalMs?: number;
      /** Longest wait for an answer of Elasticsearch other than to a search, in milliseconds. Default: `8000`. */
      readonly requestTimeoutMs?: number;
      /** Longest a search may take that could make more work than ordinary ones (many patterns, buckets in buckets), in milliseconds; then 400. Default: `800`. */
      readonly costlySearchTimeoutMs?: number;
      /** How many of those searches run at a time; others wait, within the same time. Default: `2`. */
      readonly costlySearchConcurrency?: number;
      /** How long a request is tried again while Elasticsearch is busy or away, in milliseconds. Default: `2000`. */
      readonly retryMs?: number;
      /** How long the start waits for Elasticsearch, in milliseconds. Default: `15000`. */
      readonly startTimeoutMs?: number;
      /** Largest bulk request to Elasticsearch, in bytes (one document may be larger). Default: `4000000`. */
      readonly bulkMaxBytes?: number;
      /** Operations in one bulk request to Elasticsearch. Default: `1000`. */
      readonly bulkMaxOperations?: number;
      /** Bulk requests at a time of one write. Default: `4`. */
      readonly bulkConcurrency?: number;
    };
    /** Mapping of new collections, as JSON; a mapping given at creation is laid over it. */
    readonly defaultMapping?: JsonObject;
    /** Scrolls with pages left that may be open at a time. Default: `500`. */
    readonly maxScrolls?: number;
    /** How often expired scrolls are looked for, in milliseconds. Default: `5000`. */
    readonly scrollSweepMs?: number;
    /** Operations handed to the storage engine at a time by bulk import and multi-document actions. Default: `20000`. */
    readonly writeBatchSize?: number;
  };
  readonly memoryStore?: {
    /** Memory-store engine: "embedded", "redis", or one that a plugin brings. Default: `"embedded"`. */
    readonly engine?: string;
    readonly redis?: {
      /** Address of Redis; used by the engine "redis". */
      readonly url?: string;
      /** Logical database of the memory store, unless the address names one. Default: `5`. */
      readonly database?: number;
      /** Time limit for a connection to Redis, in milliseconds. Default: `3000`. */
      readonly connectTimeoutMs?: number;
      /** A Redis that is silent for so long counts as away, in milliseconds. Default: `6000`. */
      readonly silenceTimeoutMs?: number;
    };
    /** Blocking actions and transactions with watches at a time; past these 503. Default: `64`. */
    readonly maxBlockedCalls?: number;
    /** Longest wait of a blocking action, in milliseconds; longer ones are lowered to it. Default: `30000`. */
    readonly maxBlockMs?: number;
    /** Longest string value, in bytes; offsets past it are refused. Default: `67108864`. */
    readonly maxValueBytes?: number;
    /** How long a transaction may stay open, in milliseconds. Default: `30000`. */
    readonly transactionTimeoutMs?: number;
    /** Actions that a transaction may queue. Default: `1000`. */
    readonly maxQueuedActions?: number;
    /** Bytes that the queued actions and watched keys of a transaction may take; all open transactions together may take eight times as much. Default: `8388608`. */
    readonly maxQueuedBytes?: number;
    /** Embedded engine: bytes that its keys may take, as estimated; -1 for a quarter of the memory of the machine or container, 0 for no bound. Default: `-1`. */
    readonly maxMemory?: number;
    /** Embedded engine past maxMemory: refuse writes, or drop the keys used longest ago. Default: `"noeviction"`. */
    readonly evictionPolicy?: 'noeviction' | 'allkeys-lru';
    /** Embedded engine: force writes to the disk each second, or before each answer. Default: `"everysec"`. */
    readonly sync?: 'everysec' | 'always';
  };
  readonly security?: {
    /** Lets a server that is open, as before its first administrator exists, listen on other addresses than loopback: everyone who reaches it may do everything. Default: `false`. */
    readonly allowOpenOnNetwork?: boolean;
    /** Lets anonymous requests do nearly everything until a first administrator exists; false by default where NODE_ENV is "production". Default: `true`. */
    readonly openUntilFirstAdmin?: boolean;
    /** Lets anonymous callers create restricted users; by default as openUntilFirstAdmin. */
    readonly openSignUp?: boolean | null;
    /** Properties of users that administrators alone write, as a list or separated by commas: updateSelf and sign-up refuse them. */
    readonly protectedProperties?: readonly string[];
    /** Encrypts the generated signing key in the storage engine; needed on engines that others can read, such as Elasticsearch. Empty: with the embedded engine the key is kept in the file signing-key.json in server.dataDir, else in the clear in the storage engine. */
    readonly keyEncryptionSecret?: string;
    /** Profiles of users made by createRestrictedUser, as a list or separated by commas. */
    readonly restrictedProfileIds?: readonly string[];
    /** What createFirstAdmin asks for where openUntilFirstAdmin is false, at least 16 characters; empty: a random one, printed in the log. */
    readonly setupToken?: string;
    readonly jwt?: {
      /** How tokens are signed. Default: `"HS256"`. */
      readonly algorithm?:
        | 'HS256'
        | 'HS384'
        | 'HS512'
        | 'RS256'
        | 'RS384'
        | 'RS512'
        | 'PS256'
        | 'PS384'
        | 'PS512'
        | 'ES256'
        | 'ES384'
        | 'ES512'
        | 'EdDSA';
      /** Secret of the HS algorithms; empty: one is generated at the first start and kept (see keyEncryptionSecret). */
      readonly secret?: string;
      /** Private key of the other algorithms, PKCS #8 in PEM form; empty: a pair is generated at the first start and kept (see keyEncryptionSecret). */
      readonly privateKey?: string;
      /** Public key that belongs to it, SPKI in PEM form; empty: derived from the private one. */
      readonly publicKey?: string;
      /** Life of a token where a login names none: seconds or a time span. Default: `"1h"`. */
      readonly expiresIn?: string | number;
      /** Longest life of a token: seconds or a time span; a token that claims a longer one is refused, whoever signed it. Default: `"30 days"`. */
      readonly maxTTL?: string | number;
      /** How long after its login a session can be prolonged by refreshToken: seconds or a time span. Default: `"30 days"`. */
      readonly maxSessionAge?: string | number;
    };
    readonly login?: {
      /** Failed logins for one account from one address within the window. Default: `10`. */
      readonly maxFailuresPerAccount?: number;
      /** Failed logins from one address within the window. Default: `200`. */
      readonly maxFailuresPerAddress?: number;
      /** How long a failed login counts, in milliseconds. Default: `900000`. */
      readonly windowMs?: number;
      /** Logins and password changes of one account from one address, and token renewals of one account, per minute, successful ones included; more are answered 429. Default: `60`. */
      readonly maxPerMinute?: number;
      /** How many of them may come at once. Default: `60`. */
      readonly burst?: number;
      /** Time limit of a strategy for one login, in milliseconds. Default: `5000`. */
      readonly strategyTimeoutMs?: number;
    };
    readonly signUp?: {
      /** Sign-ups without a token from one address within the window. Default: `60`. */
      readonly maxPerAddress?: number;
      /** How long a sign-up counts, in milliseconds. Default: `3600000`. */
      readonly windowMs?: number;
    };
    readonly apiKeys?: {
      /** Life of an API key where its creation names no expiresAt: seconds or a time span. Default: `"90 days"`. */
      readonly expiresIn?: string | number;
      /** Longest life of an API key that expires: seconds or a time span. Default: `"1 year"`. */
      readonly maxTTL?: string | number;
      /** How long the replaced secret of an API key stays valid after a rotation that names no graceMs, and at most otherwise, in milliseconds; 0: not at all. Default: `86400000`. */
      readonly rotationGraceMs?: number;
      /** API keys of one user. Default: `100`. */
      readonly maxPerUser?: number;
    };
    readonly cache?: {
      /** Users kept in memory. Default: `10000`. */
      readonly maxUsers?: number;
      /** Verified tokens kept in memory. Default: `10000`. */
      readonly maxTokens?: number;
      /** API keys kept in memory. Default: `10000`. */
      readonly maxApiKeys?: number;
    };
  };
  readonly websocket?: {
    /** Address that WebSocket listens on. Default: `"127.0.0.1"`. */
    readonly host?: string;
    /** Port that WebSocket listens on; 0 picks a free one. Default: `7513`. */
    readonly port?: number;
    /** Opens a separate port; false: WebSocket is there at websocket.path of the HTTP port, and where it is mounted in another application (kernel.mount). Default: `true`. */
    readonly listen?: boolean;
    /** Largest message of a client, in bytes; above it 413 and the end of the connection. Default: `1048576`. */
    readonly maxMessageBytes?: number;
    /** Connections at once; further ones take the place of idle ones, or are refused. Default: `50000`. */
    readonly maxConnections?: number;
    /** Connections at once from one address (a /64 network of IPv6), at most half of maxConnections; further ones are refused. Loopback and http.trustedProxies have no such limit. Default: `1000`. */
    readonly maxConnectionsPerAddress?: number;
    /** Requests of one connection that run at once; further ones wait until one is answered. Default: `100`. */
    readonly maxRunningRequests?: number;
    /** Bytes that may wait for a client that reads slowly; above it its connection is closed. Default: `8388608`. */
    readonly maxWaitingBytes?: number;
    /** How long a client may take nothing of what waits for it, in milliseconds. Default: `10000`. */
    readonly maxStallMs?: number;
    /** How long a stop waits for running requests, in milliseconds. Default: `1500`. */
    readonly drainTimeoutMs?: number;
    readonly tls?: {
      /** File with the certificate and its chain (PEM): the port then speaks TLS; empty: it does not. Read again when it changes. */
      readonly certFile?: string;
      /** File with the private key of the certificate (PEM). */
      readonly keyFile?: string;
      /** Oldest version of TLS that clients may use. Default: `"TLSv1.2"`. */
      readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
    };
    /** Path of the HTTP port that takes WebSocket too; empty: none. Default: `"/_ws"`. */
    readonly path?: string;
    /** Interval of pings, in milliseconds; a connection that misses two is closed. Default: `30000`. */
    readonly keepAliveMs?: number;
    /** Time between two heartbeats after client.hello, in milliseconds. Default: `25000`. */
    readonly heartbeatMs?: number;
    readonly cors?: {
      /** Origins whose pages may connect: "*", or a list; empty for none. Credentials are never allowed. Default: `"*"`. */
      readonly origin?: string | readonly string[];
    };
  };
  readonly fallback?: {
    /** Address that the fallback protocol listens on. Default: `"127.0.0.1"`. */
    readonly host?: string;
    /** Port that the fallback protocol listens on; 0 picks a free one. Default: `7512`. */
    readonly port?: number;
    /** Opens a port; false switches the fallback protocol off, unless it is mounted in another application (kernel.mount). Default: `true`. */
    readonly listen?: boolean;
    /** Largest message of a client, in bytes; above it 413 and the end of the connection. Default: `1048576`. */
    readonly maxMessageBytes?: number;
    /** Connections at once; further ones take the place of idle ones, or are refused. Default: `50000`. */
    readonly maxConnections?: number;
    /** Connections at once from one address (a /64 network of IPv6), at most half of maxConnections; further ones are refused. Loopback and http.trustedProxies have no such limit. Default: `1000`. */
    readonly maxConnectionsPerAddress?: number;
    /** Requests of one connection that run at once; further ones wait until one is answered. Default: `100`. */
    readonly maxRunningRequests?: number;
    /** Bytes that may wait for a client that reads slowly; above it its connection is closed. Default: `8388608`. */
    readonly maxWaitingBytes?: number;
    /** How long a client may take nothing of what waits for it, in milliseconds. Default: `10000`. */
    readonly maxStallMs?: number;
    /** How long a stop waits for running requests, in milliseconds. Default: `1500`. */
    readonly drainTimeoutMs?: number;
    readonly tls?: {
      /** File with the certificate and its chain (PEM): the port then speaks TLS; empty: it does not. Read again when it changes. */
      readonly certFile?: string;
      /** File with the private key of the certificate (PEM). */
      readonly keyFile?: string;
      /** Oldest version of TLS that clients may use. Default: `"TLSv1.2"`. */
      readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
    };
    /** Interval of pings, in milliseconds; a connection silent for two of them is closed. Default: `30000`. */
    readonly keepAliveMs?: number;
    /** Time between two heartbeats after client.hello, in milliseconds. Default: `25000`. */
    readonly heartbeatMs?: number;
    readonly cors?: {
      /** Origins whose pages may connect: "*", or a list; empty for none. Credentials are never allowed. Default: `"*"`. */
      readonly origin?: string | readonly string[];
    };
  };
  readonly mqtt?: {
    /** Address that MQTT listens on. Default: `"127.0.0.1"`. */
    readonly host?: string;
    /** Port that MQTT listens on; 0 picks a free one. Default: `1883`. */
    readonly port?: number;
    /** Opens a port; false switches MQTT off, unless it is mounted in another application (kernel.mount). Default: `true`. */
    readonly listen?: boolean;
    /** Largest message of a client, in bytes; above it 413 and the end of the connection. Default: `1048576`. */
    readonly maxMessageBytes?: number;
    /** Connections at once; further ones take the place of idle ones, or are refused. Default: `50000`. */
    readonly maxConnections?: number;
    /** Connections at once from one address (a /64 network of IPv6), at most half of maxConnections; further ones are refused. Loopback and http.trustedProxies have no such limit. Default: `1000`. */
    readonly maxConnectionsPerAddress?: number;
    /** Requests of one connection that run at once; further ones wait until one is answered. Default: `100`. */
    readonly maxRunningRequests?: number;
    /** Bytes that may wait for a client that reads slowly; above it its connection is closed. Default: `8388608`. */
    readonly maxWaitingBytes?: number;
    /** How long a client may take nothing of what waits for it, in milliseconds. Default: `10000`. */
    readonly maxStallMs?: number;
    /** How long a stop waits for running requests, in milliseconds. Default: `1500`. */
    readonly drainTimeoutMs?: number;
    readonly tls?: {
      /** File with the certificate and its chain (PEM): the port then speaks TLS; empty: it does not. Read again when it changes. */
      readonly certFile?: string;
      /** File with the private key of the certificate (PEM). */
      readonly keyFile?: string;
      /** Oldest version of TLS that clients may use. Default: `"TLSv1.2"`. */
      readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
    };
    /** Longest keep-alive, in milliseconds: clients that ask for a longer one, or for none, get this. Default: `3600000`. */
    readonly maxKeepAliveMs?: number;
    /** Time for a client to send its CONNECT packet, in milliseconds. Default: `10000`. */
    readonly connectTimeoutMs?: number;
  };
  readonly http?: {
    /** Opens a port; false where HTTP is only mounted in another application (kernel.mount). Default: `true`. */
    readonly listen?: boolean;
    /** Address that HTTP listens on. Default: `"127.0.0.1"`. */
    readonly host?: string;
    /** Port that HTTP listens on; 0 picks a free one. Default: `7511`. */
    readonly port?: number;
    /** Largest request body, in bytes or as "1mb"; bulk import takes 64 MiB whatever this key says. Default: `"1mb"`. */
    readonly maxBodySize?: string | number;
    readonly cors?: {
      /** Origins whose pages may connect: "*", or a list; empty for none. Credentials are never allowed. Default: `"*"`. */
      readonly origin?: string | readonly string[];
    };
    /** Host names under which browsers reach the server before its first administrator exists, in addition to loopback and the addresses of the machine: a list. */
    readonly allowedHosts?: string | readonly string[];
    /** Addresses and CIDR ranges of proxies whose Forwarded or X-Forwarded-For header names the client: a list. For WebSocket and the fallback protocol too. */
    readonly trustedProxies?: string | readonly string[];
    /** Connections at once; further ones take the place of idle ones, or are refused. Default: `10000`. */
    readonly maxConnections?: number;
    /** Connections at once from one address (a /64 network of IPv6), at most half of maxConnections; further ones are refused. Loopback and http.trustedProxies have no such limit. Default: `1000`. */
    readonly maxConnectionsPerAddress?: number;
    /** Time for a client to send the head of a request, in milliseconds. Default: `20000`. */
    readonly headersTimeoutMs?: number;
    /** Time for a client to send a whole request, in milliseconds. Default: `60000`. */
    readonly requestTimeoutMs?: number;
    /** How long a client may take nothing of an answer that waits for it, in milliseconds. Default: `30000`. */
    readonly sendTimeoutMs?: number;
    /** How long an idle connection stays open, in milliseconds. Default: `60000`. */
    readonly keepAliveTimeoutMs?: number;
    /** Largest head of a request, in bytes; it bounds the address too. Default: `16384`. */
    readonly maxHeaderSize?: number;
    /** How long a stopping server waits for running requests, in milliseconds. Default: `4000`. */
    readonly drainTimeoutMs?: number;
    readonly tls?: {
      /** File with the certificate and its chain (PEM): the port then speaks TLS; empty: it does not. Read again when it changes. */
      readonly certFile?: string;
      /** File with the private key of the certificate (PEM). */
      readonly keyFile?: string;
      /** Oldest version of TLS that clients may use. Default: `"TLSv1.2"`. */
      readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
    };
  };
  readonly realtime?: {
    readonly history?: {
      /** Collections whose changes the embedded engine records: "subscribed" (while they have subscriptions, and for maxAgeMs after the last one), "all", or a list of "index/collection" that are recorded in addition to those. Default: `"subscribed"`. */
      readonly collections?: string | readonly string[];
      /** How long recorded changes are kept, in milliseconds. Default: `900000`. */
      readonly maxAgeMs?: number;
      /** Bytes of recorded changes that are kept. Default: `268435456`. */
      readonly maxBytes?: number;
      /** How long changes are kept for named subscriptions, in milliseconds. Default: `259200000`. */
      readonly maxPinnedAgeMs?: number;
      /** Bytes of recorded changes that are kept in collections with named subscriptions. Default: `268435456`. */
      readonly maxPinnedBytes?: number;
    };
    /** Channels that one connection may hold. Default: `1000`. */
    readonly maxChannelsPerConnection?: number;
    /** Memory in bytes that the filters and metadata of one connection may take, as estimated. Default: `8388608`. */
    readonly maxBytesPerConnection?: number;
    /** Memory in bytes that all subscriptions may take, as estimated; one address at most a quarter of it; 0: a quarter of the heap, at most 512 MiB. Default: `0`. */
    readonly maxSubscriptionBytes?: number;
    readonly follow?: {
      /** Different searches that are followed at once. Default: `10000`. */
      readonly maxViews?: number;
      /** Highest from + size of a followed search. Default: `1000`. */
      readonly maxWindow?: number;
      /** Memory in bytes that the results of followed searches may take, as estimated. Default: `268435456`. */
      readonly maxBytes?: number;
    };
    readonly filterLimits?: {
      /** Bytes of a filter as JSON. Default: `65536`. */
      readonly bytes?: number;
      /** Nesting of and, or, not, bool in a filter. Default: `32`. */
      readonly depth?: number;
      /** Conditions of a filter after normalisation; a list of values is one. Default: `512`. */
      readonly conditions?: number;
      /** Values in one in, ids or terms. Default: `1024`. */
      readonly values?: number;
      /** Points of one polygon. Default: `1024`. */
      readonly polygonPoints?: number;
      /** Characters of one pattern. Default: `1000`. */
      readonly patternLength?: number;
      /** Steps of all patterns of a filter: characters, repetitions written out; a Unicode property adds 50. Default: `4096`. */
      readonly patternSteps?: number;
    };
  };
  readonly cluster?: {
    /** Joins this server to the others on the same Redis. Default: `false`. */
    readonly enabled?: boolean;
    readonly redis?: {
      /** Address of the Redis of the cluster. */
      readonly url?: string;
      /** Begins each key of the cluster in Redis; empty: the service name. */
      readonly prefix?: string;
      /** Time limit for a connection to Redis, in milliseconds. Default: `3000`. */
      readonly connectTimeoutMs?: number;
      /** A Redis that is silent for so long counts as away, in milliseconds. Default: `3000`. */
      readonly silenceTimeoutMs?: number;
    };
    /** Time between two heartbeats of a node, in milliseconds. Default: `250`. */
    readonly heartbeatMs?: number;
    /** For how long after the last heartbeat that went round memory is trusted, in milliseconds. Default: `1000`. */
    readonly leaseMs?: number;
    /** A node that is silent for so long is declared dead, in milliseconds. Default: `5000`. */
    readonly deadAfterMs?: number;
    /** A write waits for Redis no longer than this, in milliseconds. Default: `100`. */
    readonly confirmTimeoutMs?: number;
    /** Bytes that wait for Redis on a node; beyond, they are dropped and subscribers notified. Default: `33554432`. */
    readonly maxQueuedBytes?: number;
    /** Bytes of changes that the stream in Redis holds, approximately. Default: `134217728`. */
    readonly maxStreamBytes?: number;
    /** Entries that the stream in Redis holds. Default: `100000`. */
    readonly maxStreamEntries?: number;
  };
  readonly limits?: {
    readonly anonymous?: {
      /** Requests per second of an address without a token; 0: no limit, the default but where NODE_ENV is "production" (50). A rateLimit in a profile of anonymous callers replaces it. Default: `0`. */
      readonly perSecond?: number;
      /** How many requests of an address without a token may come at once. Default: `200`. */
      readonly burst?: number;
    };
    readonly user?: {
      /** Requests per second of a user, and of each API key; 0: no limit. A rateLimit in a profile of the user replaces it. Default: `0`. */
      readonly perSecond?: number;
      /** How many requests of a user, and of each API key may come at once. Default: `500`. */
      readonly burst?: number;
    };
  };
  readonly backup?: {
    /** Folder of the backups, best on another disk; empty: "backups" in server.dataDir. */
    readonly directory?: string;
    /** When backups are made: a cron pattern of five fields in UTC, such as "0 3 * * *"; empty: never. */
    readonly schedule?: string;
    readonly keep?: {
      /** Of this many days the last scheduled backup is kept. Default: `7`. */
      readonly daily?: number;
      /** Of this many weeks the last scheduled backup is kept. Default: `4`. */
      readonly weekly?: number;
    };
    /** Exports the changes of all collections each minute, so that a restore reaches any moment of the last backup.keep.daily days; needs realtime.history.collections "all" and backup.schedule. Default: `false`. */
    readonly continuous?: boolean;
  };
  readonly oauth2?: {
    /** Providers by the name of their strategy (plugins/auth-oauth2/README.md). Holds secrets, so it is never shown. */
    readonly providers?: JsonObject;
    /** The server's address as browsers see it: the base of callback addresses that a provider doesn't set. Default: `"http://localhost:7511"`. */
    readonly publicURL?: string;
    /** How long a login may wait for its provider, in milliseconds; then 503. Default: `4000`. */
    readonly timeoutMs?: number;
    /** How long a client may take at the provider, in milliseconds. Default: `600000`. */
    readonly stateLifeMs?: number;
    /** Largest answer of a provider that is read, in bytes; larger ones are refused. Default: `262144`. */
    readonly maxResponseSize?: number;
    /** How many logins may ask one provider at the same time; more are answered 503. Default: `10`. */
    readonly maxConcurrent?: number;
  };
  readonly saml?: {
    /** Identity providers by the name of their strategy (plugins/auth-saml/README.md). May hold private keys, so it is never shown. */
    readonly providers?: JsonObject;
    /** The server's address as browsers see it: the base of callback addresses and entity ids that a provider doesn't set. Default: `"http://localhost:7511"`. */
    readonly publicURL?: string;
    /** How long a client may take at the identity provider, in milliseconds. Default: `600000`. */
    readonly requestLifeMs?: number;
    /** By how much the clock of an identity provider may differ, in milliseconds. Default: `30000`. */
    readonly clockSkewMs?: number;
    /** Largest answer of an identity provider that is read, in bytes of XML. Default: `131072`. */
    readonly maxResponseSize?: number;
  };
  readonly local?: {
    /** How passwords are hashed: argon2id, scrypt, or auto (argon2id where its binary can be loaded, else scrypt). Default: `"auto"`. */
    readonly algorithm?: 'auto' | 'argon2id' | 'scrypt';
    readonly password?: {
      /** Shortest password taken for a user, in characters. Default: `8`. */
      readonly minLength?: number;
      /** Longest password, in bytes of UTF-8. Default: `1024`. */
      readonly maxLength?: number;
      /** Refuse a password that is the user's own identifier, in any case. Default: `true`. */
      readonly forbidUsername?: boolean;
    };
    readonly argon2id?: {
      /** Memory of one argon2id hash, in KiB. Default: `19456`. */
      readonly memoryKib?: number;
      /** Passes of argon2id over its memory. Default: `2`. */
      readonly iterations?: number;
      /** Lanes of one argon2id hash. Default: `1`. */
      readonly parallelism?: number;
    };
    readonly scrypt?: {
      /** Cost N of scrypt as a power of two; 17 takes 128 MiB for each hash. Default: `17`. */
      readonly logCost?: number;
    };
    readonly hashing?: {
      /** How many passwords are hashed at the same time; 0 for one a processor, at most 3. Default: `0`. */
      readonly concurrency?: number;
      /** How many passwords may wait for their hash; more are answered 503. Default: `1000`. */
      readonly maxWaiting?: number;
      /** How long a password may wait for its hash, in milliseconds; then 503. Default: `4000`. */
      readonly maxWaitMs?: number;
    };
  };
  readonly sse?: {
    /** Longest silence of a stream, in milliseconds: then it sends a heartbeat. Default: `15000`. */
    readonly heartbeatMs?: number;
    /** How long a stream lasts at most, in milliseconds; the client then resumes with a new one. Default: `600000`. */
    readonly maxStreamMs?: number;
    /** Bytes that may wait for a client that reads slowly; above it its connection is closed. Default: `8388608`. */
    readonly maxWaitingBytes?: number;
    /** How long a client may take nothing of what waits for it, in milliseconds. Default: `10000`. */
    readonly maxStallMs?: number;
  };
}
