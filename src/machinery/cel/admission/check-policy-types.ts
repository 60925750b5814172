import type {
  ExpressionWarning,
  ParamKind,
  RuleWithOperations,
  ValidatingAdmissionPolicy,
} from "#/api/admissionregistration/v1.ts";
import type { DeclType } from "../schema/decl-type.ts";
import { anyType } from "../type/cel-type.ts";
import { PolicyCompiler } from "./policy-compiler.ts";

/** A kind, with the type that expressions see its objects as. */
export interface CheckedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Absent where its schema is not known; then nothing is checked against it. */
  readonly type?: DeclType;
}

/** What is known of the cluster's kinds. */
export interface KindLookups {
  /** The kinds of a resource in a version; none if it isn't served. */
  kindsOf(group: string, version: string, resource: string): readonly CheckedKind[];
  paramType(paramKind: ParamKind): DeclType | undefined;
}

/** A policy is checked against so many kinds of each rule. */
const maxKinds = 10;

/**
 * Warns of expressions that don't fit the types of the objects that a policy is about: what its status shows.
 *
 * Upstream: apiserver/pkg/admission/plugin/policy/validating/typechecking.go.
 */
export function checkPolicyTypes(
  { spec = {} }: Pick<ValidatingAdmissionPolicy, "spec">,
  lookups: KindLookups,
): ExpressionWarning[] {
  const kinds = kindsToCheck(spec.matchConstraints?.resourceRules ?? [], lookups);
  const { paramKind, variables = [], validations = [] } = spec;
  const params = paramKind && lookups.paramType(paramKind);
  const check = (expression: string): string =>
    kinds
      .flatMap(({ group, version, kind, type }) => {
        const types = { ...(type ? { object: type } : {}), ...(params ? { params } : {}) };
        const compiler = new PolicyCompiler({
          params: paramKind !== undefined,
          authorizer: true,
          types,
        });
        for (const variable of variables) compiler.addVariable(variable.name, variable.expression);
        const { issues } = compiler.compile(expression, [anyType]);
        return issues === undefined ? [] : [`${group}/${version}, Kind=${kind}: ${issues}\n`];
      })
      .join("\n");
  return validations.flatMap(({ expression, messageExpression = "" }, index) => {
    const checked = { expression, ...(messageExpression ? { messageExpression } : {}) };
    return Object.entries(checked).flatMap(([field, text]) => {
      const warning = check(text);
      return warning === "" ? [] : [{ fieldRef: `spec.validations[${index}].${field}`, warning }];
    });
  });
}

/** The kinds that rules name without wildcards, sorted. */
function kindsToCheck(
  rules: readonly RuleWithOperations[],
  lookups: KindLookups,
): readonly CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const rule of rules) {
    const { apiGroups = [], apiVersions = [], resources = [] } = rule;
    if ([...apiGroups, ...apiVersions].some((name) => name.includes("*"))) continue;
    const plain = resources.filter((name) => !/[*/]/.test(name));
    const kinds = apiGroups
      .toSorted()
      .flatMap((group) =>
        apiVersions
          .toSorted()
          .flatMap((version) =>
            plain.toSorted().flatMap((resource) => lookups.kindsOf(group, version, resource)),
          ),
      );
    for (const kind of kinds.slice(0, maxKinds)) found.set(keyOf(kind), kind);
    if (kinds.length >= maxKinds) break;
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, kind]) => kind)
    .filter(({ type }) => type !== undefined);
}

const keyOf = ({ group, version, kind }: CheckedKind): string => `${group}\0${version}\0${kind}`;
