/*
 * The grammar of roles (SEC-10). Unknown keys are refused: a misspelt `_canDelete` or a name such as `secret*` would
 * silently protect nothing. Names come from the user and may be anything (`__proto__`, `constructor`), so they are
 * stored in maps and never used as object keys.
 */
import { isJsonObject, securityErrors, showValue, type JsonObject, type JsonValue } from '@millrace/kernel';
import { ControllerReader } from './ControllerReader.js';
import type { Right } from './Right.js';
import type { CollectionGrant, IndexGrant, Named, Role } from './Role.js';

const MAX_SHOWN_NAME_LENGTH = 100;

/** Creates the error from a message that begins with the path in the role. */
type Refuse = (message: string) => Error;

/** Reads one named entry. */
type ReadEntry<T> = (value: JsonValue, path: string, name: string) => T;

/**
 * Validates a role and compiles it.
 * @param body the role as sent, without its `_id`; it is kept by reference and must not be modified afterwards
 * @param protectedProperties see `security.protectedProperties`
 * @throws security.invalid_role (400) naming the path: `indexes.foo.collections is missing`
 */
export function parseRole(id: string, body: JsonObject, protectedProperties: readonly string[] = []): Role {
  const refuse: Refuse = (reason) => securityErrors.invalid_role({ roleId: id, reason });
  const isTree = Object.hasOwn(body, 'indexes');
  const isFlat = Object.hasOwn(body, 'controllers');
  if (isTree && isFlat) {
    throw refuse('indexes and controllers are two forms of a role: expected one, got both');
  }
  if (!isTree && !isFlat) throw refuse('indexes is missing (or controllers, for a flat role)');
  const reader = new RoleReader(refuse, new ControllerReader(refuse, protectedProperties));
  assertKnownKeys(body, '', [isTree ? 'indexes' : 'controllers'], refuse);
  return isTree
    ? { id, body, ...reader.readIndexes(body.indexes ?? null) }
    : { id, body, canCreateIndexes: true, indexes: toTree(reader.readControllers(body, '')) };
}

function toTree(controllers: CollectionGrant['controllers']): Named<IndexGrant> {
  const collections = new Map([['*', { canDelete: true, controllers }]]);
  return new Map([['*', { canDelete: true, canCreateCollections: true, collections }]]);
}

class RoleReader {
  constructor(
    private readonly refuse: Refuse,
    private readonly controllers: ControllerReader,
  ) {}

  readIndexes(value: JsonValue): Pick<Role, 'canCreateIndexes' | 'indexes'> {
    const object = this.readObject(value, 'indexes');
    return {
      canCreateIndexes: this.readFlag(object, 'indexes', '_canCreate'),
      indexes: this.readNames(object, 'indexes', '_canCreate', (each, path) => this.readIndex(each, path)),
    };
  }

  /** `{actions: {<action>: right}}` by controller, under the key `controllers` of the entry. */
  readControllers(entry: JsonObject, path: string): Named<Named<Right>> {
    const controllers = this.readRequired(entry, path, 'controllers');
    return this.readNames(controllers, join(path, 'controllers'), null, (value, at, controller) => {
      const entry = this.readObject(value, at);
      const { documents, known } = this.controllers.readDefaults(entry, at, controller);
      assertKnownKeys(entry, at, ['actions', ...known], this.refuse);
      const actions = this.readRequired(entry, at, 'actions');
      return this.readNames(actions, `${at}.actions`, null, (right, path, action) =>
        this.controllers.readRight(right, { path, controller, action, documents }),
      );
    });
  }

  private readIndex(value: JsonValue, path: string): IndexGrant {
    const entry = this.readObject(value, path);
    assertKnownKeys(entry, path, ['_canDelete', 'collections'], this.refuse);
    const at = `${path}.collections`;
    const collections = this.readRequired(entry, path, 'collections');
    const named = this.readNames(collections, at, '_canCreate', (each, place) => this.readCollection(each, place));
    const isDeletable = this.readFlag(entry, path, '_canDelete');
    return {
      canDelete: isDeletable && [...named.values()].every(({ canDelete }) => canDelete),
      canCreateCollections: this.readFlag(collections, at, '_canCreate'),
      collections: named,
    };
  }

  private readCollection(value: JsonValue, path: string): CollectionGrant {
    const entry = this.readObject(value, path);
    assertKnownKeys(entry, path, ['_canDelete', 'controllers'], this.refuse);
    return {
      canDelete: this.readFlag(entry, path, '_canDelete'),
      controllers: this.readControllers(entry, path),
    };
  }

  /**
   * Reads entries by name.
   * @param flag the flag that is a sibling of the names, which then can't begin with `_`; null if there is none
   */
  private readNames<T>(object: JsonObject, path: string, flag: string | null, read: ReadEntry<T>): Named<T> {
    const names = new Map<string, T>();
    for (const [name, value] of Object.entries(object)) {
      if (name === flag) continue;
      const at = join(path, name);
      if (name === '') throw this.refuse(`${path} has an empty name`);
      if (flag !== null && name.startsWith('_')) {
        throw this.refuse(`${at} is unknown: expected ${flag}, a name or *`);
      }
      if (name !== '*' && name.includes('*')) {
        throw this.refuse(`${at}: only * alone stands for other names, there are no patterns`);
      }
      names.set(name, read(value, at, name));
    }
    return names;
  }

  private readRequired(object: JsonObject, path: string, key: string): JsonObject {
    const at = join(path, key);
    if (!Object.hasOwn(object, key)) throw this.refuse(`${at} is missing`);
    return this.readObject(object[key] ?? null, at);
  }

  /** The four flags default to true. */
  private readFlag(object: JsonObject, path: string, key: string): boolean {
    const value = Object.hasOwn(object, key) ? object[key] : true;
    if (typeof value === 'boolean') return value;
    throw this.refuse(`${path}.${key}: expected true or false, got ${showValue(value)}`);
  }

  private readObject(value: JsonValue, path: string): JsonObject {
    if (isJsonObject(value)) return value;
    throw this.refuse(`${path}: expected an object, got ${showValue(value)}`);
  }
}

function assertKnownKeys(object: JsonObject, path: string, known: readonly string[], refuse: Refuse): void {
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw refuse(`${join(path, unknown)} is unknown: expected ${known.join(', ')}`);
}

function join(path: string, name: string): string {
  const shown = name.length > MAX_SHOWN_NAME_LENGTH ? `${name.slice(0, MAX_SHOWN_NAME_LENGTH)}…` : name;
  return path === '' ? shown : `${path}.${shown}`;
}
