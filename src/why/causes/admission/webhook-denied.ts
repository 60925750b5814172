import { oneLine } from "../../base/text.ts";
import { refusalCause } from "../../facts/refusal.ts";

export const webhookDenied = refusalCause({
  name: "webhook-denied",
  texts: /admission webhook "([^"]+)" denied the request(?: without explanation|: (.*))?$/s,
  explain: ([, name, text], { what }) => ({
    sentence: `the admission webhook "${name}" denies new ${what}: ${text ? `"${oneLine(text, 200)}"` : "without an explanation"}`,
    fix: [
      "# change the template as the webhook demands",
      "kubectl get validatingwebhookconfigurations",
    ],
  }),
});
