import { runSteps, type Steps } from "#/std/base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { FieldPath } from "../../meta/field-path.ts";
import { costBudget, outOfBudget } from "../cost/budget.ts";
import { type DeclType, declareSchema } from "../schema/decl-type.ts";
import { escapeName } from "../schema/escape-name.ts";
import {
  type JsonSchema,
  propertySchema,
  valuesSchema,
  withTypeAndObjectMeta,
} from "../schema/json-schema.ts";
import { schemaValue } from "../schema/schema-value.ts";
import { CelFault } from "../value/cel-fault.ts";
import { none, Optional } from "../value/optional.ts";
import { type CompiledRule, compileRules, selfTypeName } from "./compile-rules.ts";
import { Correlation, Ratchet } from "./correlation.ts";
import { evaluateRule } from "./evaluate-rule.ts";
import { MapList } from "./map-list.ts";

/** The findings of rules. */
interface RuleOutcome {
  readonly errors: readonly FieldError[];
  /** Errors about unchanged parts. */
  readonly warnings: readonly FieldError[];
  /** The rest of the budget; negative if it was exceeded and not all rules ran. */
  readonly remainingBudget: number;
}

interface ValidateOptions {
  /** The object before an update; undefined on create. */
  readonly old?: unknown;
  readonly budget?: number;
  /** Turn errors about unchanged parts into warnings. */
  readonly ratchet?: boolean;
}

/** Compiles all rules of a schema and its nested schemas; undefined if there are none. */
export function ruleValidator(
  schema: JsonSchema,
  { isRoot = true }: { isRoot?: boolean } = {},
): RuleValidator | undefined {
  if (!hasRules(schema)) return undefined;
  const decl = declareSchema(schema, { typeName: selfTypeName, isRoot });
  const root = new RuleNode(schema, schema, decl, isRoot);
  return new RuleValidator(root, schema);
}

function hasRules(schema: JsonSchema | undefined): boolean {
  if (schema === undefined) return false;
  if ((schema["x-kubernetes-validations"]?.length ?? 0) > 0) return true;
  const within = [schema.items, valuesSchema(schema), ...Object.values(schema.properties ?? {})];
  return within.some(hasRules);
}

/**
 * Validates objects by the rules of their schema.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
export class RuleValidator {
  readonly #root: RuleNode;
  readonly #schema: JsonSchema;

  constructor(root: RuleNode, schema: JsonSchema) {
    this.#root = root;
    this.#schema = schema;
  }

  /** Validates an object; `path` is the path of the object, undefined for a root object. */
  validate(value: unknown, options: ValidateOptions = {}, path?: FieldPath): RuleOutcome {
    return runSteps(this.steps(value, options, path));
  }

  /** The same in steps: a rule each. */
  *steps(value: unknown, options: ValidateOptions = {}, path?: FieldPath): Steps<RuleOutcome> {
    const { old, budget = costBudget, ratchet = false } = options;
    const run = new Run(budget);
    const correlation = ratchet ? new Correlation(value, old, this.#schema) : undefined;
    yield* this.#root.validate(run, { path, value, old, ratchet: new Ratchet(correlation) });
    return { errors: run.errors, warnings: run.warnings, remainingBudget: run.budget };
  }
}

/** One validation: its findings, and the rest of the budget. */
export class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: FieldError[] = [];
  budget: number;

  constructor(budget: number) {
    this.budget = budget;
  }

  get isOver(): boolean {
    return this.budget < 0;
  }

  /** Reports an error and stops: no more rules are run. */
  end(error: FieldError): void {
    this.errors.push(error);
    this.budget = -1;
  }
}

/** A part of the object and of the old one, with its path. */
export interface Part {
  readonly path: FieldPath | undefined;
  readonly value: unknown;
  readonly old: unknown;
  readonly ratchet: Ratchet;
}

/** The rules of a schema, and those of its nested schemas that have any. */
class RuleNode {
  /** The schema of the values; rules of allOf are nodes beside it. */
  readonly #schema: JsonSchema;
  readonly #hasRules: boolean;
  /** The rules compiled so far; undefined if the values have no type. Invariant: in their order. */
  readonly #rules: CompiledRule[] | undefined;
  /** Compiles the next rule: when it is first evaluated. */
  readonly #compile: Generator<CompiledRule, void> | undefined;
  readonly #isRoot: boolean;
  readonly #items: RuleNode | undefined;
  readonly #values: RuleNode | undefined;
  readonly #properties = new Map<string, RuleNode>();
  readonly #allOf: readonly RuleNode[];

  constructor(rules: JsonSchema, schema: JsonSchema, decl: DeclType | undefined, isRoot: boolean) {
    this.#schema = schema;
    this.#isRoot = isRoot;
    const own = rules["x-kubernetes-validations"] ?? [];
    this.#hasRules = own.length > 0;
    this.#rules = this.#hasRules && !decl ? undefined : [];
    const ruled = { ...schema, "x-kubernetes-validations": own };
    this.#compile = this.#hasRules && decl ? compileRules(ruled, decl) : undefined;
    this.#items = childNode(rules.items, schema.items, decl?.element);
    this.#values = childNode(valuesSchema(rules), valuesSchema(schema), decl?.element);
    for (const [name, property] of Object.entries(rules.properties ?? {})) {
      const type = propertyDecl(schema, name, decl);
      // Upstream ignores properties of unknown type.
      if (type === undefined) continue;
      const node = childNode(property, propertySchema(schema, name), type);
      if (node !== undefined) this.#properties.set(name, node);
    }
    this.#allOf = (rules.allOf ?? [])
      .map((part) => new RuleNode(part, schema, decl, isRoot))
      .filter((node) => node.hasAny);
  }

  /** Whether there is a rule here or below. */
  get hasAny(): boolean {
    return (
      this.#hasRules ||
      this.#items !== undefined ||
      this.#values !== undefined ||
      this.#properties.size > 0 ||
      this.#allOf.length > 0
    );
  }

  *validate(run: Run, part: Part): Steps<void> {
    if (part.value === null || part.value === undefined) return;
    yield* this.#validateOwn(run, part);
    for (const node of this.#allOf) {
      if (run.isOver) return;
      yield* node.validate(run, { ...part, ratchet: part.ratchet.withoutCurrent() });
    }
    if (run.isOver) return;
    if (Array.isArray(part.value)) yield* this.#validateItems(run, part, part.value);
    else if (typeof part.value === "object") {
      yield* this.#validateFields(run, part, part.value as Readonly<Record<string, unknown>>);
    }
  }

  /** All rules, compiled. */
  *#compiled(rules: CompiledRule[]): Steps<readonly CompiledRule[]> {
    for (;;) {
      const { done, value } = this.#compile?.next() ?? { done: true };
      if (done) return rules;
      rules.push(value);
      yield;
    }
  }

  *#validateOwn(run: Run, part: Part): Steps<void> {
    const { path, value } = part;
    const { type = "" } = this.#schema;
    if (this.#rules === undefined) {
      const why = "failed to convert to declType for CEL validation rules";
      run.errors.push(invalid(path, type, `rule compiler initialization error: ${why}`));
      return;
    }
    if (!this.#hasRules) return;
    if (run.budget <= 0) {
      run.end(invalid(path, type, outOfBudget));
      return;
    }
    const rules = yield* this.#compiled(this.#rules);
    const schema = this.#isRoot ? withTypeAndObjectMeta(this.#schema) : this.#schema;
    const old = part.old === null ? undefined : part.old;
    const self = schemaValue(value, schema);
    const oldSelf = old === undefined ? undefined : schemaValue(old, schema);
    const seesOld = oldSelf !== undefined && rules.some((rule) => rule.usesOldSelf);
    const plain = { self, ...(seesOld && { oldSelf }) };
    const optional = { self, oldSelf: oldSelf === undefined ? none : optionalOf(oldSelf) };
    for (const rule of rules) {
      if (run.isOver) return;
      if (rule.usesOldSelf && old === undefined && !rule.rule.optionalOldSelf) continue;
      const bindings = rule.rule.optionalOldSelf ? optional : plain;
      evaluateRule(run, rule, { part, type, bindings, messageBindings: plain });
      yield;
    }
  }

  *#validateItems(run: Run, part: Part, items: readonly unknown[]): Steps<void> {
    if (this.#items === undefined) return;
    const olds = new MapList(this.#schema, Array.isArray(part.old) ? part.old : []);
    for (const [index, value] of items.entries()) {
      if (run.isOver) return;
      const path = new FieldPath(part.path, "", index);
      const ratchet = part.ratchet.item(index);
      yield* this.#items.validate(run, { path, value, old: olds.find(value), ratchet });
    }
  }

  *#validateFields(run: Run, part: Part, fields: Readonly<Record<string, unknown>>): Steps<void> {
    const mapType = this.#schema["x-kubernetes-map-type"] ?? "granular";
    const olds = mapType === "granular" || mapType === "atomic" ? part.old : undefined;
    for (const [name, value] of Object.entries(fields)) {
      if (run.isOver) return;
      const old = fieldOf(olds, name);
      const ratchet = part.ratchet.field(name);
      if (this.#values) {
        const path = new FieldPath(part.path, "", name);
        yield* this.#values.validate(run, { path, value, old, ratchet });
      }
      if (run.isOver) return;
      const property = this.#properties.get(name);
      if (!property) continue;
      yield* property.validate(run, {
        path: new FieldPath(part.path, name, ""),
        value,
        old,
        ratchet,
      });
    }
  }
}

function optionalOf(value: ReturnType<typeof schemaValue>) {
  return value instanceof CelFault ? value : new Optional(value);
}

function childNode(
  rules: JsonSchema | undefined,
  schema: JsonSchema | undefined,
  decl: DeclType | undefined,
): RuleNode | undefined {
  if (rules === undefined || schema === undefined) return undefined;
  const node = new RuleNode(rules, schema, decl, schema["x-kubernetes-embedded-resource"] === true);
  return node.hasAny ? node : undefined;
}

/** The type of a property; also for properties that expressions cannot name. */
function propertyDecl(
  schema: JsonSchema,
  name: string,
  decl: DeclType | undefined,
): DeclType | undefined {
  const identifier = escapeName(name);
  if (identifier !== undefined) return decl?.fields?.get(identifier);
  const property = propertySchema(schema, name);
  const isRoot = property?.["x-kubernetes-embedded-resource"] === true;
  return property && declareSchema(property, { typeName: selfTypeName, isRoot });
}

function fieldOf(object: unknown, name: string): unknown {
  if (typeof object !== "object" || object === null || !Object.hasOwn(object, name))
    return undefined;
  return (object as Record<string, unknown>)[name];
}
