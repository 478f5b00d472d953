import { warmUp } from '@millrace/filters';
import type { Lifecycle } from '@millrace/kernel';
import { injectable } from 'tsyringe';

/** After the start, so that listening comes first. */
const FIRST_STEP_AFTER_MS = 500;
/** Between two steps: requests come first. */
const STEP_AFTER_MS = 5;

/** Compiled code belongs to the process: one of its servers compiles it. */
let isDone = false;

/**
 * Compiles what takes filters in, in the background after the start: else the first large filter of a client would hold
 * the event loop for tens of milliseconds.
 */
@injectable()
export class FilterWarmUp implements Lifecycle {
  private timer: NodeJS.Timeout | undefined;

  async start(): Promise<void> {
    if (isDone) return;
    isDone = true;
    const steps = warmUp();
    const step = (): void => {
      if (steps.next().done === true) return;
      this.timer = setTimeout(step, STEP_AFTER_MS).unref();
    };
    this.timer = setTimeout(step, FIRST_STEP_AFTER_MS).unref();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
  }
}
