import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';
import type { LeaseRequest, RateLease } from './RateLease.js';
import type { StorageEngine } from '../storage/StorageEngine.js';

/** The outcome of waiting for the other nodes. */
export interface SyncOutcome {
  /** False if a node that counts as living hasn't answered in time, or the link is down. */
  readonly isComplete: boolean;
  /** Resolves once the wait is complete after all: the silent nodes have answered, or were declared dead. */
  readonly whenComplete: Promise<void>;
}

/** Observes the other nodes. Calls return at once and never throw. */
export interface NodeObserver {
  /** Another node needs this node's state: send all of it again, in order, with `send`. */
  wanted?(): void;
  /** A node is gone: it stopped, or was silent for so long that it was declared dead. */
  left?(nodeId: string, how: 'stopped' | 'died'): void;
  /**
   * This node may have missed messages of others: re-read state derived from them and notify those who depend on it.
   */
  missed?(reason: string): void;
}

/** Handles a message. `from` is the node that sent it. Called in the order of sending per node; must not throw. */
export type MessageHandler = (key: string, body: string, from: string) => void;

/** Answers a question of another node. A rejection is returned to that node. */
export type QuestionHandler = (body: string, from: string) => Promise<string>;

/**
 * The other nodes of the cluster, as the services of a server see them. Provided by the cluster package; `SOLE_NODE`
 * without a cluster, which costs one call and nothing else. A service communicates only with its counterparts on other
 * nodes: topics begin with its name. Sending never waits and never throws; all other nodes receive the messages of one
 * node in order, at most once. If messages may have been lost, `missed` is called on every node affected.
 */
export interface NodeLink {
  /** Id of this process, new at each start: lower-case letters and digits. */
  readonly nodeId: string;
  /** Whether there is a cluster. Never changes. */
  readonly isClustered: boolean;
  /** Whether other living nodes are known. */
  hasOthers(): boolean;
  /** The ids of those nodes. */
  others(): readonly string[];
  /**
   * Whether this node has received everything that others had sent until a moment ago (`cluster.leaseMs`). If not,
   * cached shared data must not be trusted.
   */
  isCurrent(): boolean;
  /**
   * Sends a message to all others.
   * @param topic of the service, without a space: `realtime.change`
   * @param key lets a receiver decide without parsing the body; may contain anything
   * @param body JSON text, encoded once
   */
  send(topic: string, key: string, body: string): void;
  /** As `send`, for messages that others must have received before a request is answered: see `settled`. */
  announce(topic: string, key: string, body: string): void;
  /**
   * Resolves when everything has been sent to the others; undefined if it has been already, or if waiting would delay
   * the caller too long.
   */
  confirmed(): Promise<void> | undefined;
  /**
   * Resolves when all living nodes have everything announced before; nodes that don't have it no longer trust their
   * caches. Undefined if that is the case already.
   */
  settled(): Promise<SyncOutcome> | undefined;
  /**
   * A barrier: all living nodes have processed everything that this node sent before, and this node has processed
   * everything that they had sent by then. Undefined if there are no other nodes.
   */
  synced(): Promise<SyncOutcome> | undefined;
  /**
   * Registers the handler of a topic; to be called before the start. It doesn't receive messages of this node itself.
   */
  receive(topic: string, handle: MessageHandler): void;
  /** Registers the handler that answers questions of a topic; to be called before the start. */
  answer(topic: string, handle: QuestionHandler): void;
  /**
   * @throws cluster.unreachable (503) if the node is gone or doesn't answer in time; cluster.refused with its reason
   */
  ask(nodeId: string, topic: string, body: string): Promise<string>;
  observe(observer: NodeObserver): void;
  /**
   * Adds a change log that all nodes share to an engine without one; to be called once, before the start. Absent
   * without a cluster.
   */
  record?(engine: StorageEngine): StorageEngine;
  /**
   * Takes units of a bucket that all nodes share; undefined if the shared store doesn't answer at once. Absent without a
   * cluster.
   */
  lease?(request: LeaseRequest): Promise<RateLease | undefined>;
  /** For health checks and server information: `state` (`up`, `down`), the number of nodes, counters. No secrets. */
  describe(): JsonObject & { readonly state: 'up' | 'down' };
}

/** The link of this server. */
export const NODE_LINK: InjectionToken<NodeLink> = Symbol.for('millrace.NodeLink');
