import { describe } from 'vitest';
import { describeDecisions } from './describeDecisions.js';

describe('on SQLite', () => describeDecisions(() => ({ engine: 'sqlite' })));
