import type { InjectionToken } from 'tsyringe';
import type { Logger } from '../contracts/runtime/Logger.js';
import { isThenable } from '../concurrency/isThenable.js';
import type { EventMap, EventName } from './EventMap.js';

/** Observes an event. It can't change or delay anything: its return value isn't awaited. */
export type Hook<E extends EventName> = (event: EventMap[E]) => unknown;

interface RegisteredHook {
  readonly plugin: string;
  readonly run: (event: never) => unknown;
}

/**
 * The hooks of a server, run in order of registration. A hook that throws, rejects or exceeds the time limit is logged
 * and counted, without any other effect.
 */
export class Hooks {
  private readonly byEvent = new Map<EventName, RegisteredHook[]>();
  /** Failures and timeouts by plugin name. */
  readonly failures = new Map<string, number>();

  constructor(
    private readonly log: Logger,
    private readonly limitMs: number,
  ) {}

  add<E extends EventName>(event: E, plugin: string, run: Hook<E>): void {
    const hooks = this.byEvent.get(event) ?? [];
    hooks.push({ plugin, run });
    this.byEvent.set(event, hooks);
  }

  /** True if a hook is registered: expensive payloads are built only then. */
  has(event: EventName): boolean {
    return this.byEvent.has(event);
  }

  emit<E extends EventName>(event: E, payload: EventMap[E]): void {
    const hooks = this.byEvent.get(event);
    if (hooks === undefined) return;
    for (const hook of hooks) this.runOne(event, hook, payload);
  }

  private runOne(event: EventName, hook: RegisteredHook, payload: unknown): void {
    try {
      const outcome = hook.run(payload as never);
      if (isThenable(outcome)) this.watch(event, hook, outcome);
    } catch (error) {
      this.fail(event, hook.plugin, error);
    }
  }

  private watch(event: EventName, hook: RegisteredHook, outcome: PromiseLike<unknown>): void {
    const timer = setTimeout(() => {
      this.fail(event, hook.plugin, new Error(`still running after ${this.limitMs} ms`));
    }, this.limitMs).unref();
    outcome.then(
      () => clearTimeout(timer),
      (error: unknown) => {
        clearTimeout(timer);
        this.fail(event, hook.plugin, error);
      },
    );
  }

  private fail(event: EventName, plugin: string, error: unknown): void {
    this.failures.set(plugin, (this.failures.get(plugin) ?? 0) + 1);
    this.log.error({ plugin, event, err: error }, 'hook failed');
  }
}

/** The hooks of this server. */
export const HOOKS: InjectionToken<Hooks> = Symbol.for('millrace.Hooks');
