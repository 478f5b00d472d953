import type { SharedSubscription, SubscribedAnswer } from './SharedSubscription.js';
import type { Refusal } from './toError.js';

/** One of the answers of `realtime.resume`. */
export interface Answer extends Omit<Refusal, 'requestId'> {
  readonly requestId?: string;
  readonly result: SubscribedAnswer | null;
}

/** A subscription whose answer is an error. */
export interface Refused {
  readonly shared: SharedSubscription;
  readonly answer: Answer;
}
