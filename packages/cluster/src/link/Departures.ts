import type { Logger } from '@millrace/kernel';
import type { StreamChangeLog } from '../log/StreamChangeLog.js';
import type { Barriers } from './Barriers.js';
import type { Losses } from './Losses.js';
import type { NodeObservers } from './NodeObservers.js';
import type { Peers } from './Peers.js';
import type { Questions } from './Questions.js';
import type { SendQueue } from './SendQueue.js';

/** Dependencies of `Departures`. */
export interface DeparturesParts {
  readonly nodeId: string;
  readonly logger: Logger;
  readonly queue: SendQueue;
  readonly peers: Peers;
  readonly barriers: Barriers;
  readonly questions: Questions;
  readonly observers: NodeObservers;
  readonly losses: Losses;
  readonly log: () => StreamChangeLog | undefined;
}

/** What follows when a node stops or is declared dead, this one included. */
export class Departures {
  private isRejoining = false;

  constructor(private readonly parts: DeparturesParts) {}

  /** This node declares another one dead. */
  declare(id: string): void {
    this.parts.queue.push('~dead', id, '');
    this.remove(id, 'died');
  }

  /** Another node has declared one dead. This node rejoins if it is the one. */
  declared(id: string): void {
    const { nodeId, queue, observers, losses } = this.parts;
    if (id !== nodeId) return this.remove(id, 'died');
    if (this.isRejoining) return;
    this.isRejoining = true;
    queue.push('~hello', '', '');
    observers.wanted();
    losses.report('this node was silent for too long: others declared it dead');
  }

  /** The announcement of this node has come back. */
  rejoined(): void {
    this.isRejoining = false;
  }

  remove(id: string, how: 'stopped' | 'died'): void {
    const { peers, barriers, questions, logger, observers } = this.parts;
    const isUnconfirmed = peers.find(id)?.isUnconfirmed === true;
    if (!peers.drop(id)) return;
    barriers.forget(id);
    questions.forget(id);
    this.parts.log()?.left(id, how);
    // A node that never sent a message had no state.
    if (isUnconfirmed) return;
    logger.warn({ node: id, how }, 'another node is gone');
    observers.left(id, how);
  }
}
