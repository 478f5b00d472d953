// Brute force: every filter compiled to a closure, all of them tried on every document.
const RADIANS = Math.PI / 180;
const DIAMETER_METRES = 2 * 6_371_008.7714;

function compile(filter) {
  const [operator] = Object.keys(filter);
  const argument = filter[operator];
  switch (operator) {
    case 'and': {
      const parts = argument.map(compile);
      return (document) => parts.every((part) => part(document));
    }
    case 'or': {
      const parts = argument.map(compile);
      return (document) => parts.some((part) => part(document));
    }
    case 'not': {
      const part = compile(argument);
      return (document) => !part(document);
    }
    case 'exists': {
      const { field } = argument;
      return (document) => (document[field] ?? undefined) !== undefined;
    }
    case 'missing': {
      const { field } = argument;
      return (document) => (document[field] ?? undefined) === undefined;
    }
    default:
      return compileLeaf(operator, argument);
  }
}

function compileLeaf(operator, argument) {
  const [field] = Object.keys(argument);
  const operand = argument[field];
  switch (operator) {
    case 'equals':
      return (document) => document[field] === operand;
    case 'in':
      return (document) => operand.includes(document[field]);
    case 'range': {
      const { gte, lt } = operand;
      return (document) => {
        const value = document[field];
        return typeof value === 'number' && value >= gte && value < lt;
      };
    }
    case 'regexp': {
      const pattern = new RegExp(operand.value);
      return (document) => typeof document[field] === 'string' && pattern.test(document[field]);
    }
    case 'geoDistance': {
      const metres = parseInt(argument.distance, 10);
      const cosine = Math.cos(operand.lat * RADIANS);
      return (document) => {
        const { lat, lon } = document[field];
        const halfLat = Math.sin(((lat - operand.lat) * RADIANS) / 2);
        const halfLon = Math.sin(((lon - operand.lon) * RADIANS) / 2);
        const square = halfLat * halfLat + cosine * Math.cos(lat * RADIANS) * halfLon * halfLon;
        return DIAMETER_METRES * Math.asin(Math.sqrt(square)) <= metres;
      };
    }
    default:
      throw new Error(`No closure for ${operator}`);
  }
}

export function bruteForce() {
  const tests = [];
  return {
    register(filter) {
      return tests.push(compile(filter)) - 1;
    },
    test(document) {
      const matches = [];
      for (let i = 0; i < tests.length; i++) if (tests[i](document)) matches.push(i);
      return matches;
    },
    remove() {
      tests.pop();
    },
  };
}
