import {
  apiErrors,
  authErrors,
  clusterErrors,
  coreErrors,
  documentErrors,
  idempotencyErrors,
  memoryErrors,
  queryErrors,
  realtimeErrors,
  securityErrors,
  storageErrors,
  validationErrors,
  type JsonObject,
} from '@millrace/kernel';
import { httpErrors } from '@millrace/entrypoint-http';

type Registry = Readonly<Record<string, { readonly id: string; readonly status: number }>>;

/** Errors that any action may return. */
const COMMON: readonly Registry[] = [
  apiErrors,
  coreErrors,
  httpErrors,
  authErrors,
  securityErrors,
  storageErrors,
  clusterErrors,
  idempotencyErrors,
];
const DATA: readonly Registry[] = [documentErrors, queryErrors, validationErrors];

const BY_CONTROLLER: Readonly<Record<string, readonly Registry[]>> = {
  auth: DATA,
  bulk: DATA,
  collection: DATA,
  document: DATA,
  index: DATA,
  memoryStorage: [memoryErrors],
  realtime: [...DATA, realtimeErrors],
  security: DATA,
  server: [],
};

/** Errors of requests that match no action, and of failed starts. */
const NEVER: ReadonlySet<string> = new Set([
  'api.route_not_found',
  'api.method_not_allowed',
  'api.controller_not_found',
  'api.action_not_found',
  'core.plugin_refused',
  'core.start_failed',
  'core.invalid_config',
]);

/** Strategies may return further errors of this domain. */
const OPEN_DOMAIN = 'auth';

/** The errors that an action may return, by status: those of its controller's domains. */
export class ErrorList {
  /** The group of actions sharing a list: the controller, or `plugin`. */
  readonly group: string;
  private readonly idsByStatus = new Map<number, string[]>();
  private readonly domains = new Set<string>();

  constructor(controller: string) {
    const own = Object.hasOwn(BY_CONTROLLER, controller) ? BY_CONTROLLER[controller] : undefined;
    this.group = own === undefined ? 'plugin' : controller;
    const registries = [...COMMON, ...(own ?? [...DATA, realtimeErrors, memoryErrors])];
    for (const { id, status } of registries.flatMap((registry) => Object.values(registry))) {
      this.domains.add(id.slice(0, id.indexOf('.')));
      if (!NEVER.has(id)) this.idsOf(status).push(id);
    }
  }

  /** Sorted, without success statuses. */
  get statuses(): readonly number[] {
    return [...this.idsByStatus.keys()].filter((status) => status >= 400).sort((a, b) => a - b);
  }

  /** Sorted. */
  idsAt(status: number): readonly string[] {
    return [...(this.idsByStatus.get(status) ?? [])].sort();
  }

  /** A schema of the ids at a status: the known ids, or any id of a plugin's domain. */
  schemaAt(status: number): JsonObject {
    const closed = [...this.domains].filter((domain) => domain !== OPEN_DOMAIN).sort();
    const foreign = { type: 'string', pattern: `^(?!(?:${closed.join('|')})\\.)\\w+\\.\\w` };
    return { anyOf: [{ enum: this.idsAt(status) }, foreign] };
  }

  private idsOf(status: number): string[] {
    const known = this.idsByStatus.get(status);
    if (known !== undefined) return known;
    const made: string[] = [];
    this.idsByStatus.set(status, made);
    return made;
  }
}
