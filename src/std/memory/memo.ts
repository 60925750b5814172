/** How results are remembered where the argument's own identity is not the key. */
export interface MemoOptions<Argument, Value> {
  /** The object that an argument is known by, which must decide the result; default the argument itself. */
  readonly identity?: (argument: Argument) => object;
  /** The result while it is being computed, for definitions that contain themselves; default none. */
  readonly meanwhile?: (argument: Argument) => Value;
}

/**
 * A function that computes once for each object, by its identity, and remembers the result for as long as the object lives.
 * The result may depend on the argument alone, and the argument must not change once it was seen.
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
 * A function that computes once for each text or number, up to a limit of results (count), after which the one that was
 * computed first is forgotten. The result may depend on the argument alone.
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
