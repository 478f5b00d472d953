export { Adoption, type AdoptionParts } from './Adoption.js';
export { EngineFile, type MovedTo } from './EngineFile.js';
export type { EngineSwitch, WritingEngine } from './EngineSwitch.js';
export { moveModule, MOVES } from './moveModule.js';
export { Moves, type MovesParts } from './Moves.js';
export type { MoveGoal, MoveRequest, MoveState } from './MoveState.js';
