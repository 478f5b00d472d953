import { Deliveries } from './Deliveries.mjs';
import { openClient, PROTOCOLS } from './openClient.mjs';

const INDEX = 'soak';
const COLLECTION = 'documents';
const PASSWORD = 'soak-password-1';
/** Writes go round these documents, so that the data doesn't grow. */
const DOCUMENT_COUNT = 500;

/** A modest load on every protocol, and the count of what goes wrong. */
export class SoakLoad {
  #ports;
  #jwt;
  #clients = {};
  #n = 0;
  #turn = 0;
  #timers = [];
  #running = new Set();
  deliveries = new Deliveries(PROTOCOLS);
  requests = 0;
  connections = 0;
  errors = 0;
  /** The first ones. */
  problems = [];

  constructor(ports) {
    this.#ports = ports;
  }

  async start(writesPerSecond) {
    const setup = await openClient('http', this.#ports);
    await this.#ask(setup, 'security', 'createFirstAdmin', {
      _id: 'soak',
      body: { password: PASSWORD },
    });
    this.#jwt = await this.#logIn(setup);
    await this.#ask(setup, 'collection', 'create', {
      index: INDEX,
      collection: COLLECTION,
      body: { properties: { n: { type: 'integer' }, text: { type: 'text' } } },
    });
    await this.#ask(setup, 'collection', 'create', { index: INDEX, collection: 'bulk' });
    for (const protocol of PROTOCOLS) {
      const client = await openClient(protocol, this.#ports);
      await client.subscribe(this.#filter(), (message) => this.#receive(protocol, message));
      this.#clients[protocol] = client;
    }
    this.#every(1_000 / writesPerSecond, () => this.#write());
    this.#every(500, () => this.#read());
    this.#every(2_000, () => this.#visit());
    this.#every(10_000, () => this.#import());
    this.#every(20_000, () => this.#logInAndOut());
    this.#every(1_000, async () => this.deliveries.sweep());
  }

  /** Ends the load, waits for outstanding notifications, and closes the connections. */
  async stop() {
    this.#timers.forEach(clearInterval);
    await Promise.allSettled(this.#running);
    const endMs = performance.now() + 15_000;
    while (this.deliveries.openCount > 0 && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      this.deliveries.sweep();
    }
    for (const client of Object.values(this.#clients)) await client.close();
  }

  #every(intervalMs, act) {
    const run = () => {
      const running = act().catch((error) => this.#note(`${error.message} ${error.cause ?? ''}`));
      this.#running.add(running);
      void running.finally(() => this.#running.delete(running));
    };
    this.#timers.push(setInterval(run, intervalMs));
  }

  #filter() {
    return { index: INDEX, collection: COLLECTION, jwt: this.#jwt, body: { exists: 'n' } };
  }

  #receive(protocol, message) {
    const n = message.result?._source?.n;
    if (typeof n === 'number') this.deliveries.take(protocol, n);
    else this.#note(`${protocol} received ${JSON.stringify(message).slice(0, 200)}`);
  }

  #note(problem) {
    this.errors++;
    if (this.problems.length >= 20) return;
    this.problems.push(`${new Date().toISOString()} ${problem}`);
    console.error(this.problems.at(-1));
  }

  async #ask(client, controller, action, fields = {}) {
    this.requests++;
    const { status, error, result } = await client.request({
      controller,
      action,
      jwt: this.#jwt,
      ...fields,
    });
    if (status === 200) return result;
    throw new Error(`${controller}.${action}: ${status} ${error?.id} ${error?.message}`);
  }

  #next() {
    return PROTOCOLS[this.#turn++ % PROTOCOLS.length];
  }

  async #write() {
    const n = ++this.#n;
    const fields = { index: INDEX, collection: COLLECTION, _id: `d${n % DOCUMENT_COUNT}` };
    const body = { n, text: `document ${n} of the soak`, padding: 'x'.repeat(n % 2_000) };
    this.deliveries.expect(n);
    try {
      await this.#ask(this.#clients[this.#next()], 'document', 'createOrReplace', {
        ...fields,
        body,
      });
      this.deliveries.acknowledged(n);
    } catch (error) {
      this.deliveries.failed(n);
      throw error;
    }
  }

  async #read() {
    const client = this.#clients[this.#next()];
    const target = { index: INDEX, collection: COLLECTION };
    if (this.#n >= DOCUMENT_COUNT) await this.#ask(client, 'document', 'get', { ...target, _id: `d${this.#n % 400}` });
    const body = {
      query: { match: { text: 'soak' } },
      sort: [{ n: 'desc' }],
      aggs: { most: { max: { field: 'n' } } },
    };
    await this.#ask(client, 'document', 'search', { ...target, body });
    const key = `soak-${this.#n % 100}`;
    await this.#ask(client, 'memoryStorage', 'set', { _id: key, body: { value: String(this.#n) } });
    await this.#ask(client, 'memoryStorage', 'get', { _id: key });
  }

  /** A client that comes, subscribes, and leaves. */
  async #visit() {
    const client = await openClient(this.#next(), this.#ports);
    this.connections++;
    await client.subscribe(this.#filter(), () => undefined);
    await this.#ask(client, 'server', 'now');
    await client.close();
  }

  async #import() {
    const target = { index: INDEX, collection: 'bulk' };
    const bulkData = Array.from({ length: 100 }, (_, i) => [{ index: { _id: `b${i}` } }, { n: this.#n, i }]).flat();
    await this.#ask(this.#clients.http, 'bulk', 'import', { ...target, body: { bulkData } });
  }

  async #logInAndOut() {
    const client = await openClient(this.#next(), this.#ports);
    this.connections++;
    await this.#ask(client, 'auth', 'logout', { jwt: await this.#logIn(client) });
    await client.close();
  }

  async #logIn(client) {
    const body = { username: 'soak', password: PASSWORD };
    const { jwt } = await this.#ask(client, 'auth', 'login', {
      strategy: 'local',
      expiresIn: '30d',
      jwt: undefined,
      body,
    });
    return jwt;
  }
}
