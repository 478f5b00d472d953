/**
 * Something that opens and closes. Constructors have no side effects; `start` opens, `stop` closes everything that
 * `start` opened and may be called without a start. The kernel starts in order and stops in reverse order, each within
 * a deadline.
 */
export interface Lifecycle {
  start(): Promise<void>;
  stop(): Promise<void>;
}
