/*
 * Ownership of client ids, across all nodes (PROTO-64). A second connection with the same id takes over only if it
 * presents the same user; two anonymous clients are never the same user.
 *
 * A connecting node asks every other node. A node that has the id releases it for the same user and keeps it
 * otherwise. If two nodes ask each other at the same time, both know both node ids, and the smaller one goes first. A
 * node that doesn't answer within a second is considered disconnected and doesn't block the client.
 */
import { SOLE_NODE, withDeadline, type NodeLink } from '@millrace/kernel';

const TOPIC = 'mqtt.claim';
const ANSWER_WITHIN_MS = 1_000;
const HELD = 'held';
const FREE = 'free';

/** A connection that owns a client id, or claims it. */
export interface IdHolder {
  readonly clientId: string;
  /** Undefined for an anonymous client. */
  readonly userId: string | undefined;
  readonly isGone: boolean;
  close(): void;
}

/** The client ids of one node. */
export class ClientIds {
  private readonly holders = new Map<string, IdHolder>();
  private readonly claims = new Map<string, IdHolder>();

  constructor(private readonly nodes: NodeLink = SOLE_NODE) {}

  /** Starts answering other nodes. */
  start(): void {
    this.nodes.answer(TOPIC, async (body, from) => this.decide(body, from));
  }

  /** @returns whether the connection now owns its id; the previous owner is closed */
  async claim(session: IdHolder): Promise<boolean> {
    if (!this.mayHave(session)) return false;
    const { clientId, userId = null } = session;
    if (this.nodes.hasOthers()) {
      // One claim at a time on this node.
      if (this.claims.has(clientId)) return false;
      this.claims.set(clientId, session);
      try {
        const answers = this.nodes.others().map((nodeId) => this.ask(nodeId, { clientId, userId }));
        if ((await Promise.all(answers)).includes(HELD) || !this.mayHave(session)) return false;
      } finally {
        this.claims.delete(clientId);
      }
    }
    const holder = this.holders.get(clientId);
    this.holders.set(clientId, session);
    holder?.close();
    return true;
  }

  /** Removes a closed connection. */
  release(session: IdHolder): void {
    if (this.holders.get(session.clientId) === session) this.holders.delete(session.clientId);
  }

  private mayHave(session: IdHolder): boolean {
    const holder = this.holders.get(session.clientId);
    return !session.isGone && (holder === undefined || isSameUser(holder, session.userId));
  }

  private async ask(nodeId: string, claim: object): Promise<string> {
    try {
      const answer = this.nodes.ask(nodeId, TOPIC, JSON.stringify(claim));
      return await withDeadline(answer, ANSWER_WITHIN_MS, () => new Error('no answer in time'));
    } catch {
      return FREE;
    }
  }

  private decide(body: string, from: string): string {
    const { clientId, userId } = JSON.parse(body) as { clientId?: unknown; userId?: unknown };
    if (typeof clientId !== 'string') return HELD;
    const user = typeof userId === 'string' ? userId : undefined;
    const claim = this.claims.get(clientId);
    if (claim !== undefined && this.nodes.nodeId < from) return HELD;
    const holder = this.holders.get(clientId);
    if (holder === undefined) return FREE;
    if (!isSameUser(holder, user)) return HELD;
    this.holders.delete(clientId);
    holder.close();
    return FREE;
  }
}

function isSameUser(holder: IdHolder, userId: string | undefined): boolean {
  return userId !== undefined && holder.userId === userId;
}
