import { oneLine } from "../../base/text.ts";
import { refusalCause } from "../../facts/refusal.ts";

/** The rules that are broken, without the text that says how to keep them, which the evidence has. */
const fieldsOf = (rules: string): string =>
  oneLine(rules.replace(/ \((?:[^()]|\([^()]*\))*\)/g, ""), 200);

export const podSecurity = refusalCause({
  name: "pod-security",
  texts: /violates PodSecurity "([^"]+)": (.*)$/s,
  explain([, level, rules = ""], { what }, { metadata }) {
    const { namespace = "" } = metadata;
    return {
      sentence: `Pod Security "${level}" of the namespace refuses new ${what}: ${fieldsOf(rules)}`,
      fix: [
        "# set these fields in the template's securityContext, or lower the level of the namespace:",
        `kubectl label --overwrite namespace ${namespace} pod-security.kubernetes.io/enforce=LEVEL`,
        `kubectl get namespace ${namespace} --show-labels`,
      ],
    };
  },
});
