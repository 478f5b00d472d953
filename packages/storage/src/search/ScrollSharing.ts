/*
 * Scrolls on several nodes: each stays on the node where it was opened, and its ids name that node. Other nodes request
 * pages there. The node that receives the request authorises the user.
 */
import {
  clusterErrors,
  isJsonObject,
  malformedMessage,
  MAX_RESULT_BYTES,
  isError,
  MillraceError,
  NODE_LINK,
  queryErrors,
  readNodeMessage,
  type JsonObject,
  type Lifecycle,
  type MaybePromise,
  type NodeLink,
  type SearchOptions,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ScrollTable, type ScrollPage, type ScrollPlace } from './ScrollTable.js';

const PLACE = 'storage.scroll.place';
const NEXT = 'storage.scroll.next';

/** Finds scrolls on any node. */
@scoped(Scope.ContainerScoped)
export class ScrollSharing implements Lifecycle {
  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(ScrollTable) private readonly scrolls: ScrollTable,
  ) {}

  /** Runs before the link starts. */
  async start(): Promise<void> {
    const { link, scrolls } = this;
    link.answer(PLACE, async (body) => {
      const { scrollId, owner } = readQuestion(body);
      return answer(() => ({ ...scrolls.placeOf(scrollId, owner) }));
    });
    link.answer(NEXT, async (body) => {
      const { scrollId, owner, spanMs } = readQuestion(body);
      return answer(async () => ({ ...(await scrolls.next(scrollId, owner, spanMs)) }));
    });
  }

  async stop(): Promise<void> {}

  /** The collection of a scroll. @throws query.scroll_not_found (404) for an unknown, foreign or expired id */
  placeOf(scrollId: string, owner: string): MaybePromise<ScrollPlace> {
    const nodeId = this.elsewhere(scrollId);
    if (nodeId === undefined) return this.scrolls.placeOf(scrollId, owner);
    return this.ask(nodeId, PLACE, { scrollId, owner }).then((answered) => {
      const { index, collection, body, rightKey } = answered;
      if (typeof index === 'string' && typeof collection === 'string') {
        return {
          index,
          collection,
          body: isJsonObject(body) ? body : null,
          rightKey: typeof rightKey === 'string' ? rightKey : null,
        };
      }
      throw clusterErrors.unreachable({ nodeId });
    });
  }

  /** See `ScrollTable.next`. A page of another node can't be cancelled. */
  async next(scrollId: string, owner: string, spanMs?: number, options?: SearchOptions): Promise<ScrollPage> {
    const nodeId = this.elsewhere(scrollId);
    if (nodeId === undefined) return this.scrolls.next(scrollId, owner, spanMs, options);
    const page = await this.ask(nodeId, NEXT, { scrollId, owner, spanMs: spanMs ?? null });
    // The same method on the other node built it.
    return page as unknown as ScrollPage;
  }

  /** The other node that has the scroll; undefined: this node, or none. */
  private elsewhere(scrollId: string): string | undefined {
    const { isClustered, nodeId } = this.link;
    const at = scrollId.indexOf('.');
    if (!isClustered || at < 0) return undefined;
    const where = scrollId.slice(at + 1);
    return where === nodeId ? undefined : where;
  }

  private async ask(nodeId: string, topic: string, question: JsonObject): Promise<JsonObject> {
    let answered: JsonObject;
    try {
      answered = readNodeMessage(await this.link.ask(nodeId, topic, JSON.stringify(question)));
    } catch (error) {
      // The scroll was lost with its node, or never existed.
      const isGone = isError(error, clusterErrors.unreachable);
      throw isGone ? queryErrors.scroll_not_found({}, { cause: error }) : error;
    }
    const { value, isMissing, isTooLarge } = answered;
    if (isTooLarge === true) throw queryErrors.result_too_large({ maxBytes: MAX_RESULT_BYTES });
    if (isMissing === true || !isJsonObject(value)) throw queryErrors.scroll_not_found({});
    return value;
  }
}

/** The answer to a question: two errors are transferred as such, of others only the message. */
async function answer(find: () => MaybePromise<object>): Promise<string> {
  try {
    return JSON.stringify({ value: await find() });
  } catch (error) {
    const id = error instanceof MillraceError ? error.id : undefined;
    if (id === queryErrors.scroll_not_found.id) return JSON.stringify({ isMissing: true });
    if (id === queryErrors.result_too_large.id) return JSON.stringify({ isTooLarge: true });
    throw error;
  }
}

function readQuestion(body: string) {
  const { scrollId, owner, spanMs } = readNodeMessage(body);
  if (typeof scrollId !== 'string' || typeof owner !== 'string') throw malformedMessage('a question');
  return { scrollId, owner, spanMs: typeof spanMs === 'number' ? spanMs : undefined };
}
