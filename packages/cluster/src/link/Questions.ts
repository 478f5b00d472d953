import { clusterErrors, type QuestionHandler } from '@millrace/kernel';

const ANSWER_WITHIN_MS = 5_000;
/** Longest answer; a larger one is refused, because it would fill the queue. */
const MAX_ANSWER_LENGTH = 8 * 2 ** 20;

interface Asked {
  readonly nodeId: string;
  readonly resolve: (body: string) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Topics of questions and answers. Key: the recipient, the number of the question, and the topic or the outcome. */
export const ASK = '~ask';
export const ANSWER = '~answer';

/** Questions between nodes, sent as messages that every node can read. */
export class Questions {
  private readonly asked = new Map<string, Asked>();
  private readonly handlers = new Map<string, QuestionHandler>();
  private count = 0;

  constructor(
    private readonly nodeId: string,
    private readonly send: (topic: string, key: string, body: string) => void,
  ) {}

  answer(topic: string, handle: QuestionHandler): void {
    this.handlers.set(topic, handle);
  }

  /** @throws cluster.unreachable, cluster.refused */
  ask(nodeId: string, topic: string, body: string): Promise<string> {
    const id = String(++this.count);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail(id), ANSWER_WITHIN_MS).unref();
      this.asked.set(id, { nodeId, resolve, reject, timer });
      this.send(ASK, `${nodeId} ${id} ${topic}`, body);
    });
  }

  /** Rejects the open questions to a node that is gone. */
  forget(nodeId: string): void {
    for (const [id, asked] of this.asked) if (asked.nodeId === nodeId) this.fail(id);
  }

  close(): void {
    for (const id of [...this.asked.keys()]) this.fail(id);
  }

  /** @returns false if the key is malformed */
  takeQuestion(key: string, body: string, from: string): boolean {
    const [to, id, topic] = key.split(' ');
    if (to === undefined || id === undefined || topic === undefined) return false;
    if (to !== this.nodeId) return true;
    const handle = this.handlers.get(topic);
    if (handle === undefined) {
      this.send(ANSWER, `${from} ${id} refused`, 'no handler for this question');
      return true;
    }
    void this.respond(handle, { id, body, from });
    return true;
  }

  /** @returns false if the key is malformed */
  takeAnswer(key: string, body: string, from: string): boolean {
    const [to, id, outcome] = key.split(' ');
    if (to === undefined || id === undefined || outcome === undefined) return false;
    if (to !== this.nodeId) return true;
    const asked = this.asked.get(id);
    // Too late, or from a node that wasn't asked.
    if (asked === undefined || asked.nodeId !== from) return true;
    this.asked.delete(id);
    clearTimeout(asked.timer);
    if (outcome === 'ok') asked.resolve(body);
    else asked.reject(clusterErrors.refused({ reason: body.slice(0, 1_000) }));
    return true;
  }

  private async respond(
    handle: QuestionHandler,
    { id, body, from }: { readonly id: string; readonly body: string; readonly from: string },
  ): Promise<void> {
    try {
      const answer = await handle(body, from);
      if (answer.length > MAX_ANSWER_LENGTH) throw new Error('The answer is too large: ask for less at a time');
      this.send(ANSWER, `${from} ${id} ok`, answer);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it failed';
      this.send(ANSWER, `${from} ${id} refused`, reason);
    }
  }

  private fail(id: string): void {
    const asked = this.asked.get(id);
    if (asked === undefined) return;
    this.asked.delete(id);
    clearTimeout(asked.timer);
    asked.reject(clusterErrors.unreachable({ nodeId: asked.nodeId }));
  }
}
