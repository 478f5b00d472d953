import { withDeadline, type Cursor, type NodeLink } from '@millrace/kernel';

const TOPIC = 'realtime.name';
const ANSWER_WITHIN_MS = 1_000;

/** Why a name was taken from its subscription. */
export type NameLoss = 'taken_over' | 'removed';

/** A name that its holder must release. */
export interface NameTakeover {
  /** See `nameKey`. */
  readonly key: string;
  readonly reason: NameLoss;
  /** Of the document that the new holder has written: a holder of a later one keeps the name. Absent: none does. */
  readonly version?: number;
}

/** The answer of a node that held the name. */
export interface NameReleased {
  /** The last acknowledged position, stored or not. */
  readonly cursor?: Cursor;
  /** Whether it keeps the name. */
  readonly isKept?: true;
}

/** Has all other nodes release a name. @returns the answers of those that held it */
export async function takeElsewhere(link: NodeLink, takeover: NameTakeover): Promise<readonly NameReleased[]> {
  if (!link.hasOthers()) return [];
  const body = JSON.stringify(takeover);
  const asked = link.others().map((nodeId) => {
    const answer = link.ask(nodeId, TOPIC, body);
    return withDeadline(answer, ANSWER_WITHIN_MS, () => new Error('no answer in time'));
  });
  const answers = await Promise.allSettled(asked);
  // A node that doesn't answer notices it by the version of the document.
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [JSON.parse(answer.value) as NameReleased] : []));
}

/** Call before the link starts. */
export function answerTakeovers(link: NodeLink, release: (takeover: NameTakeover) => NameReleased): void {
  link.answer(TOPIC, async (body) => JSON.stringify(release(JSON.parse(body) as NameTakeover)));
}
