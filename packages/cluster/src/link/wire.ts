/*
 * Entries of the stream: `n` and the sender, then for each message `<number> <topic> <key>` and its body. Texts as they
 * are: nothing is encoded twice, and who isn't concerned parses nothing. What comes from Redis is believed in nothing but
 * its form, and that is checked.
 */

/** A message between nodes. */
export interface NodeMessage {
  /** Counted by its sender from 1. */
  readonly number: number;
  readonly topic: string;
  readonly key: string;
  readonly body: string;
}

/** What one node put into the stream at once. */
export interface NodeEntry {
  readonly from: string;
  readonly messages: readonly NodeMessage[];
}

const NODE_ID = /^[a-z0-9]{8,40}$/;
const HEAD = /^(\d{1,15}) ([a-zA-Z.~]{1,64}) /;

/** Fields of an entry. */
export function encodeEntry(from: string, messages: readonly NodeMessage[]): string[] {
  const fields = ['n', from];
  for (const { number, topic, key, body } of messages) fields.push(`${number} ${topic} ${key}`, body);
  return fields;
} // prettier-ignore

/** @returns undefined for what has not the form of an entry */
export function decodeEntry(fields: readonly string[]): NodeEntry | undefined {
  const [name, from = ''] = fields;
  if (name !== 'n' || !NODE_ID.test(from) || fields.length % 2 !== 0) return undefined;
  const messages: NodeMessage[] = [];
  for (let at = 2; at < fields.length; at += 2) {
    const head = fields[at] as string;
    const match = HEAD.exec(head);
    if (match === null) return undefined;
    const [whole, number = '', topic = ''] = match;
    const key = head.slice(whole.length);
    messages.push({ number: Number(number), topic, key, body: fields[at + 1] as string });
  }
  return { from, messages };
}
