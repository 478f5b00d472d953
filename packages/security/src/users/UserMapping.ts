import { apiErrors, STORAGE_ENGINE, storageErrors, type JsonObject, type StorageEngine } from '@millrace/kernel';
import { MappingError, parseMapping, type Mapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RESERVED_FIELD } from './RESERVED_FIELD.js';
import { UserStore } from './UserStore.js';

const FIXED_FIELDS = [RESERVED_FIELD, 'profileIds', 'suid'];

/** The mapping of users' free properties. */
@scoped(Scope.ContainerScoped)
export class UserMapping {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(UserStore) private readonly users: UserStore,
  ) {}

  /** `{mapping: {<property>: …}}`: contains only the free properties. */
  async get(): Promise<JsonObject> {
    const properties = await this.users.getProperties();
    const free = Object.entries(properties).filter(([name]) => !FIXED_FIELDS.includes(name));
    return { mapping: Object.fromEntries(free) };
  }

  /** @throws api.missing_argument, storage.invalid_mapping (400) */
  async update(body: JsonObject): Promise<void> {
    if ((body['properties'] ?? null) === null) {
      throw apiErrors.missing_argument({ name: 'properties', expected: 'an object of properties' });
    }
    const mapping = parse(body);
    for (const name of FIXED_FIELDS) {
      if (mapping.properties.has(name)) throw invalid(`${name} is the server's own`);
    }
    await this.engine.updateMapping(this.users.name, mapping);
  }
}

function parse(body: JsonObject): Mapping {
  try {
    return parseMapping(body);
  } catch (error) {
    if (error instanceof MappingError) throw invalid(error.message);
    throw error;
  }
}

function invalid(reason: string) {
  return storageErrors.invalid_mapping({ reason });
}
