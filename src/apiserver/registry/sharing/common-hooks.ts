import type { FieldError } from "#/machinery/meta/field-error.ts";

/** What of a server's settings rules may depend on. They stay as they are while the server runs. */
export interface ServerRules {
  /** Whether a feature gate is on. Invariant: one server has one such function, which always says the same. */
  readonly enabled: (feature: string) => boolean;
  /** Containers may be privileged (--allow-privileged). */
  readonly allowPrivileged: boolean;
}

/** What hooks say about one value of the common field. */
export interface CommonFindings {
  errors(rules: ServerRules): readonly FieldError[] | undefined;
  warnings(): readonly string[] | undefined;
}

/** The findings in a value that is one object's own: nothing is remembered. */
export const findingsOf = (hooks: CommonHooks, value: object): CommonFindings => ({
  errors: (rules) => hooks.validate?.(value, rules),
  warnings: () => hooks.warnings?.(value),
});

/**
 * A field that many objects have in common, and the hooks that look at nothing else. Their results are remembered for values
 * that are shared, so they may depend on their arguments alone.
 */
export interface CommonHooks<Value = object> {
  readonly field: string;
  /** Fills in what the client left out of the field. */
  setDefaults?(value: Value): void;
  /** What is wrong with the field in a new object; undefined where that depends on more than the field. */
  validate?(value: Value, rules: ServerRules): readonly FieldError[] | undefined;
  /** What the author of a new object is warned of. */
  warnings?(value: Value): readonly string[];
}
