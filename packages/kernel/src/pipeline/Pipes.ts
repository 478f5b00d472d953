import type { InjectionToken } from 'tsyringe';
import type { ActionRequest, ActionResult } from '../contracts/actions/ActionDefinition.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import { isJsonObject } from '../json/Json.js';
import { guardPipe, invalidPipeResult } from './guardPipe.js';
import type { WritePipe } from './WritePipes.js';

/**
 * Changes or refuses requests, or changes results. Run by the dispatcher for every matching request, in order of
 * registration, once per request; overlapping requests run it concurrently. If it exceeds its time limit, or throws
 * anything but a registered error, that request alone fails, with an error that names the plugin.
 */
export type ActionPipe =
  | {
      readonly when: 'before';
      /** `document.create`, `document.*` or `*`. */
      readonly actions: string;
      /** @returns the changed input (arguments and body), or nothing to keep it; throws a registered error to refuse */
      readonly run: (input: ActionRequest) => MaybePromise<ActionRequest | void>;
    }
  | {
      readonly when: 'after';
      readonly actions: string;
      /** @returns the changed result, or undefined to keep it */
      readonly run: (input: ActionRequest, result: ActionResult) => MaybePromise<ActionResult | void>;
    };

/** The argument of `host.pipe`: a pipe for actions, or one for document writes. */
export type Pipe = ActionPipe | WritePipe;

interface RegisteredPipe {
  readonly plugin: string;
  readonly pipe: ActionPipe;
}

/** The pipes for one action; `undefined` in the table if there are none, so that hot paths have no overhead. */
export interface ActionPipes {
  before(input: ActionRequest): Promise<ActionRequest>;
  after(input: ActionRequest, result: ActionResult): Promise<ActionResult>;
}

/** The pipes of a server, for modules that answer a request without the dispatcher. */
export const PIPES: InjectionToken<Pipes> = Symbol.for('millrace.Pipes');

/** All pipes of a server. */
export class Pipes {
  private readonly registered: RegisteredPipe[] = [];
  private readonly byAction = new Map<string, ActionPipes | undefined>();

  constructor(private readonly limitMs: number) {}

  add(plugin: string, pipe: ActionPipe): void {
    this.registered.push({ plugin, pipe });
    this.byAction.clear();
  }

  /** The actions that each pipe is registered for, by plugin. */
  *patterns(): Iterable<{ readonly plugin: string; readonly actions: string }> {
    for (const { plugin, pipe } of this.registered) yield { plugin, actions: pipe.actions };
  }

  for(controller: string, action: string): ActionPipes | undefined {
    if (this.registered.length === 0) return undefined;
    const key = `${controller}.${action}`;
    if (!this.byAction.has(key)) this.byAction.set(key, this.select(controller, key));
    return this.byAction.get(key);
  }

  private select(controller: string, key: string): ActionPipes | undefined {
    const matching = this.registered.filter(
      ({ pipe }) => pipe.actions === '*' || pipe.actions === key || pipe.actions === `${controller}.*`,
    );
    if (matching.length === 0) return undefined;
    const { limitMs } = this;
    return {
      before: async (input) => {
        let current = input;
        for (const { plugin, pipe } of matching) {
          if (pipe.when !== 'before') continue;
          const changed = await guardPipe({ plugin, limitMs }, () => pipe.run(current));
          if (changed === undefined || changed === null) continue;
          if (!isInput(changed, current)) throw invalidPipeResult(plugin, 'the input it was given, changed');
          current = changed;
        }
        return current;
      },
      after: async (input, result) => {
        let current = result;
        for (const { plugin, pipe } of matching) {
          if (pipe.when !== 'after') continue;
          const changed = await guardPipe({ plugin, limitMs }, () => pipe.run(input, current));
          if (changed === undefined) continue;
          if (['function', 'symbol', 'bigint'].includes(typeof changed))
            throw invalidPipeResult(plugin, 'a JSON value');
          current = changed;
        }
        return current;
      },
    };
  }
}

function isInput(value: ActionRequest, given: ActionRequest): boolean {
  return value.request === given.request && isJsonObject(value.args) && isJsonObject(value.body);
}
