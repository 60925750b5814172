import {
  type ValidatingAdmissionPolicy,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from "#/api/admissionregistration/v1.ts";
import { cause } from "../../base/cause.ts";
import { oneLine } from "../../base/text.ts";

/** An expression that cannot be evaluated for the types that the policy is for. */
export const policyExpression = cause<ValidatingAdmissionPolicy>({
  name: "policy-expression",
  layer: "admission",
  of: [validatingAdmissionPolicies],
  find({ status, spec }) {
    const [warning] = status?.typeChecking?.expressionWarnings ?? [];
    if (!warning) return undefined;
    const refuses = (spec?.failurePolicy ?? "Fail") === "Fail";
    const said = oneLine(warning.warning.split("\n").slice(0, 2).join(" "), 200);
    return {
      sentence: `its ${warning.fieldRef} is wrong: ${said}; ${refuses ? "the requests that it is for are refused" : "it judges nothing"}`,
      fix: ["# correct the expression: kubectl explain shows the fields of a type"],
    };
  },
});

export const policyUnbound = cause<ValidatingAdmissionPolicy>({
  name: "policy-unbound",
  layer: "admission",
  of: [validatingAdmissionPolicies],
  find({ metadata }, view) {
    const all = view.list(validatingAdmissionPolicyBindings);
    if (!all || all.some(({ spec }) => spec?.policyName === metadata.name)) return undefined;
    return {
      sentence: "it judges nothing: no ValidatingAdmissionPolicyBinding names it",
      fix: ["# create a ValidatingAdmissionPolicyBinding with this policyName"],
    };
  },
});
