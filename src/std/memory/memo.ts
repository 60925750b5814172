/** Options of a memo whose key is not the argument's own identity. */
interface MemoOptions<Argument, Value> {
  /**
   * The object that identifies an argument, and determines the result; default the argument itself.
   */
  readonly identity?: (argument: Argument) => object;
  /** The result during its computation, for recursive definitions; default none. */
  readonly meanwhile?: (argument: Argument) => Value;
}

/**
 * A function that computes once for each object, by identity, and caches the result as long as the
 * object exists. The result may depend only on the argument, which must not change after its first
 * use.
 */
export function memoByIdentity<Argument extends object, Value>(
  compute: (argument: Argument) => Value,
  { identity, meanwhile }: MemoOptions<Argument, Value> = {},
): (argument: Argument) => Value {
  const known = new WeakMap<object, Value>();
  return (argument) => {
    const key = identity === undefined ? argument : identity(argument);
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as Value;
    if (meanwhile !== undefined) known.set(key, meanwhile(argument));
    const value = compute(argument);
    known.set(key, value);
    return value;
  };
}

/** The same for two arguments. */
export function memoByIdentities<First extends object, Second extends object, Value>(
  compute: (first: First, second: Second) => Value,
): (first: First, second: Second) => Value {
  const ofFirst = memoByIdentity((first: First) =>
    memoByIdentity((second: Second) => compute(first, second)),
  );
  return (first, second) => ofFirst(first)(second);
}

/**
 * A function that computes once for each text or number, with a limit of cached results (count),
 * above which the oldest is dropped. The result may depend only on the argument.
 */
export function memoByKey<Key extends string | number, Value>(
  compute: (key: Key) => Value,
  limit: number,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined || known.has(key)) return found as Value;
    const value = compute(key);
    const oldest = known.size < limit ? undefined : known.keys().next();
    if (oldest?.done === false) known.delete(oldest.value);
    known.set(key, value);
    return value;
  };
}
