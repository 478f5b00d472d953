import type { InjectionToken } from 'tsyringe';
import type { JsonObject } from '../../json/Json.js';

/** What became of waiting for the other nodes. */
export interface SyncOutcome {
  /** False where a node that counts as living has not answered in time, or the link is down. */
  readonly isComplete: boolean;
  /** Resolves once it is complete after all: the silent nodes have answered, or have been given up. */
  readonly whenComplete: Promise<void>;
}

/** Who wants to know of the other nodes. Calls return at once and never throw. */
export interface NodeObserver {
  /** Somebody needs to know what this node holds: everything is sent again, in order, by `send`. */
  wanted?(): void;
  /** A node is gone: it stopped, or has been silent for so long that it counts as dead. */
  left?(nodeId: string, how: 'stopped' | 'died'): void;
  /** This node may have missed messages of others: what rests on them is read anew, who depends on them is told. */
  missed?(reason: string): void;
}

/** Takes a message. `from` is the node that sent it. Runs in the order of sending per node; must not throw. */
export type MessageHandler = (key: string, body: string, from: string) => void;

/** Answers a question of another node. A rejection is told to it. */
export type QuestionHandler = (body: string, from: string) => Promise<string>;

/**
 * The other nodes of the cluster, as the services of a server see them. Provided by the cluster package; `SOLE_NODE` where there is none, which costs a call and nothing else. A service speaks only to itself on other
 * nodes: topics begin with its name. Sending never waits and never throws; messages of one node arrive in their order, at
 * most once, at all others. Where some may be lost, every node concerned hears `missed`.
 */
export interface NodeLink {
  /** Of this process, new at each start: lower-case letters and digits. */
  readonly nodeId: string;
  /** Is there a cluster at all? Never changes. */
  readonly isClustered: boolean;
  /** Are there other living nodes, as far as is known? */
  hasOthers(): boolean;
  /** Those nodes. */
  others(): readonly string[];
  /**
   * Has everything been heard that others have sent until a moment ago (`cluster.leaseMs`)? Where not, what is kept in
   * memory about shared data must not be trusted.
   */
  isCurrent(): boolean;
  /**
   * Sends a message to all others.
   * @param topic of the service, without a space: `realtime.change`
   * @param key what a receiver decides on without parsing the body; may hold anything
   * @param body JSON text, encoded once
   */
  send(topic: string, key: string, body: string): void;
  /** As `send`, for what others must know before a request is answered: see `settled`. */
  announce(topic: string, key: string, body: string): void;
  /** Others have been sent all; undefined where that is so already, or where waiting would hold up the caller too long. */
  confirmed(): Promise<void> | undefined;
  /**
   * Everything announced before is known to all living nodes, or those that don't know it no longer trust what they
   * keep. Undefined where that is so already.
   */
  settled(): Promise<SyncOutcome> | undefined;
  /**
   * A barrier: all living nodes have taken what this node sent before, and this node has taken all that they had sent
   * by then. Undefined where there are no others.
   */
  synced(): Promise<SyncOutcome> | undefined;
  /** Registers the handler of a topic, before the start. Messages of this node itself are not handed to it. */
  receive(topic: string, handle: MessageHandler): void;
  /** Registers who answers questions of a topic, before the start. */
  answer(topic: string, handle: QuestionHandler): void;
  /** @throws cluster.unreachable (503) where the node is gone or doesn't answer in time; cluster.refused with its reason */
  ask(nodeId: string, topic: string, body: string): Promise<string>;
  observe(observer: NodeObserver): void;
  /** For health checks and information: `state` (`up`, `down`), the number of nodes, counters. Nothing secret. */
  describe(): JsonObject & { readonly state: 'up' | 'down' };
}

/** The link of this server. */
export const NODE_LINK: InjectionToken<NodeLink> = Symbol.for('millrace.NodeLink');
