export type { Followed, FollowedResult, FollowStatus } from './Followed.js';
export { follow, type FollowClient, type FollowCollection, type FollowOptions } from './follow.js';
