import { describeDocumentPipes } from './describeDocumentPipes.js';

describeDocumentPipes({ index: 'piped' });
