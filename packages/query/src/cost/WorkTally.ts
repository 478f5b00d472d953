/*
 * How much work a request asks for by its text alone, whatever the data. An ordinary search that is slow because its
 * collection is large may take the whole time limit; one that is slow because it multiplies (buckets in buckets,
 * hundreds of similar words) has to end soon, as anybody can send it. So work is counted by kind, each with an amount
 * that ordinary requests stay below; engines give a request past one of them little time.
 *
 * The amounts are estimates from above: being past one costs nothing where the answer comes soon.
 */

/** What is counted. */
export type WorkKind = 'buckets' | 'placements' | 'lookups' | 'passages';

interface Counted {
  amount: number;
  /** The largest part, and where in the request it stood. */
  largest: number;
  path: string;
}

/** The kind of work that a request asks too much of. */
export interface Excess {
  readonly kind: WorkKind;
  readonly path: string;
}

/**
 * - `buckets`: of an answer, heavy values in them (`cardinality`) counted as several
 * - `placements`: buckets that one document may be in
 * - `lookups`: words to find similar ones for and patterns to put to every term; simple clauses as a tenth
 * - `passages`: texts to be marked, each anew for every pattern, and objects to be listed
 */
const ORDINARY_WORK: Readonly<Record<WorkKind, number>> = {
  buckets: 10_000,
  placements: 5_000,
  lookups: 100,
  passages: 10_000,
};

/** Adds up the work of one request. */
export class WorkTally {
  private readonly kinds = new Map<WorkKind, Counted>();

  add(kind: WorkKind, amount: number, path: string): void {
    const counted = this.kinds.get(kind) ?? { amount: 0, largest: 0, path };
    counted.amount += amount;
    if (amount > counted.largest) Object.assign(counted, { largest: amount, path });
    this.kinds.set(kind, counted);
  }

  amountOf(kind: WorkKind): number {
    return this.kinds.get(kind)?.amount ?? 0;
  }

  /** Undefined for ordinary requests. */
  get excess(): Excess | undefined {
    for (const [kind, { amount, path }] of this.kinds) {
      if (amount > ORDINARY_WORK[kind]) return { kind, path };
    }
    return undefined;
  }
}
