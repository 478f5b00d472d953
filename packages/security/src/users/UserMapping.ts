import {
  STORAGE_ENGINE,
  storageErrors,
  type JsonObject,
  type StorageEngine,
} from '@millrace/kernel';
import { MappingError, parseMapping, type Mapping } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import { RESERVED_FIELD } from './RESERVED_FIELD.js';
import { UserStore } from './UserStore.js';

const FIXED_FIELDS = [RESERVED_FIELD, 'profileIds', 'suid'];

/** The mapping of users' free properties. */
@injectable()
export class UserMapping {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(UserStore) private readonly users: UserStore,
  ) {}

  /** In the form of collection.getMapping. */
  async get(): Promise<JsonObject> {
    const { index, collection } = this.users.name;
    return { [index]: { mappings: { [collection]: await this.users.getMapping() } } };
  }

  /** @throws storage.invalid_mapping (400) */
  async update(body: JsonObject): Promise<void> {
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
