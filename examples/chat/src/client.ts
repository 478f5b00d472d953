import { createClient, localStorageStore } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { offline } from '@millrace/client/offline';
import { realtime } from '@millrace/client/realtime';

export interface Room {
  readonly name: string;
  /** Of a private room; others don't see it. */
  readonly members?: readonly string[];
}

export interface Message {
  readonly room: string;
  readonly author: string;
  readonly text: string;
  /** Those of a private room, from the server. */
  readonly members?: readonly string[];
}

/** Who is in a room, and who is typing: nothing of it is stored. */
export interface Activity {
  readonly room: string;
  readonly user: string;
  readonly isTyping: boolean;
}

interface Schema {
  readonly chat: {
    readonly rooms: Room;
    readonly messages: Message;
    readonly activity: Activity;
  };
}

export const client = createClient<Schema>(`${location.origin}/api`, {
  auth: localStorageStore('chat.token'),
})
  .with(realtime())
  .with(follow())
  .with(offline());

export const rooms = client.collection('chat', 'rooms');
export const messages = client.collection('chat', 'messages');
export const activity = client.collection('chat', 'activity');
