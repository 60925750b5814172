import {
  type MutatingAdmissionPolicy,
  mutatingAdmissionPolicies,
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
} from "#/api/admissionregistration/v1.ts";
import { mutatingAdmissionPolicies as alphaPolicies } from "#/api/admissionregistration/v1alpha1.ts";
import { mutatingAdmissionPolicies as betaPolicies } from "#/api/admissionregistration/v1beta1.ts";
import { JsonPathError } from "#/machinery/jsonpath/jsonpath-node.ts";
import { parsePath } from "#/machinery/jsonpath/parse-jsonpath.ts";
import { validateConditions } from "#/machinery/meta/conditions.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Steps } from "#/std/base/steps.ts";
import { inPace } from "../../model/pace.ts";
import {
  type ApiObject,
  type Decoded,
  type RequestContext,
  type Strategy,
  serve,
} from "../../registry/strategy.ts";
import { nothingClaimed } from "../rbac/escalation.ts";
import { ageColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { validateMutatingPolicy } from "./mutating-policy-validation.ts";
import { findParamKindProblem, refuseUnless } from "./param-access.ts";
import { setMatchDefaults } from "./registration-defaults.ts";
import {
  staticSuffixWarnings,
  validateRegistrationMeta,
  validateStaticSuffix,
} from "./registration-meta.ts";
import { validateValidatingPolicy } from "./validating-policy-validation.ts";

type Policy = MutatingAdmissionPolicy | ValidatingAdmissionPolicy;

/**
 * The strategy that both kinds share.
 *
 * Upstream: pkg/registry/admissionregistration/{mutating,validating}admissionpolicy/strategy.go.
 */
function policyStrategy<T extends Policy & ApiObject>(
  kind: string,
  validate: (policy: Decoded<T>, old?: Decoded<T>) => Steps<FieldError[]>,
): Strategy<T> {
  const names = { group: "admissionregistration.k8s.io", kind };
  function* create(policy: Decoded<T>): Steps<FieldError[]> {
    return [
      ...validateRegistrationMeta(policy.metadata),
      ...(yield* validate(policy)),
      ...validateStaticSuffix(policy.metadata),
    ];
  }
  function* update(policy: Decoded<T>, old: Decoded<T>): Steps<FieldError[]> {
    return [...validateRegistrationMeta(policy.metadata), ...(yield* validate(policy, old))];
  }
  const isValid = async (found: Steps<FieldError[]>, { pace }: RequestContext) =>
    (await inPace(pace, "validation", found)).length === 0;
  const authorize = async (policy: Decoded<T>, context: RequestContext) => {
    const problem = await findParamKindProblem(policy.spec?.paramKind, context);
    return refuseUnless(problem, names, policy.metadata.name);
  };
  return {
    allowUnconditionalUpdate: false,
    setDefaults({ spec }) {
      if (!spec) return;
      spec.failurePolicy ??= "Fail";
      setMatchDefaults(spec.matchConstraints);
    },
    prepareForCreate: startGeneration,
    prepareForUpdate: (policy, old) => countGeneration(policy, old),
    async beginCreate(policy, context) {
      if (!policy.spec?.paramKind) return nothingClaimed;
      return (await isValid(create(policy), context)) ? authorize(policy, context) : nothingClaimed;
    },
    async beginUpdate(policy, old, context) {
      const { paramKind } = policy.spec ?? {};
      if (!paramKind || deepEqual(paramKind, old.spec?.paramKind)) return nothingClaimed;
      const valid = await isValid(update(policy, old), context);
      return valid ? authorize(policy, context) : nothingClaimed;
    },
    validate: (policy) => create(policy),
    validateUpdate: (policy, old) => update(policy, old),
    warnings: (policy, old) => (old ? staticSuffixWarnings(policy.metadata) : []),
  };
}

const nameColumn = {
  name: "Name",
  type: "string",
  format: "name",
  cell: ({ metadata }: ApiObject) => metadata.name ?? "",
} as const;

const paramKindColumn = {
  name: "ParamKind",
  type: "string",
  cell: ({ spec }: Policy) =>
    spec?.paramKind ? `${spec.paramKind.apiVersion}/${spec.paramKind.kind}` : "<unset>",
} as const;

type Validating = Decoded<ValidatingAdmissionPolicy>;

const validatingStrategy = policyStrategy<Validating>(
  "ValidatingAdmissionPolicy",
  validateValidatingPolicy,
);

export const validatingAdmissionPolicy = serve<ValidatingAdmissionPolicy>(
  validatingAdmissionPolicies,
  {
    ...validatingStrategy,
    prepareForCreate(policy) {
      policy.status = {};
      startGeneration(policy);
    },
    prepareForUpdate(policy, old) {
      if (old.status) policy.status = old.status;
      else delete policy.status;
      countGeneration(policy, old);
    },
    resetFields: ["status"],
    status: { validateUpdate: validatePolicyStatus, resetFields: ["spec", "metadata"] },
    columns: [
      nameColumn,
      {
        name: "Validations",
        type: "integer",
        cell: ({ spec }) => spec?.validations?.length ?? 0,
      },
      paramKindColumn,
      ageColumn,
    ],
  },
);

function validatePolicyStatus({ status = {} }: Validating): FieldError[] {
  const path = fieldPath("status");
  const warnings = status.typeChecking?.expressionWarnings ?? [];
  const errors = warnings.flatMap(({ warning, fieldRef = "" }, index) => {
    const at = path.child("typeChecking").child("expressionWarnings").index(index);
    const missing = warning ? [] : [required(at.child("warning"))];
    const trimmed = fieldRef.trim();
    if (trimmed === "") return [...missing, required(at.child("fieldRef"))];
    const problem = findPathProblem(trimmed);
    if (problem === undefined) return missing;
    return [...missing, invalid(at.child("fieldRef"), trimmed, `invalid JSONPath: ${problem}`)];
  });
  return [...errors, ...validateConditions(status.conditions, path.child("conditions"))];
}

function findPathProblem(path: string): string | undefined {
  try {
    parsePath(path);
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathError) return error.message;
    throw error;
  }
}

type Mutating = Decoded<MutatingAdmissionPolicy>;

export const mutatingAdmissionPolicy = serve<MutatingAdmissionPolicy>(mutatingAdmissionPolicies, {
  ...policyStrategy<Mutating>("MutatingAdmissionPolicy", validateMutatingPolicy),
  versions: [{ handle: betaPolicies }, { handle: alphaPolicies }],
  columns: [
    nameColumn,
    { name: "Mutations", type: "integer", cell: ({ spec }) => spec?.mutations?.length ?? 0 },
    paramKindColumn,
    ageColumn,
  ],
});
