import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CollectionName, StorageEngine } from '@millrace/kernel';
import { parseSearch, QueryError } from '@millrace/query';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import type { ElasticsearchConfig } from '@millrace/storage-elasticsearch';
import { discard, startEngine, testConfig } from '../storage/openElasticsearch.js';
import type { Answer, Answers, RequestBody } from './Answer.js';

/** The two storage engines under comparison. */
export class Engines {
  private constructor(
    readonly embedded: StorageEngine,
    readonly elasticsearch: StorageEngine,
    private readonly config: ElasticsearchConfig,
    private readonly dataDir: string,
  ) {}

  /** @param node address of Elasticsearch */
  static async open(node: string): Promise<Engines> {
    // Generous limits: a busy machine is not a difference.
    const config = testConfig({ node, requestTimeoutMs: 120_000, costlySearchTimeoutMs: 30_000 });
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-differential-'));
    const embedded = createSqliteEngine({ dataDir });
    await embedded.start();
    return new Engines(embedded, await startEngine(config), config, dataDir);
  }

  get both(): readonly [StorageEngine, StorageEngine] {
    return [this.embedded, this.elasticsearch];
  }

  async close(): Promise<void> {
    await this.embedded.stop();
    await rm(this.dataDir, { recursive: true, force: true });
    await discard(this.elasticsearch, this.config);
  }

  async ask(name: CollectionName, body: RequestBody): Promise<Answers> {
    const [embedded, elasticsearch] = await Promise.all([
      answerOf(this.embedded, name, body),
      answerOf(this.elasticsearch, name, body),
    ]);
    return { embedded, elasticsearch };
  }
}

const MAX_ATTEMPTS = 4;

/** A refusal by the parser, which the engines share, counts as one of the engine. */
async function answerOf(engine: StorageEngine, name: CollectionName, body: RequestBody): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { isRefused: false, outcome: await engine.search(name, parseSearch(body)) };
    } catch (error) {
      if (error instanceof QueryError) return { isRefused: true, error: `query.${error.kind}`, reason: error.message };
      const { id, message } = error as { id?: string; message?: string };
      // A busy Elasticsearch closes idle connections, sometimes just as they are used again.
      const isLost = /can't be reached \(other side closed/.test(String(message));
      if (!isLost || attempt === MAX_ATTEMPTS)
        return { isRefused: true, error: id ?? 'not a registered error', reason: String(message) };
    }
  }
}
