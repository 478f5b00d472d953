import type { Logger } from '@millrace/kernel';
import { CollectionList } from './catalog/CollectionList.js';
import { IndexList } from './catalog/IndexList.js';
import type { ElasticsearchConfig } from './ElasticsearchConfig.js';
import { ServerNames } from './names/ServerNames.js';
import { CollectionSearch } from './search/CollectionSearch.js';
import { ElasticsearchServer } from './server/ElasticsearchServer.js';
import { DocumentWriter } from './writes/DocumentWriter.js';
import { SharedRefresh } from './writes/SharedRefresh.js';

/** The components of a started engine. */
export class EngineParts {
  readonly server: ElasticsearchServer;
  readonly names: ServerNames;
  readonly indexes: IndexList;
  readonly collections: CollectionList;
  readonly writer: DocumentWriter;
  readonly search: CollectionSearch;

  constructor(config: ElasticsearchConfig, log: Logger) {
    const server = new ElasticsearchServer(config, log);
    const names = new ServerNames(config.prefix);
    const indexes = new IndexList(server, names);
    const collections = new CollectionList({ server, names, indexes, config });
    const refreshes = new SharedRefresh(server);
    this.server = server;
    this.names = names;
    this.indexes = indexes;
    this.collections = collections;
    this.writer = new DocumentWriter({ server, names, collections, refreshes, config });
    this.search = new CollectionSearch({ server, names, collections, refreshes, config });
  }
}
