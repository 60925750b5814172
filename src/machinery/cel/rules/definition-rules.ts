import { append } from "#/std/base/append.ts";
import type { Steps } from "#/std/base/steps.ts";
import {
  type FieldError,
  forbidden,
  internalError,
  invalid,
  notSupported,
  required,
} from "../../meta/field-error.ts";
import type { FieldPath } from "../../meta/field-path.ts";
import { lesser } from "../model/range.ts";
import { declareSchema } from "../schema/decl-type.ts";
import { type JsonSchema, type ValidationRule, valuesSchema } from "../schema/json-schema.ts";
import { maxUint64 } from "../value/uint.ts";
import {
  type CompiledRule,
  type CompileOptions,
  compileRules,
  maxCardinality,
  selfTypeName,
} from "./compile-rules.ts";
import { costProblem, expressionCostLimit, schemaCostLimit, TotalCost } from "./definition-cost.ts";
import { FieldPathError, parseFieldPath } from "./field-path.ts";

/**
 * Validates the rules in the schema of a CRD: texts, types, and estimated costs. The schema must be
 * structural and otherwise valid. `path` is that of the schema.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
export function* validateDefinitionRules(
  schema: JsonSchema,
  path: FieldPath,
  options: DefinitionOptions = {},
): Steps<FieldError[]> {
  const total = new TotalCost();
  const { textErrors, ruleErrors } = yield* new DefinitionRules(total, options).validate(schema, {
    path,
    isRoot: true,
    cardinality: 1n,
    uncorrelatable: undefined,
    textsOnly: options.textsOnly ?? false,
  });
  return [...textErrors, ...ruleErrors, ...total.problems(path, schemaCostLimit)];
}

interface DefinitionOptions extends CompileOptions {
  /** Validate only the texts, because the schema is invalid and rules cannot be compiled. */
  readonly textsOnly?: boolean;
  /**
   * Whether a schema and its nested schemas have no other errors; rules of others are not compiled.
   */
  readonly isSound?: (schema: JsonSchema) => boolean;
  /** Existing rules may cost more than new ones. */
  readonly anyExpressionCost?: boolean;
}

/** Errors of texts prevent the compilation of rules at or above their path. */
interface Findings {
  readonly textErrors: FieldError[];
  readonly ruleErrors: FieldError[];
}

interface Place {
  readonly path: FieldPath;
  /** Whether it is the schema of a root object. */
  readonly isRoot: boolean;
  /** The number of values of the schema in one object; undefined if unlimited. */
  readonly cardinality: bigint | undefined;
  /** The enclosing schema whose parts cannot be correlated with the old object. */
  readonly uncorrelatable: FieldPath | undefined;
  /** Inside allOf and similar: only the texts of rules are validated. */
  readonly textsOnly?: boolean;
}

class DefinitionRules {
  readonly #total: TotalCost;
  readonly #options: DefinitionOptions;

  constructor(total: TotalCost, options: DefinitionOptions) {
    this.#total = total;
    this.#options = options;
  }

  *validate(schema: JsonSchema, place: Place): Steps<Findings> {
    const findings: Findings = { textErrors: [], ruleErrors: [] };
    for (const [child, childPlace] of children(schema, place)) {
      const { textErrors, ruleErrors } = yield* this.validate(child, childPlace);
      append(findings.textErrors, textErrors);
      append(findings.ruleErrors, ruleErrors);
    }
    const rules = schema["x-kubernetes-validations"] ?? [];
    const path = place.path.child("x-kubernetes-validations");
    for (const [i, rule] of rules.entries()) {
      append(findings.textErrors, textProblems(rule, schema, path.index(i)));
    }
    const isSound = findings.textErrors.length === 0 && (this.#options.isSound?.(schema) ?? true);
    if (rules.length > 0 && !place.textsOnly && isSound) {
      append(findings.ruleErrors, yield* this.#validateRules(schema, place, path));
    }
    return findings;
  }

  *#validateRules(schema: JsonSchema, place: Place, path: FieldPath): Steps<FieldError[]> {
    const decl = declareSchema(schema, { typeName: selfTypeName, isRoot: place.isRoot });
    if (decl === undefined) {
      const why = "unable to convert structural schema to CEL declarations";
      const what =
        "internal error: failed to construct type information for x-kubernetes-validations rules";
      return [internalError(path, new Error(`${what}: ${why}`))];
    }
    const cardinality = place.cardinality ?? maxCardinality(decl.minSerializedSize);
    const errors: FieldError[] = [];
    let index = 0;
    for (const compiled of compileRules(schema, decl, this.#options)) {
      const at = path.index(index++);
      append(errors, this.#costErrors(compiled, cardinality, at));
      append(errors, compileErrors(compiled, place, at));
      yield;
    }
    return errors;
  }

  #costErrors(compiled: CompiledRule, cardinality: bigint, path: FieldPath): FieldError[] {
    const errors: FieldError[] = [];
    const observe = (name: string, field: string, cost: bigint): void => {
      const fieldPath = path.child(field);
      if (cost > expressionCostLimit && !this.#options.anyExpressionCost) {
        errors.push(forbidden(fieldPath, costProblem(name, cost, expressionCostLimit)));
      }
      this.#total.observe(fieldPath, cost);
    };
    const cost = lesser(compiled.maxCost * cardinality, maxUint64);
    observe("estimated rule cost", "rule", cost);
    if (compiled.message !== undefined) {
      observe("estimated messageExpression cost", "messageExpression", compiled.messageMaxCost);
    }
    return errors;
  }
}

function compileErrors(compiled: CompiledRule, place: Place, path: FieldPath): FieldError[] {
  const { rule, error, messageError, usesOldSelf } = compiled;
  const errors: FieldError[] = [];
  if (error !== undefined) errors.push(invalid(path.child("rule"), shown(rule), error));
  if (messageError !== undefined) {
    errors.push(invalid(path.child("messageExpression"), shown(rule), messageError));
  }
  if (usesOldSelf && place.uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    errors.push(invalid(path.child("rule"), rule.rule, why));
  }
  if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const why = "may not be set if oldSelf is not used in rule";
    errors.push(invalid(path.child("optionalOldSelf"), rule.optionalOldSelf, why));
  }
  return errors;
}

/** A rule as upstream prints it: the fields of its Go type. */
function shown(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

const reasons = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

function textProblems(rule: ValidationRule, schema: JsonSchema, path: FieldPath): FieldError[] {
  const { message = "", messageExpression = "", fieldPath = "", reason } = rule;
  const errors: FieldError[] = [];
  const isBlank = (text: string) => text !== "" && text.trim() === "";
  if (rule.rule.trim() === "") {
    errors.push(required(path.child("rule"), "rule is not specified"));
  } else if (isBlank(message)) {
    errors.push(invalid(path.child("message"), message, "must be non-empty if specified"));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(path.child("message"), message, "must not contain line breaks"));
  } else if (hasLineBreak(rule.rule.trim()) && message === "") {
    const why = "message must be specified if rule contains line breaks";
    errors.push(required(path.child("message"), why));
  }
  if (isBlank(messageExpression)) {
    const why = "messageExpression must be non-empty if specified";
    errors.push(required(path.child("messageExpression"), why));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(path.child("reason"), reason, reasons));
  }
  append(errors, fieldPathProblems(fieldPath, schema, path.child("fieldPath")));
  return errors;
}

function fieldPathProblems(fieldPath: string, schema: JsonSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (fieldPath === "") return errors;
  if (fieldPath.trim() === "") {
    errors.push(invalid(path, fieldPath, "must be non-empty if specified"));
  }
  if (hasLineBreak(fieldPath))
    errors.push(invalid(path, fieldPath, "must not contain line breaks"));
  try {
    parseFieldPath(fieldPath, schema);
  } catch (error) {
    if (!(error instanceof FieldPathError)) throw error;
    errors.push(invalid(path, fieldPath, "must be a valid path"));
  }
  return errors;
}

/** The schemas directly inside a schema, with their paths. */
function* children(schema: JsonSchema, place: Place): Generator<[JsonSchema, Place], void> {
  const { path, textsOnly = false } = place;
  const cardinality = childCardinality(schema, place.cardinality);
  const at = (child: JsonSchema, childPath: FieldPath, breaks = false): [JsonSchema, Place] => {
    const uncorrelatable = place.uncorrelatable ?? (breaks ? path : undefined);
    const isRoot = child["x-kubernetes-embedded-resource"] === true;
    return [child, { path: childPath, isRoot, cardinality, uncorrelatable, textsOnly }];
  };
  const values = valuesSchema(schema);
  if (values !== undefined) yield at(values, path.child("additionalProperties"));
  const mapType = schema["x-kubernetes-map-type"] ?? "granular";
  const isCorrelatable = mapType === "granular" || mapType === "atomic";
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield at(property, path.child("properties").key(name), !isCorrelatable);
  }
  for (const [i, part] of (schema.allOf ?? []).entries()) {
    const [child, childPlace] = at(part, path.child("allOf").index(i));
    yield [child, { ...childPlace, textsOnly: true }];
  }
  if (schema.items !== undefined) {
    yield at(schema.items, path.child("items"), schema["x-kubernetes-list-type"] !== "map");
  }
}

/** The number of values of nested schemas, given the number of values of the schema itself. */
function childCardinality(schema: JsonSchema, own: bigint | undefined): bigint | undefined {
  const isList = schema.type === "array";
  const isMap = schema.type === "object" && schema.additionalProperties !== undefined;
  if (own === undefined || (!isList && !isMap)) return own;
  const most = isList ? schema.maxItems : schema.maxProperties;
  if (most === undefined) return undefined;
  return lesser(own * BigInt(Math.max(0, Number(most))), maxUint64);
}
