/*
 * Tickets that every node can open. The key of a ticket never leaves the node that issued it, and the ticket begins
 * with that node's id; other nodes send it there. So there is no shared secret to distribute, and a ticket is redeemed
 * once, whichever node receives it. The tickets of a node are lost when it stops.
 */
import { isJsonObject, type JsonObject } from '../../json/Json.js';
import type { Clock } from '../runtime/Clock.js';
import { SealedTickets } from '../runtime/SealedTickets.js';
import type { Tickets } from '../runtime/Tickets.js';
import type { NodeLink } from './NodeLink.js';

/** No node id contains it. */
const SEPARATOR = '-';
const MAX_LENGTH = 32_768;

/**
 * The tickets of a server, which every node of a cluster can open. To be called before the start.
 * @param topic unique to these tickets, without a space, the same on every node
 */
export function openTickets(clock: Clock, link: NodeLink, topic: string): Tickets {
  const own = new SealedTickets(clock);
  return link.isClustered ? new LinkedTickets(own, link, topic) : own;
}

/** Tickets shared by several nodes. */
export class LinkedTickets implements Tickets {
  /**
   * @param topic unique to these tickets, without a space, the same on every node; the constructor registers the
   *   handler of its questions
   */
  constructor(
    private readonly own: SealedTickets,
    private readonly link: NodeLink,
    private readonly topic: string,
  ) {
    link.answer(topic, async (question) => JSON.stringify(this.answer(question)));
  }

  issue(value: JsonObject, lifeMs: number): string {
    return `${this.link.nodeId}${SEPARATOR}${this.own.issue(value, lifeMs)}`;
  }

  read(ticket: string): JsonObject | null | Promise<JsonObject | null> {
    const { home, sealed } = split(ticket);
    return home === this.link.nodeId ? this.own.read(sealed) : this.ask(home, { read: sealed });
  }

  redeem(ticket: string): JsonObject | null | Promise<JsonObject | null> {
    const { home, sealed } = split(ticket);
    return home === this.link.nodeId ? this.own.redeem(sealed) : this.ask(home, { redeem: sealed });
  }

  private async ask(home: string, question: JsonObject): Promise<JsonObject | null> {
    // A ticket may be forged: only living nodes are queried.
    if (!this.link.others().includes(home)) return null;
    try {
      const value: unknown = JSON.parse(await this.link.ask(home, this.topic, JSON.stringify(question)));
      return isJsonObject(value) ? value : null;
    } catch {
      // The node has stopped in the meantime: its tickets are lost.
      return null;
    }
  }

  private answer(question: string): JsonObject | null {
    const { read, redeem } = JSON.parse(question) as {
      readonly read?: string;
      readonly redeem?: string;
    };
    if (typeof redeem === 'string') return this.own.redeem(redeem);
    return typeof read === 'string' ? this.own.read(read) : null;
  }
}

/**
 * Splits a ticket into the id of the node that issued it and the ticket as that node knows it; both empty if it is
 * malformed.
 */
function split(ticket: string): { readonly home: string; readonly sealed: string } {
  const end = ticket.indexOf(SEPARATOR);
  if (end <= 0 || ticket.length > MAX_LENGTH) return { home: '', sealed: '' };
  return { home: ticket.slice(0, end), sealed: ticket.slice(end + 1) };
}
