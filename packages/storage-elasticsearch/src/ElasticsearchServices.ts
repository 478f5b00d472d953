import type { Logger } from '@millrace/kernel';
import { CollectionList } from './catalog/CollectionList.js';
import { IndexList } from './catalog/IndexList.js';
import type { ElasticsearchConfig } from './ElasticsearchConfig.js';
import { ElasticsearchNames } from './names/ElasticsearchNames.js';
import { CollectionSearch } from './search/CollectionSearch.js';
import { ElasticsearchClient } from './client/ElasticsearchClient.js';
import { DocumentWriter } from './writes/DocumentWriter.js';
import { SharedRefresh } from './writes/SharedRefresh.js';

/** The components of a started engine. */
export class ElasticsearchServices {
  readonly elasticsearch: ElasticsearchClient;
  readonly names: ElasticsearchNames;
  readonly indexes: IndexList;
  readonly collections: CollectionList;
  readonly writer: DocumentWriter;
  readonly search: CollectionSearch;

  constructor(config: ElasticsearchConfig, log: Logger) {
    const elasticsearch = new ElasticsearchClient(config, log);
    const names = new ElasticsearchNames(config.prefix);
    const indexes = new IndexList(elasticsearch, names);
    const collections = new CollectionList({ elasticsearch, names, indexes, config, log });
    const refreshes = new SharedRefresh(elasticsearch);
    this.elasticsearch = elasticsearch;
    this.names = names;
    this.indexes = indexes;
    this.collections = collections;
    this.writer = new DocumentWriter({ elasticsearch, names, collections, refreshes, config });
    this.search = new CollectionSearch(elasticsearch, names, collections, refreshes, config);
  }
}
