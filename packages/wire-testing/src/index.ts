export { Chance } from './Chance.js';
export { FakeHost } from './FakeHost.js';
export { footprint } from './footprint.js';
export { Inbox, type Received } from './Inbox.js';
export { REQUESTS, SPICES } from './malformedJson.js';
