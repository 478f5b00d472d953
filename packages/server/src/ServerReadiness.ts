import { withDeadline, type NodeLink, type Readiness, type ReadyState, type StorageEngine } from '@millrace/kernel';

/** The services that a server needs to take requests. */
export interface NeededServices {
  readonly storage: Pick<StorageEngine, 'health' | 'ping'>;
  readonly link: Pick<NodeLink, 'isClustered' | 'isCurrent'>;
}

/** Probes usually wait for a second: an engine that takes longer counts as silent. */
const STORAGE_LIMIT_MS = 800;
/** The pages need no login, and must not let anyone load the storage engine. */
const REUSE_MS = 1_000;

/** The state of a server for load balancers and supervisors. An engine that only fails to write is ready. */
export class ServerReadiness implements Readiness {
  private phase: 'starting' | 'running' | 'stopping' = 'starting';
  private wasRunning = false;
  private storageAnswers: Promise<boolean> | undefined;
  private askedAtMs = 0;

  constructor(private readonly services: NeededServices) {}

  get hasStarted(): boolean {
    return this.wasRunning;
  }

  /** Every entrypoint is listening. */
  started(): void {
    this.phase = 'running';
    this.wasRunning = true;
  }

  /** The server is about to stop. */
  stopping(): void {
    this.phase = 'stopping';
  }

  async check(): Promise<ReadyState> {
    if (this.phase !== 'running') return this.phase;
    const { link, storage } = this.services;
    if (link.isClustered && !link.isCurrent()) return 'cluster';
    const nowMs = performance.now();
    if (this.storageAnswers === undefined || nowMs - this.askedAtMs >= REUSE_MS) {
      this.askedAtMs = nowMs;
      this.storageAnswers = answersInTime(storage);
    }
    return (await this.storageAnswers) ? 'ready' : 'storage';
  }
}

async function answersInTime(storage: NeededServices['storage']): Promise<boolean> {
  try {
    return await withDeadline(answers(storage), STORAGE_LIMIT_MS, () => new Error('no answer'));
  } catch {
    return false;
  }
}

async function answers(storage: NeededServices['storage']): Promise<boolean> {
  if (storage.health !== undefined) return (await storage.health()).state !== 'down';
  await storage.ping();
  return true;
}
