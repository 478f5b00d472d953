import type { ActionRequest, ActionResult } from '../actions/ActionDefinition.js';
import type { MaybePromise } from '../contracts/storage/StorageEngine.js';
import { coreErrors } from '../errors/errors.js';
import { MillraceError } from '../errors/MillraceError.js';
import { isJsonObject } from '../json/Json.js';
import { isThenable } from './isThenable.js';
import { withDeadline } from './withDeadline.js';

/**
 * Changes or refuses requests, or changes results. Run by the dispatcher for every matching request, in order of
 * registration, once per request; overlapping requests run it concurrently. Past its time limit, or when it throws
 * anything but a registered error, it fails that request alone and is named.
 */
export type Pipe =
  | {
      readonly when: 'before';
      /** `document.create`, `document.*` or `*`. */
      readonly actions: string;
      /** @returns the changed input (arguments and body), or nothing to leave it; throws a registered error to refuse */
      readonly run: (input: ActionRequest) => MaybePromise<ActionRequest | void>;
    }
  | {
      readonly when: 'after';
      readonly actions: string;
      /** @returns the changed result, or undefined to leave it */
      readonly run: (
        input: ActionRequest,
        result: ActionResult,
      ) => MaybePromise<ActionResult | void>;
    };

interface RegisteredPipe {
  readonly plugin: string;
  readonly pipe: Pipe;
}

/** The pipes that concern one action; `undefined` in the table where there are none, so that hot paths pay nothing. */
export interface ActionPipes {
  before(input: ActionRequest): Promise<ActionRequest>;
  after(input: ActionRequest, result: ActionResult): Promise<ActionResult>;
}

/** All pipes of a server. */
export class Pipes {
  private readonly registered: RegisteredPipe[] = [];
  private readonly byAction = new Map<string, ActionPipes | undefined>();

  constructor(private readonly limitMs: number) {}

  add(plugin: string, pipe: Pipe): void {
    this.registered.push({ plugin, pipe });
    this.byAction.clear();
  }

  for(controller: string, action: string): ActionPipes | undefined {
    if (this.registered.length === 0) return undefined;
    const key = `${controller}.${action}`;
    if (!this.byAction.has(key)) this.byAction.set(key, this.select(controller, key));
    return this.byAction.get(key);
  }

  private select(controller: string, key: string): ActionPipes | undefined {
    const matching = this.registered.filter(
      ({ pipe }) =>
        pipe.actions === '*' || pipe.actions === key || pipe.actions === `${controller}.*`,
    );
    if (matching.length === 0) return undefined;
    return {
      before: async (input) => {
        let current = input;
        for (const { plugin, pipe } of matching) {
          if (pipe.when !== 'before') continue;
          const changed = await this.guard(plugin, () => pipe.run(current));
          if (changed === undefined || changed === null) continue;
          if (!isInput(changed, current)) throw nonsense(plugin, 'the input it was given, changed');
          current = changed;
        }
        return current;
      },
      after: async (input, result) => {
        let current = result;
        for (const { plugin, pipe } of matching) {
          if (pipe.when !== 'after') continue;
          const changed = await this.guard(plugin, () => pipe.run(input, current));
          if (changed === undefined) continue;
          if (['function', 'symbol', 'bigint'].includes(typeof changed))
            throw nonsense(plugin, 'a JSON value');
          current = changed;
        }
        return current;
      },
    };
  }

  private async guard<T>(plugin: string, run: () => MaybePromise<T>): Promise<T> {
    const { limitMs } = this;
    try {
      const outcome = run();
      if (!isThenable(outcome)) return outcome;
      return await withDeadline(outcome, limitMs, () =>
        coreErrors.plugin_timeout({ plugin, limitMs }),
      );
    } catch (error) {
      throw error instanceof MillraceError
        ? error
        : coreErrors.plugin_failed({ plugin }, { cause: error });
    }
  }
}

function isInput(value: ActionRequest, given: ActionRequest): boolean {
  return value.request === given.request && isJsonObject(value.args) && isJsonObject(value.body);
}

function nonsense(plugin: string, expected: string): MillraceError {
  const cause = new Error(`a pipe of "${plugin}" returned something else than ${expected}`);
  return coreErrors.plugin_failed({ plugin }, { cause });
}
