/*
 * Stores generated signing keys (docs/decisions/0016). Whoever reads a key can forge tokens of any user, so it should
 * not be stored in the clear next to the data:
 *
 * - with `security.keyEncryptionSecret`: encrypted, in the internal store, on every engine;
 * - otherwise, if this process alone uses the storage engine: in a `SecretStore`, a separate file;
 * - otherwise, on an engine shared with other nodes: in the clear in the internal store, with a warning at the start.
 *
 * A key that an earlier version or another configuration has stored elsewhere is moved; the old copy is erased once
 * the new one is durable. A record in the clear always takes precedence: after a completed move there is none, so
 * either the move was interrupted (both copies are equal) or an earlier version ran in between (its key is the one in
 * use).
 *
 * Two nodes that start at once end up with one key: only the first write of a record succeeds, and both nodes read it
 * back.
 */
import {
  coreErrors,
  LOGGER,
  openSecret,
  RECORD_PLACE,
  RecordStore,
  sealSecret,
  SECRET_STORE,
  type Logger,
  type RecordKind,
  type RecordPlace,
  type SecretStore,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';

interface KeyRecord {
  readonly version: number;
  /** In the clear; null if it is encrypted or erased. */
  readonly plain: string | null;
  readonly sealed: string | null;
}

/** A key in the clear or encrypted; nothing: erased. */
interface WrittenKey {
  readonly key?: string;
  readonly sealed?: string;
}

const KIND: RecordKind<KeyRecord, WrittenKey> = {
  collection: 'keys',
  mapping: parseMapping({ dynamic: false }),
  parse: ({ version, source: { key, sealed } }) => ({ version, plain: textOf(key), sealed: textOf(sealed) }),
  toSource: (written) => ({ ...written }),
};

/** Stores generated keys by name. */
@scoped(Scope.ContainerScoped)
export class KeyVault {
  private readonly records: RecordStore<KeyRecord, WrittenKey>;

  constructor(
    @inject(RECORD_PLACE) place: RecordPlace,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
    @inject(LOGGER) private readonly log: Logger,
    @inject(SECRET_STORE, { isOptional: true }) private readonly files?: SecretStore,
  ) {
    this.records = new RecordStore(place, KIND);
  }

  /**
   * The key stored under a name; generated if there is none.
   * @throws core.invalid_config if a stored key is encrypted and the configured secret doesn't decrypt it
   */
  async keep(name: string, make: () => Promise<string>): Promise<string> {
    await this.records.ensure();
    if (this.config.keyEncryptionSecret !== '') return this.keepSealed(name, make);
    const record = await this.records.find(name);
    if (record !== null && record.sealed !== null) {
      throw misfit('the stored signing key is encrypted: expected the secret that encrypted it');
    }
    if (this.files !== undefined) return this.keepInFile(name, make, this.files, record);
    this.log.warn(
      { setting: 'security.keyEncryptionSecret' },
      'the key that signs tokens is stored unencrypted in the storage engine: whoever can read its internal index can log in as anybody. Set security.keyEncryptionSecret on every node',
    );
    const known = record?.plain ?? null;
    if (known !== null) return known;
    await this.records.tryPut(name, { key: await make() }, 'absent');
    const kept = (await this.records.find(name))?.plain ?? null;
    if (kept === null) throw new Error(`no key is stored under ${name}`);
    return kept;
  }

  private async keepSealed(name: string, make: () => Promise<string>): Promise<string> {
    const record = await this.records.find(name);
    if (record !== null && record.sealed !== null) {
      const text = this.open(name, record.sealed);
      // A copy left by an interrupted move.
      await this.files?.remove(name);
      return text;
    }
    const known = record?.plain ?? (await this.files?.read(name)) ?? null;
    const sealed = sealSecret(known ?? (await make()), name, this.config.keyEncryptionSecret);
    // Another node may write first: so it is read back.
    await this.records.tryPut(name, { sealed }, record?.version ?? 'absent');
    const kept = (await this.records.find(name))?.sealed ?? null;
    if (kept === null) throw new Error(`no encrypted key is stored under ${name}`);
    const text = this.open(name, kept);
    await this.files?.remove(name);
    if (known !== null) this.log.info({ name }, 'the signing key is encrypted from now on');
    return text;
  }

  private async keepInFile(
    name: string,
    make: () => Promise<string>,
    files: SecretStore,
    record: KeyRecord | null,
  ): Promise<string> {
    const left = record?.plain ?? null;
    const known = left ?? (await files.read(name));
    const key = known ?? (await make());
    if (known === null || left !== null) await files.write(name, key);
    if (record !== null) await this.erase(name, record.version);
    if (left !== null) this.log.info({ name }, 'the signing key was moved out of the database');
    return key;
  }

  private open(name: string, sealed: string): string {
    const text = openSecret(sealed, name, this.config.keyEncryptionSecret);
    if (text !== null) return text;
    throw misfit(
      'it does not open the stored signing key: expected the secret that encrypted it (a configured security.jwt.secret makes the stored key unnecessary, and ends all sessions)',
    );
  }

  /** Overwritten first, because some engines only mark records as deleted. */
  private async erase(name: string, version: number): Promise<void> {
    await this.records.tryPut(name, {}, version);
    await this.records.delete(name);
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function misfit(problem: string): Error {
  return coreErrors.invalid_config({
    problem: `Invalid configuration security.keyEncryptionSecret: ${problem}`,
  });
}
