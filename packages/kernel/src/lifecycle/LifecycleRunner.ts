import type { Logger } from '../contracts/runtime/Logger.js';
import { coreErrors } from '../errors/errors.js';
import { MillraceError } from '../errors/MillraceError.js';
import { withDeadline } from '../pipeline/withDeadline.js';
import type { Lifecycle } from '../contracts/runtime/Lifecycle.js';

interface Component {
  readonly name: string;
  readonly lifecycle: Lifecycle;
}

/**
 * The time to stop all components together, as a multiple of `stopTimeoutMs`: by default 8 of the 10 s that a process
 * may take.
 */
const TOTAL_STOP_FACTOR = 1.6;

/**
 * Starts components in order and stops them in reverse order; each step has a deadline, and the error names the
 * component that missed it. All components together have 1.6 times `stopTimeoutMs` to stop, and each gets at most half
 * of the remaining time: so the sum of all deadlines stays below the limit, however many components hang, and the last
 * one (the storage engine) still has time to stop.
 */
export class LifecycleRunner {
  private readonly components: Component[] = [];
  private readonly started: Component[] = [];

  constructor(
    private readonly log: Logger,
    private readonly startTimeoutMs: number,
    private readonly stopTimeoutMs: number,
  ) {}

  add(name: string, lifecycle: Lifecycle): void {
    this.components.push({ name, lifecycle });
  }

  /** Starts everything; if a component fails, stops those already started. @throws the failure, naming the component */
  async start(): Promise<void> {
    for (const component of this.components) {
      try {
        // Counted as started beforehand: a start that fails half-way must be stopped too.
        this.started.push(component);
        await withDeadline(component.lifecycle.start(), this.startTimeoutMs, () =>
          coreErrors.start_failed({
            component: component.name,
            reason: `it was not ready within ${this.startTimeoutMs} ms`,
          }),
        );
      } catch (error) {
        await this.stop();
        throw toStartError(component.name, error);
      }
    }
  }

  /**
   * Stops everything that was started, last first. A failure is logged and doesn't prevent the others from stopping.
   */
  async stop(): Promise<void> {
    const endMs = performance.now() + TOTAL_STOP_FACTOR * this.stopTimeoutMs;
    for (let component = this.started.pop(); component; component = this.started.pop()) {
      const { name, lifecycle } = component;
      const leftMs = Math.max(0, endMs - performance.now());
      const limitMs = Math.ceil(Math.min(this.stopTimeoutMs, leftMs / 2));
      try {
        await withDeadline(lifecycle.stop(), limitMs, () => new Error(`${name} did not stop within ${limitMs} ms`));
      } catch (error) {
        this.log.error({ component: name, err: error }, 'component failed to stop');
      }
    }
  }
}

function toStartError(component: string, error: unknown): MillraceError {
  if (error instanceof MillraceError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return coreErrors.start_failed({ component, reason }, { cause: error });
}
