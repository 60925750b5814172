import type { FieldError } from "#/machinery/meta/field-error.ts";

/** Server settings that rules may depend on. They are constant while the server runs. */
export interface ServerRules {
  /** Whether a feature gate is on. Invariant: one server has one such function, and its results are constant. */
  readonly enabled: (feature: string) => boolean;
  /** Containers may be privileged (--allow-privileged). */
  readonly allowPrivileged: boolean;
}

/** The hooks' results for one value of the common field. */
export interface CommonFindings {
  errors(rules: ServerRules): readonly FieldError[] | undefined;
  warnings(): readonly string[] | undefined;
}

/** The results for a value that belongs to one object: nothing is cached. */
export const findingsOf = (hooks: CommonHooks, value: object): CommonFindings => ({
  errors: (rules) => hooks.validate?.(value, rules),
  warnings: () => hooks.warnings?.(value),
});

/**
 * A field that many objects have in common, and the hooks that read only it. Their results are cached for shared
 * values, so they may depend on their arguments only.
 */
export interface CommonHooks<Value = object> {
  readonly field: string;
  /** Sets the defaults of the field. */
  setDefaults?(value: Value): void;
  /** Validation errors of the field in a new object; undefined if that depends on more than the field. */
  validate?(value: Value, rules: ServerRules): readonly FieldError[] | undefined;
  /** Warnings for the author of a new object. */
  warnings?(value: Value): readonly string[];
}
