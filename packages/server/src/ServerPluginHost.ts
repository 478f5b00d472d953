import type { DependencyContainer, InjectionToken } from 'tsyringe';
import {
  coreErrors,
  type ActionDefinition,
  type AuthStrategy,
  type EngineKind,
  type EventName,
  type Hook,
  type JsonObject,
  type Lifecycle,
  type Logger,
  type Pipe,
  type Plugin,
  type PluginHost,
  type Protocol,
  type RequestFields,
  type ResponseMessage,
  type User,
} from '@millrace/kernel';
import type { PluginContributions } from './PluginContributions.js';

/** Runs a request of the program. */
export type Execute = (
  fields: RequestFields,
  options: { readonly user?: User },
) => Promise<ResponseMessage>;

/** What a plugin's host writes to. */
export interface PluginHostParts {
  readonly contributions: PluginContributions;
  readonly container: DependencyContainer;
  readonly execute: Execute;
  readonly log: Logger;
}

/** The host of one plugin: writes what the plugin registers into the server's contributions. */
export class ServerPluginHost implements PluginHost {
  readonly log: Logger;

  private readonly contributions: PluginContributions;

  constructor(
    private readonly plugin: Plugin,
    readonly config: JsonObject,
    private readonly parts: PluginHostParts,
  ) {
    this.contributions = parts.contributions;
    this.log = parts.log.child({ plugin: plugin.name });
  }

  protocol(protocol: Protocol): void {
    if (this.contributions.protocols.some(({ name }) => name === protocol.name)) {
      throw this.refused(`protocol "${protocol.name}" is there already`);
    }
    this.contributions.protocols.push(protocol);
  }

  strategy(strategy: AuthStrategy): void {
    if (this.contributions.strategies.has(strategy.name)) {
      throw this.refused(`strategy "${strategy.name}" is there already`);
    }
    this.contributions.strategies.set(strategy.name, strategy);
  }

  controller(actions: readonly ActionDefinition[]): void {
    for (const action of actions) {
      try {
        this.contributions.actions.add(action);
      } catch (error) {
        throw this.refused((error as Error).message);
      }
    }
  }

  hook<E extends EventName>(event: E, run: Hook<E>): void {
    this.contributions.hooks.add(event, this.plugin.name, run);
  }

  pipe(pipe: Pipe): void {
    this.contributions.pipes.add(this.plugin.name, pipe);
  }

  engine(kind: EngineKind, name: string, create: () => Lifecycle): void {
    const key = `${kind}:${name}`;
    if (this.contributions.engines.has(key))
      throw this.refused(`${kind} engine "${name}" is there already`);
    this.contributions.engines.set(key, create);
  }

  service<T extends object>(token: InjectionToken<T>, service: T): void {
    this.parts.container.registerInstance(token, service);
    if (isLifecycle(service)) {
      this.contributions.services.push({ name: `service of ${this.plugin.name}`, part: service });
    }
  }

  execute(fields: RequestFields, options: { readonly user?: User } = {}): Promise<ResponseMessage> {
    return this.parts.execute(fields, options);
  }

  onStop(stop: () => void | Promise<void>): void {
    const part: Lifecycle = { start: async () => undefined, stop: async () => stop() };
    this.contributions.services.push({ name: `plugin ${this.plugin.name}`, part });
  }

  private refused(reason: string): Error {
    return coreErrors.plugin_refused({ plugin: this.plugin.name, reason });
  }
}

function isLifecycle(value: object): value is Lifecycle {
  const { start, stop } = value as Partial<Lifecycle>;
  return typeof start === 'function' && typeof stop === 'function';
}
