import { describeExcess, type Excess } from '@millrace/query';
import { COSTLY_TIMEOUT_MS, TimeIsUp, type Deadline } from './Deadline.js';
import { Refusal } from './Refusal.js';

/**
 * Runs work under a deadline, which is shorter for combinatorial requests.
 * @param afterwards returns the result if the time limit is exceeded
 * @throws Refusal if a combinatorial request exceeds its time limit; Cancelled
 */
export function withinTime<T>(
  excess: Excess | undefined,
  deadline: Deadline,
  work: (deadline: Deadline) => T,
  afterwards: () => T,
): T {
  try {
    return work(excess === undefined ? deadline : deadline.within(COSTLY_TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof TimeIsUp)) throw error;
    if (excess !== undefined && !deadline.isOver) {
      throw new Refusal(describeExcess(excess, `takes longer than ${COSTLY_TIMEOUT_MS} ms`));
    }
    return afterwards();
  }
}
