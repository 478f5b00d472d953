import type { JsonObject } from '@millrace/kernel';
import type { Describable } from './Describable.js';

/** A description, and its JSON text: whoever asks again gets the same one. */
export interface MadeDescription {
  readonly document: JsonObject;
  readonly text: string;
}

/** The descriptions of a server. Its table of actions is fixed once it has started, so each is made once, when asked for. */
export class ApiDescriptions {
  private openApiMade: Promise<MadeDescription> | undefined;
  private asyncApiMade: Promise<MadeDescription> | undefined;

  constructor(private readonly server: Describable) {}

  /** An OpenAPI 3.1 document of the HTTP routes. */
  openApi(): Promise<MadeDescription> {
    // Imported here: a start need not load what few ask for.
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
