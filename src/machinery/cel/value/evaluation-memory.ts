/**
 * Facts about large values that one evaluation has computed. Expressions read the same object or text often, such as
 * once for each entry of a map, and counting a large one takes milliseconds. Nothing changes during an evaluation.
 */
interface Memory {
  readonly keys: WeakMap<object, readonly string[]>;
  readonly sizes: Map<string, number>;
}

/** Texts shorter than this (units) are counted each time, which is as fast as a lookup. */
const longText = 1_024;
/** Limit of texts whose size is known (count): they stay in memory until the evaluation ends. */
const maxTexts = 64;

/** Undefined outside of an evaluation. */
let memory: Memory | undefined;

/** Runs an evaluation, which must be synchronous. */
export function withMemory<Result>(evaluate: () => Result): Result {
  if (memory) return evaluate();
  memory = { keys: new WeakMap(), sizes: new Map() };
  try {
    return evaluate();
  } finally {
    memory = undefined;
  }
}

/** The keys of an object in wire form. */
export function objectKeys(object: object): readonly string[] {
  const known = memory?.keys.get(object);
  if (known) return known;
  const keys = Object.keys(object);
  memory?.keys.set(object, keys);
  return keys;
}

/** The size of a text, counted once if it is long. */
export function knownSize(text: string, count: (text: string) => number): number {
  if (!memory || text.length < longText) return count(text);
  const { sizes } = memory;
  const known = sizes.get(text);
  if (known !== undefined) return known;
  const size = count(text);
  if (sizes.size === maxTexts) sizes.clear();
  sizes.set(text, size);
  return size;
}
