import { describe, expect, it } from 'vitest';
import { ChannelTable, type ChannelListener } from './ChannelTable.js';

class Message {
  constructor(
    readonly text: string,
    readonly length = 1,
  ) {}
}

class Recorder implements ChannelListener<Message> {
  readonly heard: string[] = [];
  isBehind = false;

  constructor(
    readonly id: string,
    private readonly log: string[] = [],
  ) {}

  send({ text }: Message): void {
    this.heard.push(text);
    this.log.push(`${this.id}:${text}`);
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

function openTable(listenerCount: number, log?: string[]) {
  const table = new ChannelTable<Message>();
  const listeners = upTo(listenerCount).map((n) => new Recorder(`l${n}`, log));
  for (const listener of listeners) table.join(listener, 'c');
  return { table, listeners };
}

describe('ChannelTable', () => {
  it('delivers to a few listeners at once, and to no other', () => {
    const { table, listeners } = openTable(3);
    const other = new Recorder('other');
    table.join(other, 'd');
    table.publish('c', new Message('1'));
    table.publish('c', new Message('2'), 'l1');
    table.publish('nobody', new Message('3'));
    expect(listeners.map(({ heard }) => heard)).toEqual([['1', '2'], ['1'], ['1', '2']]);
    expect(other.heard).toEqual([]);
  });

  it('delivers to many listeners in turns of the event loop', async () => {
    const { table, listeners } = openTable(1_000);
    table.publish('c', new Message('1'));
    const served = () => listeners.filter(({ heard }) => heard.length > 0).length;
    expect(served()).toBe(256);
    await turn();
    expect(served()).toBe(512);
    for (let turns = 0; turns < 4; turns++) await turn();
    expect(served()).toBe(1_000);
  });

  it('keeps the order of everything published and sent to a listener, across channels', async () => {
    const { table, listeners } = openTable(700);
    for (const listener of listeners) table.join(listener, 'd');
    const last = listeners.at(-1) as Recorder;
    table.publish('c', new Message('1'));
    table.publish('d', new Message('2'));
    table.notify(last, new Message('3'));
    table.publish('c', new Message('4'));
    expect(last.heard).toEqual([]);
    for (let turns = 0; turns < 12; turns++) await turn();
    expect(last.heard).toEqual(['1', '2', '3', '4']);
    expect(listeners[0]?.heard).toEqual(['1', '2', '4']);
  });

  it('delivers messages that wait on one channel together, listener by listener', async () => {
    const log: string[] = [];
    const { table } = openTable(300, log);
    table.publish('c', new Message('0'));
    for (const text of ['1', '2', '3']) table.publish('c', new Message(text));
    for (let turns = 0; turns < 4; turns++) await turn();
    const second = log.indexOf('l0:1');
    expect(log.slice(second, second + 4)).toEqual(['l0:1', 'l0:2', 'l0:3', 'l1:1']);
    expect(log).toHaveLength(1_200);
  });

  it('a megabyte per turn: what is published in one go does not go out in one go', async () => {
    const { table, listeners } = openTable(1);
    for (const n of upTo(10)) table.publish('c', new Message(String(n), 500_000));
    const [listener] = listeners as [Recorder];
    expect(listener.heard.length).toBeLessThan(5);
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(listener.heard).toEqual(upTo(10).map(String));
  });

  it('waits for a listener that is behind, until it has caught up', async () => {
    const { table, listeners } = openTable(2);
    const [listener] = listeners as [Recorder];
    listener.isBehind = true;
    for (const n of upTo(4)) table.publish('c', new Message(String(n), 1_000_000));
    await turn();
    await turn();
    expect(listener.heard).not.toContain('3');
    listener.isBehind = false;
    await expect.poll(() => listener.heard).toEqual(['0', '1', '2', '3']);
  });

  it('a listener that stays behind does not hold back the others', async () => {
    const { table, listeners } = openTable(2);
    const [slow, other] = listeners as [Recorder, Recorder];
    slow.isBehind = true;
    for (const n of upTo(80)) table.publish('c', new Message(String(n), 800_000));
    await expect.poll(() => other.heard.length, { timeout: 10_000 }).toBe(80);
  });

  it('a listener that leaves receives nothing that waits, one that joins nothing published before', async () => {
    const { table, listeners } = openTable(600);
    const [late, gone] = [new Recorder('late'), listeners.at(-1) as Recorder];
    table.publish('c', new Message('1'));
    table.publish('c', new Message('2'));
    table.leave(gone, 'c');
    table.join(late, 'c');
    table.publish('c', new Message('3'));
    for (let turns = 0; turns < 10; turns++) await turn();
    expect(gone.heard).toEqual([]);
    expect(late.heard).toEqual(['3']);
    expect(listeners[0]?.heard).toEqual(['1', '2', '3']);
  });

  it('forgets a channel with its last listener, and a listener with all its channels', () => {
    const { table, listeners } = openTable(2);
    const [one, two] = listeners as [Recorder, Recorder];
    table.join(one, 'd');
    table.leaveAll(one);
    table.leaveAll(one);
    expect([table.hasListeners('c'), table.hasListeners('d')]).toEqual([true, false]);
    table.leave(two, 'c');
    table.leave(two, 'c');
    expect(table.hasListeners('c')).toBe(false);
  });

  it('a line that has grown too long is delivered at once', () => {
    const { table, listeners } = openTable(300);
    for (const n of upTo(200)) table.publish('c', new Message(String(n), 900_000));
    expect(listeners.at(-1)?.heard.length).toBeGreaterThan(60);
    table.flush();
    expect(listeners.at(-1)?.heard).toEqual(upTo(200).map(String));
  });
});
