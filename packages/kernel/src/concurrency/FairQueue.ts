import { Queue } from './Queue.js';

/*
 * Waiting work in fair order: addresses take turns, within an address its users, within a user its connections; the
 * work of one connection keeps its order. So many connections or users behind one address get the turn of that address
 * and no more. Each level is a Map whose first key is next; a member that is served moves to the end.
 */

/** The owner of a piece of work; the leftmost key takes precedence. */
export type TurnKeys = readonly [address: string, user: string, connection: string];

interface Level<T> {
  readonly members: Map<string, Level<T> | Queue<T>>;
}

/** A queue that serves its clients in turn. */
export class FairQueue<T> {
  private readonly root: Level<T> = { members: new Map() };
  private count = 0;

  get size(): number {
    return this.count;
  }

  push(keys: TurnKeys, item: T): void {
    let level = this.root;
    for (const key of keys.slice(0, -1)) {
      let next = level.members.get(key) as Level<T> | undefined;
      if (next === undefined) {
        next = { members: new Map() };
        level.members.set(key, next);
      }
      level = next;
    }
    const last = keys[keys.length - 1] as string;
    let items = level.members.get(last) as Queue<T> | undefined;
    if (items === undefined) {
      items = new Queue();
      level.members.set(last, items);
    }
    items.push(item);
    this.count++;
  }

  /**
   * The next item; undefined if none waits.
   * @param mayServe absent: all addresses may be served; the others keep their turn
   */
  take(mayServe?: (address: string) => boolean): T | undefined {
    const item = this.count === 0 ? undefined : takeTurn(this.root, mayServe);
    if (item !== undefined) this.count--;
    return item;
  }

  /** Removes all waiting work of one connection and returns it in order. */
  removeConnection(keys: TurnKeys): readonly T[] {
    const [address, user, connection] = keys;
    const users = this.root.members.get(address) as Level<T> | undefined;
    const connections = users?.members.get(user) as Level<T> | undefined;
    const items = connections?.members.get(connection) as Queue<T> | undefined;
    if (items === undefined) return [];
    connections?.members.delete(connection);
    if (connections?.members.size === 0) users?.members.delete(user);
    if (users?.members.size === 0) this.root.members.delete(address);
    this.count -= items.size;
    return [...items];
  }
}

function takeTurn<T>({ members }: Level<T>, mayServe?: (address: string) => boolean): T | undefined {
  for (const [key, member] of members) {
    if (mayServe?.(key) === false) continue;
    members.delete(key);
    if (member instanceof Queue) {
      const item = member.take();
      if (member.size > 0) members.set(key, member);
      return item;
    }
    const item = takeTurn(member);
    if (member.members.size > 0) members.set(key, member);
    return item;
  }
  return undefined;
}
