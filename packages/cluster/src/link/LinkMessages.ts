import type { StreamChangeLog } from '../log/StreamChangeLog.js';
import type { NodeMessage } from '../redis/wire.js';
import type { Barriers } from './Barriers.js';
import type { Departures } from './Departures.js';
import type { Heartbeat } from './Heartbeat.js';
import type { NodeObservers } from './NodeObservers.js';
import type { Peer } from './Peers.js';
import { ANSWER, ASK, type Questions } from './Questions.js';
import type { SendQueue } from './SendQueue.js';

/** Dependencies of `LinkMessages`. */
interface LinkMessagesParts {
  readonly nodeId: string;
  readonly queue: SendQueue;
  readonly barriers: Barriers;
  readonly questions: Questions;
  readonly observers: NodeObservers;
  readonly heartbeat: Heartbeat;
  readonly departures: Departures;
  readonly log: () => StreamChangeLog | undefined;
}

/** Takes the messages of the link itself, whose topics begin with `~`. */
export class LinkMessages {
  constructor(private readonly parts: LinkMessagesParts) {}

  /** A message of this node has come back. */
  takeOwn({ topic, key }: NodeMessage): void {
    const { heartbeat, departures } = this.parts;
    if (topic === '~beat') heartbeat.took(Number(key));
    else if (topic === '~hello') departures.rejoined();
  }

  /** @returns false if the message is malformed */
  take(peer: Peer, { topic, key, body, number }: NodeMessage): boolean {
    const { observers, queue, departures, questions } = this.parts;
    switch (topic) {
      case '~beat':
        return true;
      case '~hello':
      case '~wanted':
        this.parts.log()?.sendCovers();
        observers.wanted();
        return true;
      case '~sync':
        queue.push('~synced', `${peer.id} ${number}`, '');
        return true;
      case '~synced':
        this.acknowledge(peer, key);
        return true;
      case '~bye':
        departures.remove(peer.id, 'stopped');
        return true;
      case '~dead':
        departures.declared(key);
        return true;
      case ASK:
        return questions.takeQuestion(key, body, peer.id);
      case ANSWER:
        return questions.takeAnswer(key, body, peer.id);
      default:
        return false;
    }
  }

  private acknowledge(peer: Peer, key: string): void {
    const { nodeId, barriers } = this.parts;
    const [to, number] = key.split(' ');
    if (to !== nodeId) return;
    peer.ackedNumber = Math.max(peer.ackedNumber, Number(number));
    barriers.acknowledged(peer.id, peer.ackedNumber);
  }
}
