/*
 * Catalogs and specifications on several nodes (docs/decisions/0011). Engines that nodes share cache the catalog
 * briefly, and specifications are all in memory: other nodes are notified of each change, and the request that made it
 * is answered once they have it.
 */
import {
  DOCUMENT_LISTENERS,
  LOGGER,
  NODE_LINK,
  readCollectionKey,
  readNodeMessage,
  STORAGE_ENGINE,
  toCollectionKey,
  type DocumentListeners,
  type Lifecycle,
  type Logger,
  type NodeLink,
  type StorageEngine,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SpecificationStore } from '../validation/SpecificationStore.js';

const INDEX = 'storage.index';
const SPECIFICATION = 'storage.specification';

/** Notifies other nodes of changes made here, and drops caches of what they have changed. */
@scoped(Scope.ContainerScoped)
export class CatalogSharing implements Lifecycle {
  constructor(
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
    @inject(DOCUMENT_LISTENERS) private readonly listeners: DocumentListeners,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Runs before the link starts. */
  async start(): Promise<void> {
    const { link, specifications } = this;
    if (!link.isClustered) return;
    specifications.share((name, validation) => {
      const body = validation === null ? '' : JSON.stringify(validation);
      link.announce(SPECIFICATION, toCollectionKey(name), body);
    });
    link.receive(INDEX, (index) => {
      this.engine.forget?.(index);
      this.listeners.mappingChanged?.(index);
    });
    link.receive(SPECIFICATION, (key, body) => {
      const validation = body === '' ? null : readNodeMessage(body);
      specifications.changedElsewhere(readCollectionKey(key), validation);
    });
    link.observe({
      missed: () => {
        this.engine.forget?.();
        this.listeners.mappingChanged?.();
        specifications.reload().catch((error: unknown) => {
          this.log.error({ err: error }, 'specifications could not be read again');
        });
      },
    });
  }

  async stop(): Promise<void> {}

  /** An index, or something in it, has changed. @returns a promise that the answer must wait for; undefined: none */
  changed(index: string): Promise<unknown> | undefined {
    this.listeners.mappingChanged?.(index);
    if (!this.link.isClustered) return undefined;
    this.link.announce(INDEX, index, '');
    return this.link.settled();
  }
}
