import type { JsonObject } from '@millrace/kernel';
import type { Describable } from './Describable.js';

/** A description and its JSON, cached for later requests. */
export interface MadeDescription {
  readonly document: JsonObject;
  readonly text: string;
}

/**
 * Descriptions of the server. The action table is fixed once the server has started, so each is built once, on first
 * use.
 */
export class ApiDescriptions {
  private openApiMade: Promise<MadeDescription> | undefined;
  private asyncApiMade: Promise<MadeDescription> | undefined;

  constructor(private readonly server: Describable) {}

  /** An OpenAPI 3.1 document of the HTTP routes. */
  openApi(): Promise<MadeDescription> {
    // Imported lazily: few servers are asked for it.
    this.openApiMade ??= import('./openapi/describeOpenApi.js').then(({ describeOpenApi }) =>
      withText(describeOpenApi(this.server)),
    );
    return this.openApiMade;
  }

  /** An AsyncAPI 3 document of the other protocols. */
  asyncApi(): Promise<MadeDescription> {
    this.asyncApiMade ??= import('./asyncapi/describeAsyncApi.js').then(({ describeAsyncApi }) =>
      withText(describeAsyncApi(this.server)),
    );
    return this.asyncApiMade;
  }
}

function withText(document: JsonObject): MadeDescription {
  return { document, text: JSON.stringify(document) };
}
