import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CollectionName, StorageEngine } from '@millrace/kernel';
import { parseSearch, QueryError } from '@millrace/query';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { discard, startEngine, testConfig } from '../storage/openElasticsearch.js';
import type { Answer, RequestBody } from './Answer.js';
import { rawSearch } from './rawSearch.js';

/** The two engines, and the server underneath one of them. */
export class Sides {
  private constructor(
    readonly embedded: StorageEngine,
    readonly distributed: StorageEngine,
    private readonly config: ElasticsearchConfig,
    private readonly dataDir: string,
  ) {}

  /** @param node address of the server */
  static async open(node: string): Promise<Sides> {
    // A machine that is busy otherwise is no difference.
    const config = testConfig({
      node,
      requestTimeoutMs: 120_000,
      costlySearchTimeoutMs: 30_000,
    });
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-differential-'));
    const embedded = createSqliteEngine({ dataDir });
    await embedded.start();
    return new Sides(embedded, await startEngine(config), config, dataDir);
  }

  get both(): readonly [StorageEngine, StorageEngine] {
    return [this.embedded, this.distributed];
  }

  async close(): Promise<void> {
    await this.embedded.stop();
    await rm(this.dataDir, { recursive: true, force: true });
    await discard(this.distributed, this.config);
  }

  /** The answer of one engine; a refusal of the parser, which they share, is one. */
  async ask(
    name: CollectionName,
    body: RequestBody,
    side: 'embedded' | 'distributed',
  ): Promise<Answer> {
    try {
      const request = parseSearch(body);
      const outcome = await untilHeard(() => this[side].search(name, request));
      return { isRefused: false, outcome };
    } catch (error) {
      if (error instanceof QueryError)
        return { isRefused: true, error: `query.${error.kind}`, reason: error.message };
      const { id, message } = error as { id?: string; message?: string };
      return { isRefused: true, error: id ?? 'not a registered error', reason: String(message) };
    }
  }

  askRaw({ index, collection }: CollectionName, body: RequestBody): Promise<Answer> {
    return rawSearch(`${this.config.node}/${this.config.prefix}~${index}~.${collection}`, body);
  }
}

const MAX_ASKINGS = 4;

/** A busy server closes idle connections, at times just when they are used again, and several at once. */
async function untilHeard<T>(ask: () => Promise<T>): Promise<T> {
  for (let askings = 1; ; askings += 1) {
    try {
      return await ask();
    } catch (error) {
      const isLost = /can't be reached \(other side closed/.test(String((error as Error).message));
      if (!isLost || askings === MAX_ASKINGS) throw error;
    }
  }
}
