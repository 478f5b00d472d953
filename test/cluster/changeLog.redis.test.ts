import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

describe.skipIf(!hasRedis())('the change log of a cluster', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let c: Node;

  const create = (node: Node, _id: string, colour = 'red', at: JsonObject = AT) =>
    node.result({ controller: 'document', action: 'create', ...at, _id, body: { colour } });
  const update = (node: Node, _id: string, colour: string) =>
    node.result({ controller: 'document', action: 'update', ...AT, _id, body: { colour } });

  beforeAll(async () => {
    cluster = await openNodes(3);
    [a, b, c] = cluster.nodes as [Node, Node, Node];
    await a.result({ controller: 'collection', action: 'create', ...AT });
  });
  afterAll(() => cluster.close());

  it('resumes on another node, with the changes of all nodes in one order (RESUME-10, LOG-2)', async () => {
    const first = await subscribe(a);
    expect(first.answer).toMatchObject({ resumed: false });
    expect(first.answer.cursor).toMatch(/^[0-9a-z]{8}\.[0-9a-z]{16}$/);
    const witness = await subscribe(c);
    for (const [n, node] of [a, b, c].entries()) await create(node, `seen-${n}`);
    await eventually(first.lines, ({ length }) => length === 3);
    const last = first.lines().at(-1)?.cursor ?? '';
    first.client.close();
    await Promise.all([a, b, c].map((node, n) => create(node, `missed-${n}`)));
    await update(b, 'seen-0', 'blue');
    await a.result({ controller: 'document', action: 'delete', ...AT, _id: 'seen-1' });

    const again = await subscribe(b, { cursor: last });
    expect(again.answer).toMatchObject({ resumed: true });
    await eventually(again.lines, (all) => all.some(({ line }) => line === 'resumed'));
    await create(c, 'live');
    await eventually(again.lines, (all) => all.some(({ line }) => line === 'create in live'));
    await eventually(witness.lines, (all) => all.some(({ line }) => line === 'create in live'));
    const expected = witness.lines().filter(({ cursor }) => cursor > last);
    const plain = again.lines().map(({ line, cursor }) => ({ line: line.replace(' replayed', ''), cursor }));
    expect(plain.filter(({ line }) => line !== 'resumed')).toEqual(expected);
    expect(expected.map(({ line }) => line)).toContain('update out seen-0');
    const cursors = witness.lines().map(({ cursor }) => cursor);
    expect(cursors).toEqual([...cursors].sort());
  });

  it('refuses malformed cursors and those from the future, and tells of another epoch (LOG-3)', async () => {
    const { answer } = await subscribe(a);
    const [epoch = '', seq = ''] = answer.cursor.split('.');
    for (const cursor of ['nonsense', `${epoch}.1`, `${epoch}.zzz${seq.slice(3)}`]) {
      expect((await subscribe(b, { cursor })).error).toMatchObject({ id: 'realtime.invalid_cursor' });
    }
    // The second one is of the embedded engine.
    for (const cursor of [`00000000.${seq}`, '00000000.0000000002s']) {
      const other = await subscribe(b, { cursor });
      expect(other.answer).toMatchObject({ resumed: false, gap: { reason: 'epoch_changed' } });
    }
  });

  it('refuses a cursor that no node has given out yet, and no other resume with it (RESUME-3, RESUME-16)', async () => {
    const { client, answer } = await subscribe(a);
    const [epoch = '', place = ''] = answer.cursor.split('.');
    // Half a minute later: another node might have read so much more.
    const ms = (Number.parseInt(place.slice(0, 9), 36) + 30_000).toString(36).padStart(9, '0');
    const late = `${epoch}.${ms}0000000`;
    const old = `${epoch}.${'0'.repeat(16)}`;
    const items = [late, answer.cursor, old, answer.cursor, late];
    const subscriptions = items.map((cursor, n) => ({ ...AT, cursor, filter: { equals: { n } } }));
    const { result } = await client.request({ controller: 'realtime', action: 'resume', body: { subscriptions } });
    const resumed = (isResumed: boolean) => ({ status: 200, result: { resumed: isResumed } });
    const refused = { status: 400, error: { id: 'realtime.invalid_cursor' } };
    const expected = [refused, resumed(true), resumed(false), resumed(true), refused];
    expect(result).toMatchObject({ subscriptions: expected });
  });

  it('records collections from the first subscription on any node, silent writes too (LOG-4, RESUME-13)', async () => {
    const at = { index: 'shop', collection: 'late' };
    const { answer: early } = await subscribe(a);
    await create(b, 'before', 'red', at);
    expect((await subscribe(c, { cursor: early.cursor }, at)).answer.gap?.reason).toBe('not_recorded');
    const { answer, client } = await subscribe(b, { mode: 'auto' }, at);
    client.close();
    await create(a, 'after', 'red', at);
    await a.result({
      controller: 'document',
      action: 'create',
      ...at,
      _id: 'silent',
      body: { colour: 'red' },
      silent: true,
    });
    const events = await subscribe(c, { cursor: answer.cursor, mode: 'events' }, at);
    await eventually(events.lines, (all) => all.some(({ line }) => line === 'resumed'));
    expect(events.lines().map(({ line }) => line)).toEqual(['create in after replayed', 'resumed']);
    const state = await subscribe(c, { cursor: answer.cursor, mode: 'state' }, at);
    await eventually(state.lines, (all) => all.some(({ line }) => line === 'resumed'));
    expect(state.lines().map(({ line }) => line)).toEqual([
      'create in after replayed', 'create in silent replayed', 'resumed',
    ]); // prettier-ignore
  });

  it('records a truncate as one entry (LOG-5), and removes changes for good (LOG-10)', async () => {
    const at = { index: 'shop', collection: 'wiped' };
    const { answer } = await subscribe(a, { mode: 'auto' }, at);
    await create(a, 'x', 'red', at);
    const silent = { silent: true };
    await b.result({ controller: 'collection', action: 'truncate', ...at, ...silent });
    expect((await subscribe(c, { cursor: answer.cursor }, at)).answer.gap?.reason).toBe('wiped');
    const { answer: later } = await subscribe(c, { mode: 'auto' }, at);
    await create(b, 'y', 'red', at);
    await b.result({ controller: 'collection', action: 'eraseHistory', ...at });
    expect((await subscribe(a, { cursor: later.cursor }, at)).answer.gap?.reason).toBe('expired');
  });

  it('notifies of a removal at once in the order of the log, on every node (LOG-5, LOG-6)', async () => {
    const at = { index: 'shop', collection: 'emptied' };
    await create(a, 'first', 'red', at);
    const witnesses = [
      await subscribe(a, undefined, at),
      await subscribe(b, undefined, at),
      await subscribe(c, undefined, at),
    ];
    // A document appears when the others have been removed one by one.
    cluster.afterWrite = async (operations) => {
      if (!operations.some(({ kind }) => kind === 'delete')) return;
      cluster.afterWrite = undefined;
      await create(b, 'between', 'red', at);
    };
    await a.result({ controller: 'collection', action: 'truncate', ...at });
    await create(c, 'after', 'red', at);
    for (const witness of witnesses) {
      const lines = () => witness.lines().map(({ line }) => line);
      await eventually(lines, (all) => all.includes('create in after'));
      expect(lines()).toEqual(['create in between', 'delete out first', 'gap wiped', 'create in after']);
    }
  });

  it('begins a subscription after the deletion of its index that has begun, on every node (RESUME-2)', async () => {
    const doomed = (collection: string) => ({ index: 'doomed', collection });
    await create(a, 'first', 'red', doomed('known'));
    await create(a, 'second', 'red', doomed('unknown'));
    const known = await subscribe(a, undefined, doomed('known'));
    let release: () => void = () => undefined;
    const isReached = new Promise<void>((resolve) => {
      cluster.beforeDeletion = () => {
        resolve();
        return new Promise<void>((done) => (release = done));
      };
    });
    const deleted = a.result({ controller: 'index', action: 'delete', index: 'doomed' });
    await isReached;
    let isReleased = false;
    const begin = async (node: Node) => {
      await subscribe(node, undefined, doomed('unknown'));
      return isReleased;
    };
    const begun = [begin(a), begin(b)];
    // Time for answers that don't wait.
    await new Promise((resolve) => setTimeout(resolve, 500));
    isReleased = true;
    release();
    await deleted;
    expect(await Promise.all(begun)).toEqual([true, true]);
    const lines = () => known.lines().map(({ line }) => line);
    await eventually(lines, (all) => all.includes('delete out first'));
  });

  it('records writes over HTTP, whose origin is a whole request (LOG-11)', async () => {
    const witness = await subscribe(b);
    const send = async (method: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${a.url}/shop/things${path}`, { method, headers, body: JSON.stringify(body) });
      return ((await response.json()) as { status: number }).status;
    };
    expect(await send('POST', '/over-http/_create', { colour: 'red' })).toBe(200);
    const documents = [{ _id: 'many-over-http', body: { colour: 'red' } }];
    expect(await send('PUT', '/_mCreateOrReplace', { documents })).toBe(200);
    const lines = () => witness.lines().map(({ line }) => line);
    await eventually(lines, (all) => all.includes('create in many-over-http'));
    expect(lines()).toEqual(['create in over-http', 'create in many-over-http']);
  });

  it('removes all documents at once when no other node writes to the collection (LOG-5)', async () => {
    const at = { index: 'shop', collection: 'turns' };
    const { answer } = await subscribe(a, { mode: 'auto' }, at);
    const remove = () => a.result({ controller: 'collection', action: 'truncate', ...at, silent: true });
    let removed: Promise<unknown> = Promise.resolve();
    let isRemoved = false;
    cluster.afterWrite = async () => {
      cluster.afterWrite = undefined;
      removed = remove().then(() => (isRemoved = true));
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(isRemoved).toBe(false);
    };
    await create(b, 'slow', 'red', at);
    await removed;
    // The removal is recorded after the document that it removed.
    const log = { ...at, cursor: answer.cursor, mode: 'events' };
    expect((await subscribe(c, log, at)).answer.gap?.reason).toBe('wiped');
    const later = await subscribe(c, { mode: 'auto' }, at);
    expect((await subscribe(b, { cursor: later.answer.cursor }, at)).answer.resumed).toBe(true);
    expect(await c.result({ controller: 'document', action: 'count', ...at, body: {} })).toEqual({ count: 0 });
  });

  it('keeps the order of versions where all nodes write one document', async () => {
    const witnesses = [await subscribe(a), await subscribe(b), await subscribe(c)];
    await create(a, 'hot');
    const rounds = 20;
    const write = async (node: Node, n: number) => {
      for (let i = 0; i < rounds; i++)
        await node.result({
          controller: 'document',
          action: 'createOrReplace',
          ...AT,
          _id: 'hot',
          body: { colour: 'red', n, i },
        });
    };
    await Promise.all([a, b, c].map(write));
    for (const { client } of witnesses) {
      const versions = () =>
        client.received.flatMap(({ message }) => {
          const { _id: id, _version: version } = message.result ?? {};
          return id === 'hot' ? [version as number] : [];
        });
      await eventually(versions, ({ length }) => length === 3 * rounds + 1);
      expect(versions()).toEqual(Array.from({ length: 3 * rounds + 1 }, (_, n) => n + 1));
    }
  });
});

describe.skipIf(!hasRedis())('the bounds of the change log of a cluster', () => {
  it('are 10,000 collections of a node without subscriptions, invented by one address (LOG-4)', async () => {
    const cluster = await openNodes(2);
    try {
      const [a, b] = cluster.nodes as [Node, Node];
      const poll = (node: Node, collection: string, cursor?: string) =>
        node.ask({
          controller: 'realtime',
          action: 'changes',
          index: 'shop',
          collection,
          ...(cursor !== undefined && { cursor }),
        });
      const first = await poll(a, 'invented');
      const { cursor } = first.result as { readonly cursor: string };
      expect((await poll(b, 'invented', cursor)).error).toBeNull();
      await poll(a, 'invented', cursor);
      for (let n = 0; n < 10_500; n += 250) {
        const polls = Array.from({ length: 250 }, (_, at) => poll(a, `invented${n + at}`));
        for (const { error } of await Promise.all(polls)) expect(error).toBeNull();
      }
      const gapOf = async () => (await poll(b, 'invented', cursor)).error?.details;
      await eventually(gapOf, (details) => JSON.stringify(details)?.includes('not_recorded') === true);
      const last = await poll(b, 'invented10499');
      const { cursor: lastCursor } = last.result as { readonly cursor: string };
      expect((await poll(a, 'invented10499', lastCursor)).error).toBeNull();
    } finally {
      await cluster.close();
    }
  }, 120_000);

  it('are age and the end of subscriptions; a collection without changes stays readable (LOG-4, LOG-14)', async () => {
    const history = { maxAgeMs: 1_000 };
    const cluster = await openNodes(2, { deadAfterMs: 1_000 }, [], { history });
    try {
      const [a, b] = cluster.nodes as [Node, Node];
      const quietly = { index: 'shop', collection: 'quiet' };
      for (const at of [AT, quietly]) await a.result({ controller: 'collection', action: 'create', ...at });
      const first = await subscribe(a);
      const quiet = await subscribe(a, { mode: 'auto' }, quietly);
      await b.result({ controller: 'document', action: 'create', ...AT, _id: 'x', body: { colour: 'red' } });
      const gapOf = async (cursor: string) => {
        const again = await subscribe(b, { cursor });
        again.client.close();
        return again.answer.gap?.reason;
      };
      await eventually(
        () => gapOf(first.answer.cursor),
        (reason) => reason === 'expired',
      );
      const again = await subscribe(b, { cursor: quiet.answer.cursor }, quietly);
      expect(again.answer).toMatchObject({ resumed: true });
      for (const { client } of [first, quiet, again]) client.close();
      await eventually(
        async () => {
          const late = await subscribe(b, { cursor: first.answer.cursor });
          late.client.close();
          await new Promise((resolve) => setTimeout(resolve, 3_000));
          return late.answer.gap?.reason;
        },
        (reason) => reason === 'not_recorded',
      );
    } finally {
      await cluster.close();
    }
  });
});
