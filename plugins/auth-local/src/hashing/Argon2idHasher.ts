import type { PasswordHasher } from './PasswordHasher.js';

/** The part of `@node-rs/argon2` that is used: prebuilt, running in separate threads. */
export interface Argon2Binding {
  hash(
    password: string,
    options: {
      readonly memoryCost: number;
      readonly timeCost: number;
      readonly parallelism: number;
    },
  ): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
}

/** Cost parameters of an argon2id hash. */
export interface Argon2idCost {
  readonly memoryKib: number;
  readonly iterations: number;
  readonly parallelism: number;
}

/** Hashes of the form `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. argon2id is the binding's default. */
export class Argon2idHasher implements PasswordHasher {
  readonly algorithm = 'argon2id';

  constructor(
    private readonly binding: Argon2Binding,
    private readonly cost: Argon2idCost,
  ) {}

  hash(password: string): Promise<string> {
    const { memoryKib, iterations, parallelism } = this.cost;
    return this.binding.hash(password, {
      memoryCost: memoryKib,
      timeCost: iterations,
      parallelism,
    });
  }

  async verify(hash: string, password: string): Promise<boolean> {
    if (parse(hash) === null) return false;
    return this.binding.verify(hash, password);
  }

  isOutdated(hash: string): boolean {
    const used = parse(hash);
    if (used === null) return true;
    return used.memoryKib < this.cost.memoryKib || used.iterations < this.cost.iterations;
  }
}

const FORM = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$[A-Za-z0-9+/]{16,}\$[A-Za-z0-9+/]{22,}$/;

function parse(hash: string): Argon2idCost | null {
  const [, memory, iterations, parallelism] = FORM.exec(hash) ?? [];
  if (memory === undefined) return null;
  return {
    memoryKib: Number(memory),
    iterations: Number(iterations),
    parallelism: Number(parallelism),
  };
}
