import { path, type ElasticsearchClient } from '../client/ElasticsearchClient.js';

interface Running {
  readonly current: Promise<void>;
  next: Promise<void> | undefined;
}

/**
 * Makes writes visible to searches. A call during a refresh waits for the next one, which all such calls share: under
 * load a collection is refreshed once at a time, however many writes ask for it.
 */
export class SharedRefresh {
  private readonly running = new Map<string, Running>();

  constructor(private readonly elasticsearch: ElasticsearchClient) {}

  /** Resolves when searches see all earlier writes. An absent collection needs no refresh. */
  async refresh(alias: string): Promise<void> {
    const running = this.running.get(alias);
    if (running === undefined) return this.begin(alias);
    running.next ??= running.current.then(
      () => this.begin(alias),
      () => this.begin(alias),
    );
    return running.next;
  }

  private begin(alias: string): Promise<void> {
    const current = this.send(alias);
    const running: Running = { current, next: undefined };
    this.running.set(alias, running);
    const end = (): void => {
      if (running.next === undefined) this.running.delete(alias);
    };
    current.then(end, end);
    return current;
  }

  private async send(alias: string): Promise<void> {
    await this.elasticsearch.find({
      method: 'POST',
      path: `${path(alias)}/_refresh`,
      isSafe: true,
    });
  }
}
