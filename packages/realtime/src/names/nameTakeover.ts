import { withDeadline, type NodeLink } from '@millrace/kernel';

const TOPIC = 'realtime.name';
const ANSWER_WITHIN_MS = 1_000;

/** Why a name was taken from its subscription. */
export type NameLoss = 'taken_over' | 'removed';

/** A name that its holder must release. */
export interface NameTakeover {
  /** See `nameKey`. */
  readonly key: string;
  readonly reason: NameLoss;
}

/** Has all other nodes release a name; those that hold it store its last acknowledgement first. */
export async function takeElsewhere(link: NodeLink, takeover: NameTakeover): Promise<void> {
  if (!link.hasOthers()) return;
  const body = JSON.stringify(takeover);
  const asked = link.others().map((nodeId) => {
    const answer = link.ask(nodeId, TOPIC, body);
    return withDeadline(answer, ANSWER_WITHIN_MS, () => new Error('no answer in time'));
  });
  // A node that doesn't answer notices it by the version of the document.
  await Promise.allSettled(asked);
}

/** Call before the link starts. */
export function answerTakeovers(
  link: NodeLink,
  take: (takeover: NameTakeover) => Promise<void>,
): void {
  link.answer(TOPIC, async (body) => {
    await take(JSON.parse(body) as NameTakeover);
    return '{}';
  });
}
