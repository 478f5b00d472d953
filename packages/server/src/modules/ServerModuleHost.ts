import type { DependencyContainer, InjectionToken } from 'tsyringe';
import {
  coreErrors,
  didYouMean,
  EVENT_NAMES,
  NODE_LINK,
  openTickets,
  RECORD_PLACE,
  systemClock,
  type ActionDefinition,
  type ActionOwner,
  type AuthStrategy,
  type EngineKind,
  type EventName,
  type Hook,
  type JsonObject,
  type Lifecycle,
  type Logger,
  type Pipe,
  type Config,
  type Module,
  type ModuleHost,
  type PluginStore,
  type Protocol,
  type RequestFields,
  type ResponseMessage,
  type ScheduledFunction,
  type ScheduleTime,
  type Stage,
  type StaticFiles,
  type Tickets,
  type User,
} from '@millrace/kernel';
import type { Contributions } from './Contributions.js';
import { EnginePluginStore } from '../plugins/EnginePluginStore.js';
import { registrationProblem, type RegistrationKind } from './registrationProblem.js';
import { Schedule } from '../schedules/Schedule.js';
import { Timetable } from '../schedules/Timetable.js';

/** Executes a request of the program. */
export type Execute = (fields: RequestFields, options: { readonly user?: User }) => Promise<ResponseMessage>;

/** The objects that a module's host writes to. */
export interface ModuleHostParts {
  readonly config: Config;
  readonly contributions: Contributions;
  readonly container: DependencyContainer;
  readonly execute: Execute;
  readonly log: Logger;
}

/** The host of one module: records the module's registrations in the server's contributions. */
export class ServerModuleHost implements ModuleHost {
  readonly log: Logger;
  readonly settings: Config;
  readonly services: DependencyContainer;
  private readonly contributions: Contributions;
  private readonly owner: ActionOwner;

  constructor(
    private readonly module: Module,
    readonly config: JsonObject,
    private readonly parts: ModuleHostParts,
  ) {
    this.contributions = parts.contributions;
    this.settings = parts.config;
    this.services = parts.container;
    const { name } = module;
    this.owner = isPlugin(module) ? { title: `plugin "${name}"`, plugin: name } : { title: 'the server' };
    this.log = isPlugin(module) ? parts.log.child({ plugin: module.name }) : parts.log;
  }

  actions(create: () => readonly ActionDefinition[]): void {
    this.contributions.actionSources.push({ module: this.module.name, create });
  }

  component(name: string, create: () => Lifecycle, stage: Stage = 'service'): void {
    this.contributions.components.push({ name, stage, create });
  }

  protocol(protocol: Protocol): void {
    this.check('protocol', protocol);
    this.claim(`protocol "${protocol.name}"`);
    this.contributions.protocols.push(protocol);
  }

  strategy(strategy: AuthStrategy): void {
    this.check('strategy', strategy);
    this.claim(`strategy "${strategy.name}"`);
    this.contributions.strategies.set(strategy.name, strategy);
  }

  controller(actions: readonly ActionDefinition[]): void {
    const isList: boolean = Array.isArray(actions);
    if (!isList) throw this.refused('a controller must be a list of actions');
    for (const action of actions) {
      this.check('action', action);
      this.orRefused(() => this.contributions.actions.add(action, this.owner));
    }
  }

  files(files: StaticFiles): void {
    this.check('files', files);
    this.claim(`path "${files.path}"`);
    this.contributions.files.push({ plugin: this.module.name, files });
  }

  hook<E extends EventName>(event: E, run: Hook<E>): void {
    this.check('hook', run);
    const known: readonly string[] = EVENT_NAMES;
    if (!known.includes(event)) {
      throw this.refused(`there is no event ${JSON.stringify(event)}${didYouMean(event, known)}`);
    }
    this.contributions.hooks.add(event, this.module.name, run);
  }

  pipe(pipe: Pipe): void {
    this.check('pipe', pipe);
    const { pipes, writePipes } = this.contributions;
    if (pipe.when === 'document.beforeWrite') writePipes.add(this.module.name, pipe);
    else pipes.add(this.module.name, pipe);
  }

  engine(kind: EngineKind, name: string, create: () => Lifecycle | Promise<Lifecycle>): void {
    this.check('engine', create);
    this.claim(`${kind} engine "${name}"`);
    this.contributions.engines.set(`${kind}:${name}`, create);
  }

  service<T extends object>(token: InjectionToken<T>, service: T): void {
    this.check('service', service);
    this.parts.container.registerInstance(token, service);
    if (isLifecycle(service)) {
      this.component(`service of ${this.module.name}`, () => service, 'plugin');
    }
  }

  tickets(name: string): Tickets {
    const link = this.parts.container.resolve(NODE_LINK);
    return openTickets(systemClock, link, `plugin.${this.module.name}.${name}`);
  }

  store(name: string): PluginStore {
    this.checkName('store', name);
    return this.openStore(`plugin:${this.module.name}:${name}`);
  }

  schedule(name: string, time: ScheduleTime, run: ScheduledFunction): void {
    this.check('schedule', run);
    this.checkName('schedule', name);
    const id = `${this.module.name}/${name}`;
    this.claim(`schedule "${id}"`);
    const timetable = this.orRefused(() => new Timetable(time));
    const store = this.openStore('schedules');
    const { log, contributions } = this;
    contributions.schedules.push(new Schedule(id, timetable, run, store, systemClock, log));
  }

  execute(fields: RequestFields, options: { readonly user?: User } = {}): Promise<ResponseMessage> {
    return this.parts.execute(fields, options);
  }

  onStop(stop: () => void | Promise<void>): void {
    this.check('stop', stop);
    const part: Lifecycle = { start: async () => undefined, stop: async () => stop() };
    this.component(`plugin ${this.module.name}`, () => part, 'plugin');
  }

  /** @throws core.plugin_refused with the owner, if the name is taken */
  private claim(what: string): void {
    const { owners } = this.contributions;
    const owner = owners.get(what);
    if (owner !== undefined) throw this.refused(`${what} exists already: it belongs to ${owner}`);
    owners.set(what, this.owner.title);
  }

  private openStore(collection: string): PluginStore {
    const { container } = this.parts;
    return new EnginePluginStore(() => container.resolve(RECORD_PLACE), collection);
  }

  private checkName(kind: string, name: unknown): void {
    if (typeof name === 'string' && /^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) return;
    throw this.refused(`the name of a ${kind} must be lower-case letters, digits and "-", got ${JSON.stringify(name)}`);
  }

  private orRefused<T>(make: () => T): T {
    try {
      return make();
    } catch (error) {
      throw this.refused((error as Error).message);
    }
  }

  private check(kind: RegistrationKind, value: unknown): void {
    const problem = registrationProblem(kind, value);
    if (problem !== undefined) throw this.refused(problem);
  }

  private refused(reason: string): Error {
    return coreErrors.plugin_refused({ plugin: this.module.name, reason });
  }
}

function isLifecycle(value: object): value is Lifecycle {
  const { start, stop } = value as Partial<Lifecycle>;
  return typeof start === 'function' && typeof stop === 'function';
}

/** Plugins are added by the server's user and declare the kernel versions they support. */
export function isPlugin(module: Module): boolean {
  return 'kernel' in module;
}
