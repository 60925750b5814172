import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runSteps } from "#/std/base/steps.ts";
import { type FieldError, formatFieldError } from "../../meta/field-error.ts";
import { fieldPath } from "../../meta/field-path.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { validateDefinitionRules } from "./definition-rules.ts";
import { ruleValidator } from "./rule-validator.ts";

/** An error as tools/record-cel writes it. */
interface RecordedError {
  readonly type: string;
  readonly field: string;
  readonly detail?: string;
  readonly text: string;
}

interface RulesCase {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly object: unknown;
  readonly oldObject?: unknown;
  readonly ratchet?: boolean;
  readonly budget?: number;
  readonly root?: boolean;
  readonly want: {
    readonly errors: readonly RecordedError[];
    readonly warnings?: readonly string[];
    readonly remaining: number;
  };
}

interface DefinitionCase {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly want: readonly RecordedError[];
}

for (const { name, schema, object, want, ...options } of read<RulesCase>("rules.json")) {
  test(`RuleValidator gives upstream's result: ${name}`, () => {
    const { oldObject: old, ratchet = false, budget, root: isRoot = true } = options;
    const validator = ruleValidator(schema, { isRoot });
    const limits = budget === undefined ? {} : { budget };
    const outcome = validator?.validate(object, { old, ratchet, ...limits }) ?? {
      errors: [],
      warnings: [],
      remainingBudget: want.remaining,
    };
    assert.deepEqual(
      {
        errors: outcome.errors.map(recorded).sort(byField),
        warnings: outcome.warnings.map(formatFieldError).sort(),
        remaining: outcome.remainingBudget,
      },
      { warnings: [], ...want },
    );
  });
}

/** Compatible with the previous version, the default of a 1.37 server. */
const compatibility = () => 36;

for (const { name, schema, want } of read<DefinitionCase>("definitions.json")) {
  test(`validateDefinitionRules() gives upstream's result: ${name}`, () => {
    const path = fieldPath("spec", "validation", "openAPIV3Schema");
    const errors = runSteps(validateDefinitionRules(schema, path, { compatibility }));
    assert.deepEqual(errors.map(recorded).sort(byField), want);
  });
}

function read<Case>(name: string): readonly Case[] {
  const path = join(import.meta.dirname, "../recorded", name);
  return JSON.parse(readFileSync(path, "utf8")).cases;
}

function recorded(error: FieldError): RecordedError {
  const { type, field, detail } = error;
  return { type, field, ...(detail !== "" && { detail }), text: formatFieldError(error) };
}

const byField = (a: RecordedError, b: RecordedError): number =>
  a.field < b.field ? -1 : a.field > b.field ? 1 : 0;
