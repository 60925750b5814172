import {
  type MutatingAdmissionPolicyBinding,
  mutatingAdmissionPolicyBindings,
  type ParamRef,
  type ValidatingAdmissionPolicyBinding,
  validatingAdmissionPolicyBindings,
} from "#/api/admissionregistration/v1.ts";
import { mutatingAdmissionPolicyBindings as alphaBindings } from "#/api/admissionregistration/v1alpha1.ts";
import { mutatingAdmissionPolicyBindings as betaBindings } from "#/api/admissionregistration/v1beta1.ts";
import type { LabelSelector } from "#/api/meta/v1.ts";
import { type FieldError, forbidden } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import {
  type ApiObject,
  type Claim,
  type Decoded,
  type RequestContext,
  type Strategy,
  serve,
} from "../../registry/strategy.ts";
import { nothingClaimed } from "../rbac/escalation.ts";
import { ageColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { validateActions, validateBinding } from "./binding-validation.ts";
import { findParamRefProblem, refuseUnless } from "./param-access.ts";
import { setMatchDefaults } from "./registration-defaults.ts";
import {
  staticSuffixWarnings,
  validateRegistrationMeta,
  validateStaticSuffix,
} from "./registration-meta.ts";
import { validateMutatingOperations } from "./rule-validation.ts";

type Binding = MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding;

const group = "admissionregistration.k8s.io";

/**
 * The strategy that both kinds share.
 *
 * Upstream: pkg/registry/admissionregistration/{mutating,validating}admissionpolicybinding.
 */
function bindingStrategy<T extends Binding & ApiObject>(
  kind: string,
  policies: string,
  validate: (binding: Decoded<T>) => FieldError[],
): Strategy<T> {
  const check = (binding: Decoded<T>) => [
    ...validateRegistrationMeta(binding.metadata),
    ...validateBinding(binding.spec ?? {}),
    ...validate(binding),
  ];
  const create = (binding: Decoded<T>) => [
    ...check(binding),
    ...validateStaticSuffix(binding.metadata),
  ];
  const authorize = async (binding: Decoded<T>, context: RequestContext): Promise<Claim> => {
    const { paramRef, policyName = "" } = binding.spec ?? {};
    if (!paramRef) return nothingClaimed;
    const found = context.store({ group, name: policies }).findCached("", policyName)?.parsed() as
      | { spec?: { paramKind?: { apiVersion?: string; kind?: string } } }
      | undefined;
    const paramKind = found?.spec?.paramKind;
    const params = { policyName, paramRef, paramKind, missing: !found };
    const problem = await findParamRefProblem(params, context);
    const error =
      problem === undefined ? undefined : forbidden(fieldPath("spec", "paramRef"), problem);
    return refuseUnless(error, { group, kind }, binding.metadata.name);
  };
  return {
    allowUnconditionalUpdate: false,
    setDefaults: ({ spec }) => setMatchDefaults(spec?.matchResources),
    prepareForCreate: startGeneration,
    prepareForUpdate: (binding, old) => countGeneration(binding, old),
    beginCreate: (binding, context) =>
      create(binding).length > 0 ? nothingClaimed : authorize(binding, context),
    beginUpdate: (binding, old, context) => {
      const same =
        deepEqual(binding.spec?.paramRef, old.spec?.paramRef) &&
        binding.spec?.policyName === old.spec?.policyName;
      return same || check(binding).length > 0 ? nothingClaimed : authorize(binding, context);
    },
    validate: create,
    validateUpdate: check,
    warnings: (binding, old) => (old ? staticSuffixWarnings(binding.metadata) : []),
    columns: [
      { name: "Name", type: "string", format: "name", cell: ({ metadata }) => metadata.name ?? "" },
      { name: "PolicyName", type: "string", cell: ({ spec }) => spec?.policyName ?? "" },
      { name: "ParamRef", type: "string", cell: ({ spec }) => formatParamRef(spec?.paramRef) },
      ageColumn,
    ],
  };
}

function formatParamRef(paramRef: ParamRef | undefined): string {
  if (paramRef?.name) return `${paramRef.namespace || "*"}/${paramRef.name}`;
  return paramRef?.selector ? goSelector(paramRef.selector) : "<unset>";
}

/** A selector as Go prints one. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}

type Validating = Decoded<ValidatingAdmissionPolicyBinding>;
type Mutating = Decoded<MutatingAdmissionPolicyBinding>;

export const validatingAdmissionPolicyBinding = serve<ValidatingAdmissionPolicyBinding>(
  validatingAdmissionPolicyBindings,
  bindingStrategy<Validating>(
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicies",
    ({ spec }) => validateActions(spec?.validationActions ?? []),
  ),
);

export const mutatingAdmissionPolicyBinding = serve<MutatingAdmissionPolicyBinding>(
  mutatingAdmissionPolicyBindings,
  {
    ...bindingStrategy<Mutating>(
      "MutatingAdmissionPolicyBinding",
      "mutatingadmissionpolicies",
      ({ spec }) =>
        spec?.matchResources
          ? validateMutatingOperations(spec.matchResources, fieldPath("spec", "matchResources"))
          : [],
    ),
    versions: [{ handle: betaBindings }, { handle: alphaBindings }],
  },
);
