/*
 * Format of stream entries: `n` and the sender, then for each message `<number> <topic> <key>` and its body. Strings
 * are sent unchanged: nothing is encoded twice, and nodes that aren't concerned parse nothing. Data from Redis isn't
 * trusted: its format is validated.
 */

/** A message between nodes. */
export interface NodeMessage {
  /** Numbered by its sender, starting at 1. */
  readonly number: number;
  readonly topic: string;
  readonly key: string;
  readonly body: string;
}

/** The messages that one node appended to the stream together. */
export interface NodeEntry {
  readonly from: string;
  readonly messages: readonly NodeMessage[];
}

const NODE_ID = /^[a-z0-9]{8,40}$/;
const HEAD = /^(\d{1,15}) ([a-zA-Z.~]{1,64}) /;

/** The fields of a stream entry. */
export function encodeEntry(from: string, messages: readonly NodeMessage[]): string[] {
  const fields = ['n', from];
  for (const { number, topic, key, body } of messages) fields.push(`${number} ${topic} ${key}`, body);
  return fields;
}

/** @returns undefined for a malformed entry */
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
