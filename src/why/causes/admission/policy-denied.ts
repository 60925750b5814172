import { oneLine } from "../../base/text.ts";
import { refusalCause } from "../../facts/refusal.ts";

export const policyDenied = refusalCause({
  name: "admission-policy-denied",
  texts:
    /(Validating|Mutating)AdmissionPolicy '([^']+)' with binding '([^']+)' denied request: (.*)$/s,
  explain: ([, kind = "", policy, binding, text = ""], { what }) => ({
    sentence: `the ${kind}AdmissionPolicy "${policy}" denies new ${what}: "${oneLine(text, 200)}"`,
    evidence: [`its binding: ${binding}`],
    fix: [`kubectl get ${kind.toLowerCase()}admissionpolicy ${policy} -o yaml`],
  }),
});
