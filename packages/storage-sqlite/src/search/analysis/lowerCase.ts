// One way of lower case for texts and for keywords: it lies where keywords are read.
export { lowerCase } from '@millrace/query';
