import { cpus, freemem, totalmem } from 'node:os';
import type {
  ActionTable,
  Clock,
  EngineDescription,
  JsonObject,
  MemoryStoreEngine,
  Plugin,
  Security,
  StaticFiles,
  StorageEngine,
  User,
} from '@millrace/kernel';

/** Sources of the information. */
export interface ServerInformationParts {
  readonly serviceName: string;
  readonly version: string;
  readonly actions: ActionTable;
  readonly plugins: readonly Plugin[];
  readonly files: readonly StaticFiles[];
  readonly storage: StorageEngine;
  readonly memoryStore: MemoryStoreEngine;
  readonly security: Security;
  readonly clock: Clock;
  readonly startedAtMs: number;
  /** Configuration key `server.publicInfo`. */
  readonly isPublic: boolean;
}

/** The path segment before versioned routes, and `api.version` (PROTO-28, PROTO-90). */
const API_VERSION = '1.0';

/** Builds the result of `server.info`. */
export class ServerInformation {
  constructor(private readonly parts: ServerInformationParts) {}

  async describe(user: User): Promise<JsonObject> {
    const { serviceName, version } = this.parts;
    const showsDetail = await this.mayShowDetail(user);
    const own: JsonObject = {
      api: { version: API_VERSION, routes: this.routes() },
      version,
      nodeVersion: process.version,
      uptime: Math.round((this.parts.clock.monotonicMs() - this.parts.startedAtMs) / 1000),
      ...(showsDetail ? this.detail() : undefined),
    };
    return { serverInfo: { [serviceName]: own, services: await this.services(showsDetail) } };
  }

  private async mayShowDetail(user: User): Promise<boolean> {
    const isAnonymous = user._id === '-1';
    return this.parts.isPublic || !isAnonymous || !(await this.parts.security.adminExists());
  }

  private detail(): JsonObject {
    const screens = this.parts.files.flatMap(({ path, screen }) =>
      screen === undefined ? [] : [{ path, title: screen.title, actions: screen.actions }],
    );
    return {
      ...(screens.length === 0 ? undefined : { screens }),
      memoryUsed: process.memoryUsage.rss(),
      plugins: Object.fromEntries(
        this.parts.plugins.map(({ name, kernel, requires }) => [name, { kernel, requires: requires ?? [] }]),
      ),
      system: {
        cpus: cpus().map(({ model, speed, times }) => ({ model, speed, times })),
        memory: { free: freemem(), total: totalmem() },
      },
    };
  }

  private routes(): JsonObject {
    const controllers: Record<string, Record<string, JsonObject>> = {};
    for (const { controller, action, routes } of this.parts.actions) {
      const [first] = routes;
      controllers[controller] ??= {};
      controllers[controller][action] = {
        ...(first === undefined ? undefined : { method: first.method, route: first.path }),
        name: action,
        ...(routes.length > 1 ? { routes: routes.map(({ method, path }) => ({ method, route: path })) } : undefined),
      };
    }
    const { memoryStorage } = controllers;
    // HTTP responses call the memory store's controller `ms` (MEM-1).
    return memoryStorage === undefined ? controllers : { ...controllers, ms: memoryStorage };
  }

  private async services(showsMemory: boolean): Promise<JsonObject> {
    const { storage, memoryStore, version } = this.parts;
    return {
      storage: toService(await storage.describe(), showsMemory),
      memoryStorage: toService(await memoryStore.describe(), showsMemory),
      internalCache: {
        type: 'embedded',
        version,
        mode: 'process',
        memoryUsed: null,
        memoryPeak: null,
      },
    };
  }
}

function toService(description: EngineDescription, showsMemory: boolean): JsonObject {
  const { type, version, mode } = description;
  const { memoryUsed, memoryPeak } = showsMemory ? description : { memoryUsed: null, memoryPeak: null };
  return { type, version, mode, memoryUsed, memoryPeak };
}
