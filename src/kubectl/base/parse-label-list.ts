/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/run/run.go (parseLabels). */
import { CommandError } from "./errors.ts";

/** Labels from `a=b,c=d`. */
export function parseLabelList(text: string): Record<string, string> {
  const entries = text.split(",").map((pair) => {
    const [key = "", value, ...rest] = pair.split("=");
    if (value === undefined || rest.length > 0) {
      throw new CommandError(`unexpected label spec: ${pair}`);
    }
    if (key === "") throw new CommandError("unexpected empty label key");
    return [key, value] as const;
  });
  return Object.fromEntries(entries);
}
