import type { DocumentMetadata, ResponseMessage } from '@millrace/actions';
import { isError } from './errors/MillraceError.js';
import type { RequestOptions } from './Request.js';
import type { Message } from './Transport.js';

/** A stored document. */
export interface Document<T> {
  readonly id: string;
  /** Counts the changes of the document, from 1; see `ifVersion`. */
  readonly version: number;
  readonly source: T;
  /** When the document was created and last changed, and by which users. */
  readonly meta: DocumentMetadata;
}

/** Sends a message with the session, the time limit and the repeats of a client. */
export type Send = (message: Message, options?: RequestOptions) => Promise<ResponseMessage>;

/** The documents of one collection. Made by `client.collection`. */
export class Collection<T> {
  constructor(
    readonly send: Send,
    readonly index: string,
    readonly name: string,
  ) {}

  /** A document; null if it is absent. */
  async get(id: string, options?: RequestOptions): Promise<Document<T> | null> {
    try {
      const { result } = await this.send(
        {
          controller: 'document',
          action: 'get',
          index: this.index,
          collection: this.name,
          _id: id,
        },
        options,
      );
      const { _id, _version, _source, _meta } = result as unknown as {
        _id: string;
        _version: number;
        _source: T;
        _meta: DocumentMetadata;
      };
      return { id: _id, version: _version, source: _source, meta: _meta };
    } catch (error) {
      if (isError(error, 'document.not_found')) return null;
      throw error;
    }
  }
}
