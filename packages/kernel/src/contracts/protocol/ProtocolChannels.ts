import type { JsonObject } from '../../json/Json.js';

/** A channel of a protocol, as AsyncAPI describes it. */
export interface DescribedChannel {
  /** Unique in the document: begins with the name of the protocol. */
  readonly key: string;
  /** With parameters in braces; null where it has none. */
  readonly address: string | null;
  readonly summary: string;
  /** AsyncAPI parameters of the address, by name. */
  readonly parameters?: JsonObject;
  /** A runtime expression, where the request says where its reply goes. */
  readonly replyAddress?: string;
}

/** Where the messages of a protocol go. One channel for all three where a connection carries everything. */
export interface ProtocolChannels {
  /** `protocol` of an AsyncAPI server, such as `ws`. */
  readonly scheme: string;
  readonly requests: DescribedChannel;
  readonly responses: DescribedChannel;
  readonly notifications: DescribedChannel;
}
