import { refusalCause } from "../../facts/refusal.ts";
import { webhookProblem } from "../../facts/services/webhook-problem.ts";

export const webhookFailed = refusalCause({
  name: "webhook-unreachable",
  texts: /failed (?:to call|calling) webhook "([^"]+)": /,
  explain([, name], { what, message }, _object, view) {
    const why = webhookProblem(message, view)?.why ?? "it does not say why";
    return {
      sentence: `the admission webhook "${name}" cannot be called, and new ${what} are refused: ${why}`,
      fix: [
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        "# start what serves it, or delete its configuration, or set failurePolicy: Ignore",
      ],
    };
  },
});
