import { oneLine } from "../../base/text.ts";
import { connectionFailure } from "../../facts/connection-failure.ts";
import { refusalCause } from "../../facts/refusal.ts";

export const webhookFailed = refusalCause({
  name: "webhook-unreachable",
  texts: /failed (?:to call|calling) webhook "([^"]+)": (?:failed to call webhook: )?(.*)$/s,
  explain([, name, text = ""], { what }) {
    const service = /service "([^"]+)" not found/.exec(text)?.[1];
    const none = /no endpoints available for service "([^"]+)"/.exec(text)?.[1];
    const why = service
      ? `its Service "${service}" does not exist`
      : none
        ? `its Service "${none}" has no ready endpoint`
        : (connectionFailure(text) ?? oneLine(text, 160));
    return {
      sentence: `the admission webhook "${name}" cannot be called, and new ${what} are refused: ${why}`,
      fix: [
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
        "# start what serves it, or delete its configuration, or set failurePolicy: Ignore",
      ],
    };
  },
});
