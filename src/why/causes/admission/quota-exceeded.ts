import { parseQuantity } from "#/machinery/values/quantity.ts";
import { refusalCause } from "../../facts/refusal.ts";

export const quotaExceeded = refusalCause({
  name: "quota-exceeded",
  texts: /exceeded quota: (\S+), requested: (\S+), used: (\S+), limited: (\S+)/,
  explain([, name, requested = "", used = "", limited = ""], { what }) {
    const [asked, taken, limits] = [amounts(requested), amounts(used), amounts(limited)];
    const exceeded = [...asked].map(([resource, amount]) => {
      const [limit, other] = [limits.get(resource) ?? "0", taken.get(resource) ?? "0"];
      const over = parseQuantity(other).add(parseQuantity(amount)).sub(parseQuantity(limit));
      return {
        resource,
        text: `${resource}: ${other} of ${limit} used, ${amount} more requested, ${over} too much`,
      };
    });
    return {
      sentence: `the quota "${name}" is exceeded, so new ${what} are refused (${exceeded.map(({ text }) => text).join("; ")})`,
      fix: [
        `kubectl describe resourcequota ${name}`,
        `kubectl edit resourcequota ${name}`,
        "# or delete what is not needed, or request less",
      ],
    };
  },
});

/** `pods=1,requests.cpu=2`. */
const amounts = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(",").map((pair) => {
      const [resource = "", amount = "0"] = pair.split("=");
      return [resource, amount];
    }),
  );
