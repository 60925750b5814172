import { type FieldError, JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { Problems } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { firstByKey, repeatedIndices } from "#/std/base/by-key.ts";
import type { FieldReport } from "./field-report.ts";

/**
 * Rules that are declared with a type as tags, not programmed: new kinds have little else.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/validate, the tags +k8s: in types.go.
 */
export interface StructRules {
  /** Exactly one of these fields must be set. */
  readonly union?: readonly string[];
  /** Rules by field, in the order of the checks. */
  readonly fields: Readonly<Record<string, FieldRule>>;
}

/** Rules of a field. A broken rule among the first ones ends the check of the field. */
export interface FieldRule {
  /** The field may be set only if this feature is enabled. */
  readonly gate?: string;
  readonly immutable?: boolean;
  readonly maxItems?: number;
  /** Items of a list, identified by name, may be neither added nor removed. */
  readonly fixedItems?: boolean;
  /** An update may neither set nor unset the field, but may change its value. */
  readonly fixedPresence?: boolean;
  readonly required?: boolean;

  readonly format?: (text: string) => Problems;
  /** A rule of the value that reports more precise errors than one for the whole value. */
  readonly check?: (path: FieldPath, text: string) => readonly FieldError[];
  /** A rule for each key of a map. */
  readonly keys?: (text: string) => Problems;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly string[];
  /** Rules of the struct in this field; a function, since types may be recursive. */
  readonly struct?: () => StructRules;
  /** Rules for each item of the list in this field. */
  readonly items?: () => StructRules;
  /** Rules for each value of the map in this field. */
  readonly entries?: () => StructRules;
  /** Items of the list have unique keys: the field `name`, another field, or a key computed from several fields. */
  readonly named?: boolean | string | ((item: Readonly<Record<string, unknown>>) => string);
  /** The texts in the list are unique. */
  readonly unique?: boolean;
}

/** Inputs of the rules. */
interface RuleScope {
  readonly isUpdate: boolean;
  enabled(feature: string): boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Checks a struct; old is the value that an update replaces. Unchanged values are not checked. */
export function validateDeclared(
  report: FieldReport,
  path: FieldPath,
  { value, old, rules }: { value: object; old: object | undefined; rules: StructRules },
  scope: RuleScope,
): void {
  const fields = value as Fields;
  const before = old as Fields | undefined;
  if (rules.union) validateUnion(report, path, { fields, before, union: rules.union });
  for (const [name, rule] of Object.entries(rules.fields)) {
    const same = before !== undefined && deepEqual(fields[name] ?? null, before[name] ?? null);
    if (scope.isUpdate && same) continue;
    const at = path.child(name);
    const [now, then] = [fields[name], before?.[name]];
    if (!passes(report, at, { now, then, rule }, scope)) continue;
    validateValue(report, at, now, rule);
    validateInside(report, at, { now, then, rule }, scope);
  }
}

/**
 * Errors of programmed and declared rules, in the order of the response. If both report the same, the declared error
 * is used, since it names fields as in the version of the request.
 * Upstream: staging/src/k8s.io/apimachinery/pkg/api/validate/errors.go.
 */
export function withDeclared(
  programmed: readonly FieldError[],
  declared: readonly FieldError[],
  nameOfField: (field: string) => string = (field) => field,
): FieldError[] {
  const declaredKeys = new Set(declared.map(({ type, field }) => `${type} ${field}`));
  return [
    ...programmed.filter(({ type, field }) => !declaredKeys.has(`${type} ${field}`)),
    ...declared.map((error) => ({ ...error, field: nameOfField(error.field) })),
  ];
}

/** The same if only the format of the object's name is declared. */
export const withDeclaredName = (
  programmed: readonly FieldError[],
  declared: readonly FieldError[] = [],
): FieldError[] =>
  withDeclared(programmed, [
    ...programmed.filter(
      ({ type, field }) => type === "FieldValueInvalid" && field === "metadata.name",
    ),
    ...declared,
  ]);

const isSet = (value: unknown): boolean => isGiven(value) && value !== 0 && !isEmptyMap(value);

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";

/** Members of a union are pointers or lists. */
const isChosen = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined;

const isEmptyMap = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function validateUnion(
  report: FieldReport,
  path: FieldPath,
  {
    fields,
    before,
    union,
  }: { fields: Fields; before: Fields | undefined; union: readonly string[] },
): void {
  if (before && union.every((name) => isChosen(fields[name]) === isChosen(before[name]))) return;
  const given = union.filter((name) => isChosen(fields[name]));
  const all = union.map((name) => `\`${name}\``).join(", ");
  if (given.length > 1) {
    report.invalid(path, "", `{${given.join(", ")}}`, `must specify exactly one of: ${all}`);
  } else if (given.length === 0) {
    report.invalid(path, "", "", `must specify one of: ${all}`);
  }
}

interface Change {
  readonly now: unknown;
  readonly then: unknown;
  readonly rule: FieldRule;
}

/** Checks the rules that come first; false ends the check of the field. */
function passes(
  report: FieldReport,
  path: FieldPath,
  { now, then, rule }: Change,
  scope: RuleScope,
): boolean {
  const known = report.errors.length;
  if (rule.gate !== undefined && !scope.enabled(rule.gate) && isGiven(now)) {
    report.forbidden(path, "", "");
  }
  if (rule.immutable && scope.isUpdate) {
    report.invalid(path, "", new JsonValue(null), immutableMessage);
  }
  const items = Array.isArray(now) ? now : [];
  if (rule.maxItems !== undefined && items.length > rule.maxItems) {
    report.tooMany(path, "", { actual: items.length, max: rule.maxItems });
  }
  if (rule.fixedItems && scope.isUpdate) validateFixedItems(report, path, items, then);
  if (rule.fixedPresence && scope.isUpdate) validateFixedPresence(report, path, now, then);
  if (rule.required && !isSet(now)) report.required(path, "");
  return report.errors.length === known && isGiven(now);
}

function validateFixedItems(
  report: FieldReport,
  path: FieldPath,
  items: readonly unknown[],
  old: unknown,
): void {
  const before = Array.isArray(old) ? old : [];
  const names = new Set(items.map((item) => nameOf(item)));
  const known = new Set(before.map((item) => nameOf(item)));
  items.forEach((item, index) => {
    if (!known.has(nameOf(item))) report.forbidden(path.index(index), "", "item may not be added");
  });
  for (const item of before) {
    if (!names.has(nameOf(item))) report.forbidden(path, "", "item may not be removed");
  }
}

function validateFixedPresence(
  report: FieldReport,
  path: FieldPath,
  now: unknown,
  then: unknown,
): void {
  if (isGiven(now) === isGiven(then)) return;
  const detail = isGiven(now)
    ? "field cannot be set once created"
    : "field cannot be cleared once set";
  report.invalid(path, "", new JsonValue(null), detail);
}

function nameOf(item: unknown, key: FieldRule["named"] = true): string {
  const fields = item as Readonly<Record<string, string | undefined>>;
  if (typeof key === "function") return key(fields);
  return fields[typeof key === "string" ? key : "name"] ?? "";
}

function validateValue(
  report: FieldReport,
  path: FieldPath,
  value: unknown,
  { format, check, keys, minimum, maximum, values, unique }: FieldRule,
): void {
  if (unique && Array.isArray(value)) validateUniqueTexts(report, path, value);
  if (check && typeof value === "string") report.add(check(path, value));
  if (keys && typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) report.problems(path, "", key, keys(key));
  }
  if (format && typeof value === "string") report.problems(path, "", value, format(value));
  if (minimum !== undefined && typeof value === "number" && value < minimum) {
    report.invalid(path, "", value, `must be greater than or equal to ${minimum}`);
  }
  if (maximum !== undefined && typeof value === "number" && value > maximum) {
    report.invalid(path, "", value, `must be less than or equal to ${maximum}`);
  }
  if (values && !values.includes(String(value))) report.notSupported(path, "", value, values);
}

function validateInside(
  report: FieldReport,
  path: FieldPath,
  { now, then, rule }: Change,
  scope: RuleScope,
): void {
  if (rule.struct) {
    const inside = { value: now as object, old: then as object | undefined, rules: rule.struct() };
    validateDeclared(report, path, inside, scope);
  }
  if (rule.entries) validateEntries(report, path, { now, then, rule }, scope);
  if (!rule.items || !Array.isArray(now)) return;
  const items: readonly object[] = now;
  const before: readonly object[] = Array.isArray(then) ? then : [];
  const key = rule.named;
  if (key) validateUnique(report, path, items, key);
  const rules = rule.items();
  const beforeByName = key ? firstByKey(before, (item) => nameOf(item, key)) : undefined;
  items.forEach((value, index) => {
    const old = beforeByName?.get(nameOf(value, key));
    if (old && scope.isUpdate && deepEqual(value, old)) return;
    validateDeclared(report, path.index(index), { value, old, rules }, scope);
  });
}

function validateEntries(
  report: FieldReport,
  path: FieldPath,
  { now, then, rule }: Change,
  scope: RuleScope,
): void {
  const rules = rule.entries?.();
  if (!rules || typeof now !== "object" || now === null) return;
  const before = then as Readonly<Record<string, object>> | undefined;
  for (const [key, value] of Object.entries(now as Readonly<Record<string, object>>)) {
    const old = before?.[key];
    if (old && scope.isUpdate && deepEqual(value, old)) continue;
    validateDeclared(report, path.key(key), { value, old, rules }, scope);
  }
}

function validateUnique(
  report: FieldReport,
  path: FieldPath,
  items: readonly object[],
  key: FieldRule["named"],
): void {
  const names = new Set<string>();
  items.forEach((item, index) => {
    const name = nameOf(item, key);
    if (names.has(name)) report.duplicate(path.index(index), "", new JsonValue(item));
    names.add(name);
  });
}

function validateUniqueTexts(
  report: FieldReport,
  path: FieldPath,
  texts: readonly unknown[],
): void {
  for (const index of repeatedIndices(texts)) {
    report.duplicate(path.index(index), "", texts[index]);
  }
}
