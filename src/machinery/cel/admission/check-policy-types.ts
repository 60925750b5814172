/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
 */
import type {
  ExpressionWarning,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
} from "#/api/admissionregistration/v1.ts";
import type { Steps } from "#/std/base/steps.ts";
import type { DeclType } from "../schema/decl-type.ts";
import { anyType } from "../type/cel-type.ts";
import { PolicyCompiler } from "./policy-compiler.ts";

/** A kind of the API. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A kind with the CEL type of its objects. */
interface CheckedKind extends KindName {
  /**
   * Undefined if expressions cannot access the content of its objects: then every field is allowed.
   */
  readonly type?: DeclType | undefined;
}

/** The types against which the expressions of a policy are checked. */
export interface PolicyTypes {
  readonly kinds: readonly CheckedKind[];
  readonly params?: DeclType | undefined;
}

type Policy = Pick<ValidatingAdmissionPolicy, "spec">;

/**
 * Warnings about expressions that do not fit the types of the policy's objects: the typeChecking in
 * its status.
 */
export function* checkPolicyTypes(
  { spec = {} }: Policy,
  { kinds, params }: PolicyTypes,
): Steps<ExpressionWarning[]> {
  const { paramKind, variables = [], validations = [] } = spec;
  const compilers = kinds.map(({ group, version, kind, type: object }) => {
    const types = { ...(object && { object }), ...(params && { params }) };
    const hasParams = paramKind !== undefined;
    const compiler = new PolicyCompiler({ params: hasParams, authorizer: true, types });
    compiler.addLater(variables);
    return { compiler, name: `${group}/${version}, Kind=${kind}` };
  });
  const warnings: ExpressionWarning[] = [];
  for (const [index, { expression, messageExpression = "" }] of validations.entries()) {
    const checked = { expression, ...(messageExpression ? { messageExpression } : {}) };
    for (const [field, text] of Object.entries(checked)) {
      const found: string[] = [];
      for (const { compiler, name } of compilers) {
        yield* compiler.ready();
        const { issues } = compiler.compile(text, [anyType]);
        if (issues !== undefined) found.push(`${name}: ${issues}\n`);
        yield;
      }
      if (found.length === 0) continue;
      const fieldRef = `spec.validations[${index}].${field}`;
      warnings.push({ fieldRef, warning: found.join("\n") });
    }
  }
  return warnings;
}

/** Limit of kinds per rule against which a policy is checked (count). */
const maxKinds = 10;

/**
 * The kinds against which a policy is checked: those that its rules name without wildcards, sorted.
 */
export function kindsToCheck(
  { spec = {} }: Policy,
  kindsOf: (group: string, version: string, resource: string) => readonly KindName[],
): readonly KindName[] {
  const found = new Map<string, KindName>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    const kinds = namedResources(rule).flatMap((names) => kindsOf(...names));
    for (const kind of kinds.slice(0, maxKinds)) found.set(keyOf(kind), kind);
    if (kinds.length >= maxKinds) break;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

/** Group, version and name of each resource that a rule names without wildcards. */
function namedResources(rule: RuleWithOperations): [string, string, string][] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule;
  if ([...apiGroups, ...apiVersions].some((name) => name.includes("*"))) return [];
  const plain = resources.filter((name) => !/[*/]/.test(name)).sort();
  const versions = apiVersions.toSorted();
  return apiGroups.toSorted().flatMap((group) => {
    return versions.flatMap((version) => {
      return plain.map((name): [string, string, string] => [group, version, name]);
    });
  });
}

const keyOf = ({ group, version, kind }: KindName): string => `${group}\0${version}\0${kind}`;
