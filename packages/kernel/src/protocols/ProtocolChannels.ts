import type { JsonObject } from '../json/Json.js';

/** A channel of a protocol, as AsyncAPI describes it. */
export interface DescribedChannel {
  /** Unique in the document; begins with the name of the protocol. */
  readonly key: string;
  /** With parameters in braces; null if it has none. */
  readonly address: string | null;
  readonly summary: string;
  /** AsyncAPI parameters of the address, by name. */
  readonly parameters?: JsonObject;
  /** A runtime expression, if the request says where to send the reply. */
  readonly replyAddress?: string;
}

/** Destinations of a protocol's messages. One channel for all three if a connection carries everything. */
export interface ProtocolChannels {
  /** `protocol` of an AsyncAPI server, such as `ws`. */
  readonly scheme: string;
  readonly requests: DescribedChannel;
  readonly responses: DescribedChannel;
  readonly notifications: DescribedChannel;
  /** Absent if the protocol has no heartbeats (`Connection.startHeartbeats`). */
  readonly heartbeats?: DescribedChannel;
}
